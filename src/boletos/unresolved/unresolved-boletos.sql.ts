import { MOST_COUNTED_OF_ALL } from '../../platform/pages.ts';
import { type Database, type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import { CHOSEN_IN_TURNS, fairClaimValues, IS_NOT_PASSED_OVER } from '../../platform/work/fair-claim.sql.ts';
import type { FairClaim } from '../../platform/work/fair-claim.ts';
import type { Postponement } from '../../transactions/transaction.ts';
import { BOLETO_MOVES, type Boleto, type BoletoKey } from '../boleto.ts';
import { BOLETO, parseBoleto } from '../boletos.sql.ts';

const CLAIM = statement(
  'boletos.claim_unresolved',
  `with due as (
     select merchant_id, boleto_id, due_at from boletos where due_at <= now() and ${IS_NOT_PASSED_OVER}
     order by due_at limit $1 for no key update skip locked
   ), ${CHOSEN_IN_TURNS}
   update boletos b set fence = b.fence + 1, tries = least(b.tries + 1, 32000),
     due_at = now() + $2 * interval '1 millisecond', unknown_since = coalesce(b.unknown_since, now()),
     unknown_reason = coalesce(b.unknown_reason, 'the bank is to be asked')
   from chosen n where b.merchant_id = n.merchant_id and b.boleto_id = n.boleto_id
   returning ${BOLETO.columns}`,
);

/** Claims boletos of all merchants about which their bank is to be asked, and raises their fence. */
export async function claimUnresolvedBoletos(
  database: Database,
  claim: FairClaim,
  leaseMilliseconds: number,
): Promise<Boleto[]> {
  return (await database.query(CLAIM, fairClaimValues(claim, leaseMilliseconds))).map(parseBoleto);
}

const POSTPONE = statement(
  'boletos.postpone',
  `update boletos set due_at = now() + $4 * interval '1 second', unknown_reason = $5,
     unknown_since = coalesce(unknown_since, now())
   where merchant_id = $1 and boleto_id = $2 and state in (${fromStates(BOLETO_MOVES, 'issue', 'keepIssued')}) and fence = $3`,
);

/**
 * Records that no clear answer came, and when to ask again. Changes nothing when another process has
 * claimed it.
 */
export async function postponeBoleto(
  database: Database,
  { merchantId, boletoId, fence }: BoletoKey & { readonly fence: number },
  { seconds, reason }: Pick<Postponement, 'seconds' | 'reason'>,
): Promise<void> {
  await database.query(POSTPONE, [merchantId, boletoId, fence, seconds, reason]);
}

const PULL_FORWARD = statement(
  'boletos.pull_forward',
  `with waiting as (
     select merchant_id, boleto_id from boletos
     where state in (${fromStates(BOLETO_MOVES, 'issue', 'keepIssued')}) and unknown_reason is not null and due_at > now() + $2 * interval '1 millisecond'
     order by due_at limit $1 for no key update skip locked
   )
   update boletos b set due_at = now()
   from waiting w where b.merchant_id = w.merchant_id and b.boleto_id = w.boleto_id
   returning b.boleto_id`,
);

/** Makes due what waits for longer than a lease, of all merchants; gives how many. */
export async function pullBoletosForward(
  database: Database,
  limit: number,
  leaseMilliseconds: number,
): Promise<number> {
  return (await database.query(PULL_FORWARD, [limit, leaseMilliseconds])).length;
}

/** Null when the bank is to be asked about none of the other merchants' than those passed over (`$1`). */
export const EARLIEST_UNRESOLVED_BOLETO = statement(
  'boletos.earliest_due',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds
   from boletos where due_at is not null and merchant_id <> all($1::text[])`,
);

/** One that waits for its first answer is not unresolved yet. */
const IS_UNRESOLVED = 'b.due_at is not null and (b.unknown_reason is not null or b.due_at <= now())';
const SINCE = 'coalesce(b.unknown_since, b.created_at)';

const UNRESOLVED = rowCodec(
  {
    merchantId: column.text(),
    boletoId: column.text(),
    state: column.oneOf(['issuing', 'canceling']),
    ourNumber: column.text(),
    amount: column.money(),
    since: column.instant(`${SINCE}`),
    tries: column.whole(),
    reason: column.text("coalesce(b.unknown_reason, 'the process that asked did not finish')"),
    dueAt: column.instant(),
  },
  'b',
);

/** A boleto about which the bank has given no clear answer. All times are real. */
export type UnresolvedBoleto = RowOf<typeof UNRESOLVED>;

const LIST = statement(
  'boletos.list_unresolved',
  `select ${UNRESOLVED.columns}
   from (select * from boletos b where ${IS_UNRESOLVED} order by b.due_at limit $5) b
   where ${SINCE} <= now() - $2 * interval '1 minute' and ($1::text is null or b.merchant_id = $1)
   order by case when $4::boolean then -b.amount end, ${SINCE}, b.boleto_id limit $3`,
);

/** Up to `limit`, oldest or largest first; `merchantId` null: of all merchants. */
export async function listUnresolvedBoletos(
  database: Reader,
  { merchantId, olderThanMinutes }: { readonly merchantId: string | null; readonly olderThanMinutes: number },
  limit: number,
  order: 'age' | 'money' = 'age',
): Promise<UnresolvedBoleto[]> {
  const values = [merchantId, olderThanMinutes, limit, order === 'money', MOST_COUNTED_OF_ALL];
  return (await database.query(LIST, values)).map(UNRESOLVED.parse);
}

const COUNTED = rowCodec({
  count: column.whole('count(*)'),
  /** Seconds; 0 when there is none. */
  oldestAge: column.real('coalesce(extract(epoch from now() - min(since)), 0)::float8'),
  mostTries: column.whole('coalesce(max(tries), 0)'),
});

export type UnresolvedBoletoCount = RowOf<typeof COUNTED>;

const COUNT = statement(
  'boletos.count_unresolved',
  `select ${COUNTED.columns}
   from (select ${SINCE} as since, b.tries from boletos b where ${IS_UNRESOLVED} order by b.due_at limit $1) as unanswered`,
);

/** Of all merchants. */
export async function countUnresolvedBoletos(database: Reader): Promise<UnresolvedBoletoCount> {
  const [row] = await database.query(COUNT, [MOST_COUNTED_OF_ALL]);
  return COUNTED.parse(row as Row);
}
