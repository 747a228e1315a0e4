import { setTimeout as pause } from 'node:timers/promises';
import { instant, saoPauloDay } from '../../src/values/instant.ts';
import type { Auditor, Service } from '../../test/kit/service.ts';

const LOOK_MILLISECONDS = 200;
/** A machine that is busy with other things may take long; nothing here hangs for ever. */
const LONGEST_MILLISECONDS = 4 * 3_600_000;
/**
 * Charges that the acquirer approved since this process started, as it counts them itself: the
 * database is not asked.
 */
export async function countApproved(service: Service): Promise<number> {
  const lines = (await (await fetch(service.metricsUrl)).text()).split('\n');
  return lines
    .filter((line) => line.startsWith('parcela_authorizations_total') && line.includes('"approved"'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/**
 * Until the service has had so many approved, looking again and again (`look` is called with how
 * many); then until nothing is due any more.
 */
export async function untilCharged(
  service: Service,
  auditor: Auditor,
  approved: number,
  look: (approved: number) => Promise<void> = async () => {},
): Promise<void> {
  const endsAt = performance.now() + LONGEST_MILLISECONDS;
  for (;;) {
    const count = await countApproved(service);
    await look(count);
    if (count >= approved) break;
    if (performance.now() > endsAt) throw new Error(`only ${count} of ${approved} were charged`);
    await pause(LOOK_MILLISECONDS);
  }
  await untilNothingIsDue(auditor);
}

const IS_DUE = `select exists (select from billings where state = 'opened' and charge_on <= $1::date) as is_due`;
const COUNT_DUE = `select count(*)::int as count from billings where state = 'opened' and charge_on <= $1::date`;

export async function countDue(auditor: Auditor): Promise<number> {
  const [row] = await auditor.query(COUNT_DUE, [saoPauloDay(instant(Date.now()))]);
  return row?.count as number;
}

export async function untilNothingIsDue(auditor: Auditor): Promise<void> {
  const endsAt = performance.now() + LONGEST_MILLISECONDS;
  for (;;) {
    const [row] = await auditor.query(IS_DUE, [saoPauloDay(instant(Date.now()))]);
    if (row?.is_due === false) return;
    if (performance.now() > endsAt) throw new Error('something is still due');
    await pause(LOOK_MILLISECONDS);
  }
}

/** What was charged since `since`, by the database's clock, from the first intent to the last outcome. */
export type Charged = { readonly count: number; readonly seconds: number };

const CHARGED = `select count(*)::int as count, count(*) filter (where state <> 'approved')::int as others,
    count(distinct reference_transaction)::int as billings,
    extract(epoch from max(decided_at) - min(created_at))::float8 as seconds
  from transactions
  where origin = 'billing' and merchant_id = any($1) and created_at >= to_timestamp($2::float8 / 1000)`;

/**
 * Throws when a charge is not approved, or a billing was charged twice: then nothing was measured
 * that counts.
 */
export async function readCharged(
  auditor: Auditor,
  merchantIds: readonly string[],
  since: number,
): Promise<Charged> {
  const [row] = await auditor.query(CHARGED, [merchantIds, since]);
  const { count, others, billings, seconds } = row as Charged & { others: number; billings: number };
  if (others > 0 || billings !== count)
    throw new Error(`of ${count} charges of ${billings} billings ${others} were not approved`);
  return { count, seconds };
}
