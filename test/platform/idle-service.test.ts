import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { readConfiguration } from '../../src/app/config.ts';
import { openApp } from '../../src/app/open-app.ts';
import { type Closing, closeAll } from '../../src/platform/closings.ts';
import { openDrain } from '../../src/platform/http/draining.ts';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';
import { keyFileIn, rememberKeyFile } from '../kit/keys.ts';
import { type Auditor, databaseSettings, openAuditor, until } from '../kit/service.ts';

/*
 * A whole service in this process, that nobody calls: its statements are counted in the driver. Time is
 * counted in what it asks once a second, so that a busy machine changes nothing.
 */

const MOST_A_SECOND = 5;
const SECONDS = 10;
/** What a start leaves to be done is done. */
const SECONDS_OF_START = 5;
/** Of the role of the service, in their order. */
const asked: string[] = [];
const folder = await mkdtemp(join(tmpdir(), 'parcela-idle-'));
const closings: Closing[] = [];
let database: TestDatabase;
let auditor: Auditor;
let metricsUrl: string;

const { query } = pg.Client.prototype;

function countStatements(user: string): void {
  pg.Client.prototype.query = function (this: pg.Client, ...wanted: unknown[]) {
    const [given] = wanted as [string | { name?: string; text?: string }];
    if (this.user === user) asked.push(typeof given === 'string' ? given : (given.name ?? given.text ?? ''));
    return Reflect.apply(query, this, wanted);
  } as typeof query;
}

before(async () => {
  database = await createTestDatabase({ migrated: true });
  auditor = openAuditor(database.address);
  rememberKeyFile(database.address.database, keyFileIn(folder));
  countStatements(database.runtime.user);
  const configuration = readConfiguration({
    PARCELA_PORT: '0',
    PARCELA_LOG_LEVEL: 'silent',
    PARCELA_DATA_DIR: folder,
    ...databaseSettings(database),
  });
  const stopping = { signal: new AbortController().signal, drain: openDrain() };
  ({ metricsUrl } = await openApp(configuration, closings, stopping));
});

after(async () => {
  const faults: string[] = [];
  pg.Client.prototype.query = query;
  await closeAll(closings, (fault) => faults.push(fault));
  await auditor.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
  assert.deepEqual(faults, []);
});

/** How often what is asked once a second was asked since. */
function secondsSince(start: number): number {
  const names = asked.slice(start);
  const times = (wanted: RegExp) => names.filter((name) => wanted.test(name)).length;
  return Math.max(times(/^work\.look/), times(/^platform\.beat/));
}

async function restFor(seconds: number): Promise<readonly string[]> {
  const start = asked.length;
  await until(`${seconds} seconds are over`, async () => secondsSince(start) >= seconds, 120_000);
  return asked.slice(start);
}

async function idleTurns(): Promise<string[]> {
  const text = await (await fetch(metricsUrl)).text();
  return text.split('\n').filter((line) => line.startsWith('parcela_work_idle_turns_total'));
}

test('a service that rests asks less than five statements a second, and no work turns idly', async () => {
  const turnsBefore = await idleTurns();
  await restFor(SECONDS_OF_START);
  const names = await restFor(SECONDS);
  const counts = [...Map.groupBy(names, (name) => name)].map(([name, { length }]) => ({ name, length }));
  const worst = counts.toSorted((one, other) => other.length - one.length).slice(0, 10);
  const most = worst.map(({ name, length }) => `${length} ${name}`).join('\n');
  assert.ok(names.length < MOST_A_SECOND * SECONDS, `${names.length} in ${SECONDS} s:\n${most}`);
  assert.ok(turnsBefore.length > 20, 'they are counted');
  assert.deepEqual(await idleTurns(), turnsBefore);
});

/** How many looks came before a statement that begins so, from now on. */
async function looksUntil(wanted: string, cause: () => Promise<unknown>): Promise<number> {
  const start = asked.length;
  await cause();
  const found = await until(`${wanted} is asked`, async () => {
    const at = asked.indexOf(wanted, start);
    return at < 0 ? null : asked.slice(start, at);
  });
  return found.filter((name) => name.startsWith('work.look')).length;
}

/** One may have been asked for already, and the next one finds it. */
const MOST_LOOKS = 2;

test('what another process makes due begins with the next look', async () => {
  const [merchant] = await auditor.query('select merchant_id from merchants limit 1');
  const looks = await looksUntil('clock.claim', () =>
    auditor.query(
      `insert into merchant_clocks (merchant_id, target_at, jump_number) values ($1, now() + interval '1 day', 1)`,
      [merchant?.merchant_id],
    ),
  );
  assert.ok(looks <= MOST_LOOKS, `${looks} looks`);
  await until('the clock has moved', async () => {
    const [clock] = await auditor.query('select target_at from merchant_clocks where shift_milliseconds > 0');
    return clock !== undefined && clock.target_at === null;
  });
});

test('what another process changes is followed with the next look', async () => {
  const looks = await looksUntil('fees.list_since', () =>
    auditor.query(
      `insert into fee_tables (merchant_id, valid_from, rules, source, created_by)
       select merchant_id, now() + interval '1 hour', rules, source, created_by from fee_tables limit 1`,
    ),
  );
  assert.ok(looks <= MOST_LOOKS, `${looks} looks`);
});
