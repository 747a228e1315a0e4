import { until } from '../../test/kit/service.ts';
import type { ChaosBench } from '../chaos-bench.ts';
import type { Gateway } from '../gateways.ts';
import type { Finding } from '../judge/finding.ts';
import { countAnswers, type KindResult } from '../results.ts';
import { awaitResolved, type Scene } from '../rounds.ts';
import { neverApproved, report, type Stage, type Suite } from '../suite.ts';
import { notifiedViews, numberOf, readNotifiedView } from './notified-view.ts';
import { ANSWER_INVARIANTS } from './of-answers.ts';
import { countRepeated, DELIVERY_INVARIANTS, indexOf } from './of-deliveries.ts';
import { TOLD_OPERATIONS } from './operations.ts';
import { moveClocks, type Registration, registerAgain, registerAll } from './registrations.ts';

/** Longer than three pauses between tries. */
const JUMP_MILLISECONDS = 15 * 60_000;
/** A lease of the dead, and what its target did meanwhile. */
const TOLD_MILLISECONDS = 90_000;
const MOST_JUMPS = 2;
const OUTAGES = 'outages';
const MOST_CALLS = 20;
const PAUSE_MILLISECONDS = 500;

/**
 * What merchants are notified of while things break: what came, what is on record, and what clients
 * were answered.
 */
export function notifiedSuite(): Suite {
  let registrations: readonly Registration[] = [];
  /** Deliveries that were compared: a process that wakes late may send one of them again. */
  const compared = new Set<number>();

  async function resolveAndCheck(scene: Scene, result: KindResult, rounds: string): Promise<void> {
    const { bench, till } = scene;
    await scene.fleet.pair();
    await awaitResolved(bench, rounds);
    const isNotified = await awaitNotified(scene);
    const isCalm = rounds.startsWith('calm');
    const read = await readNotifiedView(bench, till, rounds, registrations, isCalm);
    const isNew = ({ id }: { readonly id: string }) => !compared.has(numberOf(id) ?? 0);
    const books = indexOf({ ...read, arrivals: read.arrivals.filter(isNew) });
    const findings: Finding[] = isNotified ? [] : [NOT_NOTIFIED];
    for (const { name, check } of [...DELIVERY_INVARIANTS, ...ANSWER_INVARIANTS])
      check(books, (reference, text) => findings.push({ invariant: name, reference, text }));
    const canceled = books.cancels.filter(({ status }) => status === 200).map(() => ({ state: 'canceled' }));
    countAnswers({ entries: books.entries, cancelEntries: books.cancels, cancels: canceled }, result);
    result.deliveries += books.deliveries.length;
    result.repeated += countRepeated(books) + read.arrivals.length - books.arrivals.length;
    findings.push(...neverApproved(result, rounds));
    await report(findings, result, (reference) => (reference === '' ? '' : notifiedViews(books, reference)));
    for (const { number } of books.deliveries) compared.add(number);
    for (const system of bench.systems) system.startAnew();
  }

  return {
    operations: TOLD_OPERATIONS,
    hasSystems: true,
    prepare: async ({ bench, fleet }: Stage) => {
      const [gateway] = await fleet.pair();
      registrations = await registerAll(bench, gateway);
    },
    resolveAndCheck,
    checkDatabase,
  };
}

/** Alerts are the business of another suite, whose merchants have no system. */
const WAITING = `select (select count(*) from deliveries where state = 'waiting' and kind in ('movement', 'callback'))::int
    + (select count(*) from acquirer_changes where state = 'waiting')::int as waiting`;

const NOT_NOTIFIED: Finding = {
  invariant: 'a system that is back hears what it missed, without help',
  reference: '',
  text: `something waited for ${TOLD_MILLISECONDS} ms`,
};

/**
 * Every system is well again, and what waits for it is released: by a new registration, and by the clock.
 * Gives false when a system that was away needed that help. Behind other faults nobody waits so long: they
 * leave leases and pauses of minutes.
 */
async function awaitNotified(scene: Scene): Promise<boolean> {
  const { bench } = scene;
  for (const system of bench.systems) {
    system.be('well');
    await system.comeBack();
  }
  const isNotifiedAlone = !scene.name.startsWith(OUTAGES) || (await isNotified(bench));
  for (let jumps = 0; jumps < MOST_JUMPS; jumps += 1) {
    await withGateway(scene, (gateway) => registerAgain(bench, gateway));
    await withGateway(scene, (gateway) => moveClocks(bench, gateway, JUMP_MILLISECONDS));
    if (await isNotified(bench)) return isNotifiedAlone;
    scene.note(`${scene.name}: something waits after jump ${jumps + 1}`);
  }
  return isNotifiedAlone;
}

/** Whether nothing waits any more, after a while. */
function isNotified(bench: ChaosBench): Promise<boolean> {
  return until('nothing waits', () => isNothingWaiting(bench), TOLD_MILLISECONDS).catch(() => false);
}

/** A service that was struck may be the one that is asked: another one is asked then. */
async function withGateway({ fleet }: Scene, work: (gateway: Gateway) => Promise<void>): Promise<void> {
  let reason: unknown;
  for (let calls = 0; calls < MOST_CALLS; calls += 1) {
    try {
      const [gateway] = await fleet.pair();
      return await work(gateway);
    } catch (error) {
      reason = error;
      await new Promise((wake) => setTimeout(wake, PAUSE_MILLISECONDS));
    }
  }
  throw new Error('no service could be asked', { cause: reason });
}

async function isNothingWaiting({ query }: ChaosBench): Promise<boolean> {
  const [row] = await query(WAITING);
  return row?.waiting === 0;
}

const BROKEN = [
  {
    invariant: 'no message about a movement without the movement',
    query: `select d.delivery_number::text as reference, d.body as reported from deliveries d where d.kind = 'movement' and not exists (
      select from movements m where m.merchant_id = d.merchant_id and m.movement_id = d.delivery_number
        and coalesce(m.transaction_id, m.boleto_id) = d.transaction_id and m.installment_number = d.installment_number)`,
  },
  {
    invariant: 'no movement without its message',
    query: `select m.movement_id::text as reference, m.type as reported from movements m where m.merchant_id = any ($1) and not exists (
      select from deliveries d where m.merchant_id = d.merchant_id and m.movement_id = d.delivery_number and d.kind = 'movement')`,
  },
  {
    invariant: 'nothing unknown remains',
    query: `select reference_transaction as reference, state as reported from transactions where decided_at is null
      union all select t.reference_transaction, 'a cancel is ' || c.state
      from cancels c join transactions t using (merchant_id, transaction_id) where c.decided_at is null`,
  },
] as const;

async function checkDatabase(bench: ChaosBench): Promise<Finding[]> {
  const { query, shops } = bench;
  const findings: Finding[] = [];
  await awaitResolved(bench, '');
  // Merchants of another suite have no system that could be notified.
  const ids = shops.map(({ merchantId }) => merchantId);
  for (const { invariant, query: text } of BROKEN)
    for (const row of await query(text, text.includes('$1') ? [ids] : []))
      findings.push({ invariant, reference: row.reference as string, text: row.reported as string });
  return findings;
}
