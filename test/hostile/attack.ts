import type { Contract } from '../../src/platform/http/endpoint.ts';
import { call, type Reply } from '../kit/merchant.ts';
import { ENDPOINTS } from '../published.ts';
import { isRefusing } from './cases/field-cases.ts';
import type { HostileService } from './hostile-service.ts';
import { complaintAbout, generalComplaints, isDone, isPendingCancel, verdictComplaints } from './judge.ts';
import { type Chance, chanceOf, chosen, type Mutation, mutationsFor } from './mutations.ts';
import { RECIPES, validRequest } from './recipes.ts';
import { inFlight, inTurn, send, type WireRequest } from './wire.ts';

export type AttackOptions = {
  readonly seed: number;
  /** The numbers of the cases: each follows from the seed and its own number alone. */
  readonly cases: readonly number[];
  readonly atOnce?: number;
  /** Ends the run before its last case; what was found until then is printed. */
  readonly signal?: AbortSignal;
};

export type AttackReport = {
  readonly byEndpoint: ReadonlyMap<string, number>;
  readonly byStatus: ReadonlyMap<number, number>;
  readonly violations: readonly string[];
};

const AT_ONCE = 8;
/** After so many a run has said enough. */
const MOST_VIOLATIONS = 50;
/** Refused requests that are sent once more at the end, to see that no row comes of them. */
const MOST_REPEATED = 2_000;
const RENEW_EVERY = 20_000;

/**
 * A login costs a password's hash, and most of the others say the same to everybody: they are tried
 * less often.
 */
function weightOf({ id, body, scope, query, parameters }: Contract): number {
  if (scope === null) return body === undefined ? 2 : 3;
  return id === 'createPayment'
    ? 60
    : body !== undefined || query !== undefined || parameters !== undefined
      ? 25
      : 5;
}

const WEIGHTED = ENDPOINTS.flatMap((endpoint) => Array.from({ length: weightOf(endpoint) }, () => endpoint));

/** Sends the cases and judges every answer. */
export async function attack(service: HostileService, options: AttackOptions): Promise<AttackReport> {
  const byEndpoint = new Map<string, number>();
  const byStatus = new Map<number, number>();
  const violations: string[] = [];
  const refused: WireRequest[] = [];
  let sent = 0;
  await inFlight(options.cases, options.atOnce ?? AT_ONCE, async (number) => {
    if (violations.length >= MOST_VIOLATIONS || options.signal?.aborted) return;
    sent += 1;
    if (sent % RENEW_EVERY === 0) await service.renewTokens();
    const chance = chanceOf((options.seed + Math.imul(number, 0x9e3779b1)) >>> 0);
    const endpoint = chosen(chance, WEIGHTED);
    byEndpoint.set(endpoint.id, (byEndpoint.get(endpoint.id) ?? 0) + 1);
    const { mutations, request, reply, complaints } = await inTurn(endpoint, async () => {
      const made = await caseOf(service, endpoint, chance);
      return { ...made, ...(await judged(service, made.request, made.mutations)) };
    });
    const name = `case ${number} of seed ${options.seed} (${mutations.map((mutation) => mutation.name).join('; ')})`;
    violations.push(...complaints.map((text) => complaintAbout(name, request, text)));
    if (reply === null) return;
    byStatus.set(reply.status, (byStatus.get(reply.status) ?? 0) + 1);
    if ([400, 404, 405, 413, 415].includes(reply.status) && refused.length < MOST_REPEATED)
      refused.push(request);
  });
  // A run that was stopped by Ctrl-C has a service that is closing too: nothing more can be said of it.
  if (!options.signal?.aborted) violations.push(...(await afterwards(service, refused)));
  return { byEndpoint, byStatus, violations };
}

async function caseOf(
  { alice }: HostileService,
  endpoint: Contract,
  chance: Chance,
): Promise<{ mutations: Mutation[]; request: WireRequest }> {
  const variant = chance(2) * chance(RECIPES[endpoint.id]?.length ?? 1);
  const valid = await validRequest(endpoint, alice, variant);
  const mutations = mutationsFor(endpoint, valid, alice, chance);
  const request = mutations.reduce((changed, mutation) => mutation.make(changed), valid);
  return { mutations, request };
}

async function judged(
  service: HostileService,
  request: WireRequest,
  mutations: readonly Mutation[],
): Promise<{ reply: Reply | null; complaints: string[] }> {
  try {
    const reply = await send(service.gatewayUrl, request);
    const complaints = generalComplaints(request, reply);
    const verdicts = mutations.map(({ verdict }) => verdict);
    if (verdicts.every((verdict) => verdict !== null && isRefusing(verdict)) && reply.status < 400) {
      complaints.push(`every change should be refused, and the answer is ${reply.status}`);
    }
    const [only] = mutations;
    if (mutations.length === 1 && only?.verdict != null) {
      complaints.push(...verdictComplaints({ ...only, verdict: only.verdict }, request, reply));
    }
    return { reply, complaints };
  } catch (error) {
    return { reply: null, complaints: [`no answer: ${error}`] };
  }
}

/**
 * What must be true when all is over: nothing came of what was refused, and everybody else is
 * served as before.
 */
async function afterwards(service: HostileService, refused: readonly WireRequest[]): Promise<string[]> {
  const violations: string[] = [];
  const before = await service.rowCounts();
  await inFlight(refused, AT_ONCE, async (request) => {
    const { status } = await send(service.gatewayUrl, request);
    if (status < 400) violations.push(complaintAbout('sent again', request, `refused once, now ${status}`));
  });
  for (const [table, count] of await service.rowCounts()) {
    const more = count - (before.get(table) ?? 0);
    if (more > 0) violations.push(`${more} rows of ${table} come of refused requests`);
  }
  for (const endpoint of ENDPOINTS) {
    const reply = await send(service.gatewayUrl, await validRequest(endpoint, service.alice));
    if (!isDone(reply.status) && !isPendingCancel(endpoint, reply))
      violations.push(`${endpoint.id} no longer works: ${reply.status} ${reply.text.slice(0, 300)}`);
  }
  const ready = await call(service.gatewayUrl, '/health/ready');
  if (ready.status !== 200) violations.push(`the service is not ready: ${ready.status}`);
  return violations;
}

/** The seed that is set, or the usual one. */
export function seedFrom(environment: Readonly<Record<string, string | undefined>>, usual: number): number {
  const given = environment.HOSTILE_SEED;
  if (given === undefined || given === '') return usual;
  if (!/^\d{1,10}$/.test(given)) throw new Error(`HOSTILE_SEED must be a whole number, not "${given}"`);
  return Number(given);
}
