import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Contract } from '../../src/platform/http/endpoint.ts';
import { turnOf } from '../kit/patience.ts';
import { openPixBank } from '../kit/pix-bank.ts';
import {
  databaseSettings,
  type OpenedService,
  openService,
  openSimulator,
  type Simulator,
  until,
} from '../kit/service.ts';
import { type CuttingProxy, openCuttingProxy, type SentWrite } from '../kit/wire-cutter.ts';
import { ENDPOINTS } from '../published.ts';
import { HOSTILE_SETTINGS, type HostileService, openHostileService } from './hostile-service.ts';
import { isDone } from './judge.ts';
import { RECIPES, recipeComplaints, validRequest } from './recipes.ts';
import { hangUp, send } from './wire.ts';

/**
 * Every endpoint that makes or moves something, and each commit that it makes: the commit is carried out,
 * its answer is lost, and PostgreSQL stays away until the deadline of the request. No error answer is true
 * then.
 */

/** As short as the settings allow, and several at once: each case waits for its deadline. */
const SETTINGS = {
  PARCELA_REQUEST_DEADLINE_MILLISECONDS: '3000',
  PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '1000',
};
const LANES = 4;
/** Work that falls due writes now and then, and not each time. */
const TRIES_ALONE = 3;
const COMMITS_OF_ONE = 3;
/** What is cut off is resolved beside the requests, and that work writes these in its own time. */
const IN_THEIR_OWN_TIME = [
  'acquirer_cursors',
  'bank_changes',
  'bank_cursors',
  'delivery_tries',
  'health_samples',
  'process_reports',
  'sum_differences',
  'truth_budgets',
  'truth_differences',
  'truth_reports',
  'truth_runs',
];

/** A service whose database can be taken away, beside the one that makes ready what requests need. */
type Lane = { readonly service: OpenedService; readonly proxy: CuttingProxy };
type Sale = { readonly endpoint: Contract; readonly variant: number };
type Case = Sale & { readonly write: SentWrite };
/** Null: the connection was cut. */
type Reported = { readonly status: number; readonly text: string } | null;

/** The family asks for what it reads with a body; a script is the simulator's. */
const WITHOUT_COMMIT = ['searchReceivablesByCode', 'changeAcquirerScript'];
const MAKING = ENDPOINTS.filter(({ id, method }) => method !== 'GET' && !WITHOUT_COMMIT.includes(id));

let simulator: Simulator;
let bank: Simulator;
let pix: Simulator;
let folder: string;
let setup: HostileService;
let lanes: Lane[];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-unknown-'));
  simulator = await openSimulator(folder);
  bank = await openSimulator(join(folder, 'bank'), [], 'bank');
  const ofPix = await openPixBank(folder);
  pix = ofPix.pix;
  const settings = {
    ...SETTINGS,
    PARCELA_ACQUIRER_URL: simulator.url,
    PARCELA_BANK_URL: bank.url,
    ...ofPix.settings,
  };
  setup = await openHostileService(settings);
  lanes = await Promise.all(Array.from({ length: LANES }, () => openLane(settings)));
});
after(async () => {
  hangUp();
  for (const { service, proxy } of lanes) {
    await service.stop();
    await proxy.close();
  }
  await setup.close();
  await simulator.stop();
  await bank.stop();
  await pix.stop();
  await rm(folder, { recursive: true, force: true });
});

async function openLane(settings: Readonly<Record<string, string>>): Promise<Lane> {
  const proxy = await openCuttingProxy(setup.database.runtime);
  const reached = databaseSettings(setup.database, proxy.address);
  const service = await openService({
    folder: setup.folder,
    settings: { ...HOSTILE_SETTINGS, ...settings, ...reached },
  });
  return { proxy, service };
}

/** Makes a valid request ready; gives the function that sends it through the lane. */
async function prepare({ service }: Lane, { endpoint, variant }: Sale): Promise<() => Promise<Reported>> {
  const request = await validRequest(endpoint, setup.alice, variant);
  const key = endpoint.isRepeatable === true ? { 'idempotency-key': randomUUID() } : {};
  const headers = { ...request.headers, ...key };
  const url = endpoint.api === 'integration' ? service.integrationUrl : service.gatewayUrl;
  return () => send(url, { ...request, headers }).catch(() => null);
}

/**
 * Every way of every endpoint that makes something, with one of two or three commits in turn; in the proof
 * with each. The others are for an endpoint whose turn fell on commits that come by chance.
 */
async function findCases(lane: Lane): Promise<{ cases: Case[]; others: Case[] }> {
  const cases: Case[] = [];
  const others: Case[] = [];
  const idle = lane.proxy.recordWrites();
  await pause(2_000);
  const ofNobody = new Set(idle().map(nameOf));
  for (const endpoint of MAKING) {
    for (const variant of (RECIPES[endpoint.id] ?? []).keys()) {
      // Of 503 nothing was done: a busy machine has no place at once.
      const { written, reported } = await until(`${endpoint.id} has a place`, async () => {
        const ask = await prepare(lane, { endpoint, variant });
        const written = lane.proxy.recordWrites();
        const reported = await ask();
        return reported?.status === 503 ? null : { written, reported };
      });
      assert.ok(
        reported !== null && reported.status < 300,
        `${endpoint.id}: ${reported?.status} ${reported?.text}`,
      );
      const named = new Map(written().map((write) => [nameOf(write), write]));
      const own = [...named].filter(([name]) => !ofNobody.has(name));
      const chosen = turnOf(own, cases.length, Math.min(COMMITS_OF_ONE, own.length));
      for (const one of own)
        (chosen.includes(one) ? cases : others).push({ endpoint, variant, write: one[1] });
    }
  }
  return { cases, others };
}

const nameOf = ({ text, behind = '' }: SentWrite) => `${text} ${behind}`.replaceAll('\0', '').trim();

/**
 * Takes the database away behind the commit, and returns the caller's answer; false: the commit did
 * not come.
 */
async function lose(lane: Lane, { write }: Case, ask: () => Promise<Reported>): Promise<Reported | false> {
  const { cuts } = lane.proxy;
  lane.proxy.loseAfter(write.text, write.behind);
  const reported = await ask();
  const wasLost = lane.proxy.cuts > cuts;
  await lane.proxy.comeBack();
  await until('the service is ready again', async () => {
    const reply = await fetch(`${lane.service.gatewayUrl}/health/ready`);
    await reply.arrayBuffer();
    return isDone(reply.status);
  });
  return wasLost && reported;
}

test('every endpoint has a recipe: a new one is tried here without another word', () => {
  assert.deepEqual(recipeComplaints(), []);
});

/** An error was answered, and something is made; empty: not so. */
async function madeThough(lane: Lane, one: Case): Promise<string> {
  const ask = await prepare(lane, one);
  const before = await setup.rowCounts(IN_THEIR_OWN_TIME);
  const reported = await lose(lane, one, ask);
  if (reported === false || reported === null || !isError(reported)) return '';
  if (isDeepStrictEqual(await setup.rowCounts(IN_THEIR_OWN_TIME), before)) return '';
  const { endpoint, variant, write } = one;
  return `${endpoint.id} (${variant}), ${nameOf(write)}: ${reported.status} ${reported.text}`;
}

const isError = (reported: Reported) => reported !== null && reported.status >= 400;
/** A login makes nothing that counts for anybody. */
const isHarmless = ({ endpoint }: Sale, reported: Reported) =>
  endpoint.makesNothingUnanswered === true && reported?.status === 503;

test('where the fate of a commit is unknown the connection is cut, at every endpoint and each of its commits', async () => {
  const { cases, others } = await findCases(lanes[0] as Lane);
  const complaints: string[] = [];
  const errors: Case[] = [];
  const untried = new Set(MAKING.map(({ id }) => id));
  const waiting = [...cases];
  const notLost: Case[] = [];
  async function tryCase(lane: Lane, one: Case): Promise<void> {
    let reported: Reported | false = false;
    for (let tries = 0; tries < TRIES_ALONE && reported === false; tries += 1)
      reported = await lose(lane, one, await prepare(lane, one));
    if (reported === false) notLost.push(one);
    else untried.delete(one.endpoint.id);
    if (reported !== false && isError(reported) && !isHarmless(one, reported)) errors.push(one);
  }
  await Promise.all(
    lanes.map(async (lane) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await tryCase(lane, next);
    }),
  );
  // Beside the others a request may find done what it asks for, or gone, and commits nothing.
  for (const one of notLost.splice(0)) await tryCase(lanes[0] as Lane, one);
  for (const one of others) if (untried.has(one.endpoint.id)) await tryCase(lanes[0] as Lane, one);
  // What was lost, or made, may have been another's (work that falls due): again, alone, and nothing is made.
  for (const one of errors) {
    let complaint = '';
    for (let tries = 0; tries === 0 || (complaint !== '' && tries < TRIES_ALONE); tries += 1)
      complaint = await madeThough(lanes[0] as Lane, one);
    if (complaint !== '') complaints.push(complaint);
  }
  assert.deepEqual(complaints, []);
  assert.deepEqual([...untried], []);
});
