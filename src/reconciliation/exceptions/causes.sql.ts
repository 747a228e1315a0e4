import { type Reader, type Row, statement, type Tx } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import { CARD_BRANDS, type CardBrand } from '../../values/card-number.ts';
import { EXCEPTION_MOVES, type ExceptionClass } from './exception.ts';
import { NO_MERCHANT } from './exception-writes.sql.ts';

/** What open exceptions have in common. `rule`: for those about a fee, the rule of the fee table. */
export type ExceptionCause = {
  readonly merchantId: string | null;
  readonly class: ExceptionClass;
  readonly rule: { readonly brand: CardBrand; readonly installmentCount: number } | null;
};

/** The largest. Reads reconciliation_exceptions_of_merchant in its order. */
const OF_CAUSE = `select exception_id, amount, expected, found, transaction_id, installment_number
     from reconciliation_exceptions
     where merchant_id = $1 and state = 'open' and class = $2
     order by abs(amount) desc, opened_at, exception_id limit 5000`;
/**
 * The amount that the fee was judged on: what was due (refunds after the payout do not change it) or the
 * whole sale. null: a part that only the file's lines tell.
 */
const JUDGED_GROSS = `case
       when e.expected = w.expected_fee::text and (w.expected_fee > 0 or w.due = w.gross) then nullif(w.due, 0)
       when e.expected = round(w.expected_fee::numeric * w.gross / nullif(w.due, 0))::text and w.expected_fee > 0 then w.gross
     end`;
/** For exceptions about fees. Reads receivables by key. */
const OF_RULES = `all_of_cause e join lateral (
     select brand, installment_count, ${JUDGED_GROSS} as gross
     from (
       select *, expected_fee + expected_net as due from receivables
       where merchant_id = $1 and transaction_id = e.transaction_id and installment_number = e.installment_number limit 1
     ) w
   ) r on e.expected ~ '^-?[0-9]{1,15}$' and e.found ~ '^-?[0-9]{1,15}$'`;

/** What the page shows, and what a resolution must still find: a digest of each row. */
const SUM = rowCodec({
  count: column.whole('count(*)::integer'),
  missing: column.whole('coalesce(sum(e.amount) filter (where e.amount > 0), 0)::bigint'),
  surplus: column.whole('coalesce(sum(-e.amount) filter (where e.amount < 0), 0)::bigint'),
  digest: column.text(`encode(sha256(convert_to(coalesce(string_agg(
       concat_ws(' ', e.exception_id, e.amount, coalesce(e.expected, '-'), coalesce(e.found, '-')),
       chr(10) order by e.exception_id), ''), 'UTF8')), 'hex')`),
});

export type CauseSum = RowOf<typeof SUM>;

const SUM_CAUSE = statement(
  'reconciliation_exceptions.sum_cause',
  `select ${SUM.columns} from (${OF_CAUSE}) e`,
);

export async function sumCause(reader: Reader, cause: Omit<ExceptionCause, 'rule'>): Promise<CauseSum> {
  const values = [cause.merchantId ?? NO_MERCHANT, cause.class];
  const [row] = (await reader.query(SUM_CAUSE, values)) as [Row];
  return SUM.parse(row);
}

const IS_KNOWN = 'filter (where r.gross is not null)';
const EXPECTED_PORTION = `round(sum(e.expected::bigint) ${IS_KNOWN} * 10000.0 / nullif(sum(r.gross), 0))::integer`;
const FOUND_PORTION = `round(sum(e.found::bigint) ${IS_KNOWN} * 10000.0 / nullif(sum(r.gross), 0))::integer`;
const OWN_PORTION = 'round(e.found::bigint * 10000.0 / r.gross)::integer';
/** Each is rounded by as many cents as its sale has installments (`roundingOfFee`). */
const IS_ONE_PORTION = `bool_and(r.gross is not null)
     and ${FOUND_PORTION} between max((e.found::bigint - r.installment_count) * 10000.0 / r.gross)
       and min((e.found::bigint + r.installment_count) * 10000.0 / r.gross)`;

const RULE = rowCodec({
  brand: column.oneOf(CARD_BRANDS, 'r.brand'),
  installmentCount: column.whole('r.installment_count'),
  ...SUM.fields,
  /** True if there are more exceptions than were read. */
  isCut: column.boolean('(select count(*) from all_of_cause) >= 5000'),
  /** Hundredths of a percent, over all exceptions together: single ones are rounded to cents. */
  expectedPortion: column.nullable(column.whole(EXPECTED_PORTION)),
  foundPortion: column.nullable(column.whole(FOUND_PORTION)),
  /** Of single exceptions. */
  lowestPortion: column.nullable(column.whole(`min(${OWN_PORTION})`)),
  highestPortion: column.nullable(column.whole(`max(${OWN_PORTION})`)),
  /** Whether `foundPortion` explains each of them, within its rounding. */
  isOnePortion: column.boolean(`coalesce(${IS_ONE_PORTION}, false)`),
});

export type CauseOfRule = RowOf<typeof RULE>;

const LIST_RULES = statement(
  'reconciliation_exceptions.list_rules',
  `with all_of_cause as materialized (${OF_CAUSE})
   select ${RULE.columns} from ${OF_RULES}
   group by r.brand, r.installment_count order by sum(abs(e.amount)) desc, r.brand, r.installment_count limit $3`,
);

/** Open exceptions about a fee, by the fee's rule; the most money first. */
export async function listRulesOfExceptions(
  reader: Reader,
  merchantId: string,
  limit: number,
): Promise<CauseOfRule[]> {
  const name: ExceptionClass = 'feeDiffers';
  return (await reader.query(LIST_RULES, [merchantId, name, limit])).map(RULE.parse);
}

const FOUND = rowCodec({ exceptionId: column.text() }, 'e');
const LIST_CAUSE = statement(
  'reconciliation_exceptions.list_cause',
  `select ${FOUND.columns} from (${OF_CAUSE}) e`,
);
const LIST_RULE = statement(
  'reconciliation_exceptions.list_rule',
  `with all_of_cause as materialized (${OF_CAUSE})
   select ${FOUND.columns} from ${OF_RULES} where r.brand = $3 and r.installment_count = $4::integer`,
);
/** Does not wait for locks: a row that is being written is no longer as it was seen. */
const HOLD_CAUSE = statement(
  'reconciliation_exceptions.hold_cause',
  `with e as materialized (
     select exception_id, amount, expected, found from reconciliation_exceptions
     where merchant_id = $1 and exception_id = any ($2::uuid[]) and state = 'open' and class = $3
     for no key update skip locked
   ) select ${SUM.columns} from e`,
);
const RESOLVE_CAUSE = statement(
  'reconciliation_exceptions.resolve_cause',
  `update reconciliation_exceptions set state = 'resolved', ended_at = now(), due_at = null, resolved_by = $3, reason = $4
   where merchant_id = $1 and exception_id = any ($2::uuid[]) and state in (${fromStates(EXCEPTION_MOVES, 'resolve')})`,
);

/** null: the exceptions are not exactly those that were seen; nothing is written. */
export async function recordCauseResolution(
  tx: Tx,
  { merchantId: owner, class: name, rule }: ExceptionCause,
  seen: Pick<CauseSum, 'digest'>,
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<CauseSum | null> {
  const merchantId = owner ?? NO_MERCHANT;
  const found =
    rule === null
      ? await tx.query(LIST_CAUSE, [merchantId, name])
      : await tx.query(LIST_RULE, [merchantId, name, rule.brand, rule.installmentCount]);
  const ids = found.map(FOUND.parse).map(({ exceptionId }) => exceptionId);
  const [row] = (await tx.query(HOLD_CAUSE, [merchantId, ids, name])) as [Row];
  const held = SUM.parse(row);
  if (held.count === 0 || held.count !== ids.length || held.digest !== seen.digest) return null;
  await tx.query(RESOLVE_CAUSE, [merchantId, ids, by, reason]);
  return held;
}
