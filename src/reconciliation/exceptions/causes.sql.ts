import { type Reader, type Row, statement, type Tx } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import { CARD_BRANDS, type CardBrand } from '../../values/card-number.ts';
import { EXCEPTION_MOVES, type ExceptionClass } from './exception.ts';
import { NO_MERCHANT } from './exception-writes.sql.ts';

/** What open exceptions have alike. `rule`: of those about a fee, whose rule. */
export type ExceptionCause = {
  readonly merchantId: string | null;
  readonly class: ExceptionClass;
  readonly rule: { readonly brand: CardBrand; readonly installmentCount: number } | null;
};

/** The largest. Reads reconciliation_exceptions_of_merchant in its order, and receivables by key. */
const OF_CAUSE = `(
     select exception_id, amount, expected, found, transaction_id, installment_number from reconciliation_exceptions
     where merchant_id = $1 and state = 'open' and class = $2
     order by abs(amount) desc, opened_at, exception_id limit 5000
   ) e left join lateral (
     select brand, installment_count, gross - canceled as gross from receivables
     where merchant_id = $1 and transaction_id = e.transaction_id and installment_number = e.installment_number limit 1
   ) r on true`;
const IS_OF_RULE = '($3::text is null or (r.brand = $3 and r.installment_count = $4::integer))';

const SUM = rowCodec({
  count: column.whole('count(*)::integer'),
  cents: column.whole('coalesce(sum(abs(e.amount)), 0)::bigint'),
});

export type CauseSum = RowOf<typeof SUM>;

const SUM_CAUSE = statement(
  'reconciliation_exceptions.sum_cause',
  `select ${SUM.columns} from ${OF_CAUSE} where ${IS_OF_RULE}`,
);

const valuesOf = ({ merchantId, class: name, rule }: ExceptionCause) => [
  merchantId ?? NO_MERCHANT,
  name,
  rule?.brand ?? null,
  rule?.installmentCount ?? null,
];

export async function sumCause(reader: Reader, cause: ExceptionCause): Promise<CauseSum> {
  const [row] = (await reader.query(SUM_CAUSE, valuesOf(cause))) as [Row];
  return SUM.parse(row);
}

const RULE = rowCodec({
  brand: column.oneOf(CARD_BRANDS, 'r.brand'),
  installmentCount: column.whole('r.installment_count'),
  count: column.whole('count(*)::integer'),
  cents: column.whole('sum(abs(e.amount))::bigint'),
  /** Hundredths of a percent, of all of them together: single ones are rounded to cents. */
  expectedPortion: column.nullable(
    column.whole('round(sum(e.expected::bigint) * 10000 / nullif(sum(r.gross), 0))::integer'),
  ),
  foundPortion: column.nullable(
    column.whole('round(sum(e.found::bigint) * 10000 / nullif(sum(r.gross), 0))::integer'),
  ),
});

export type CauseOfRule = RowOf<typeof RULE>;

const LIST_RULES = statement(
  'reconciliation_exceptions.list_rules',
  `select ${RULE.columns} from ${OF_CAUSE}
   where r.brand is not null and e.expected ~ '^-?[0-9]{1,15}$' and e.found ~ '^-?[0-9]{1,15}$'
   group by r.brand, r.installment_count order by sum(abs(e.amount)) desc, r.brand, r.installment_count limit $3`,
);

/** Open exceptions about a fee, by the rule of the fees that they are about; the most money first. */
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
  `select ${FOUND.columns} from ${OF_CAUSE} where ${IS_OF_RULE}`,
);
const HELD = rowCodec({ exceptionId: column.text(), amount: column.whole() });
/** Waits for nobody: what another one is writing is not as it was seen. */
const HOLD_CAUSE = statement(
  'reconciliation_exceptions.hold_cause',
  `select ${HELD.columns} from reconciliation_exceptions
   where merchant_id = $1 and exception_id = any ($2::uuid[]) and state = 'open'
   for no key update skip locked`,
);
const RESOLVE_CAUSE = statement(
  'reconciliation_exceptions.resolve_cause',
  `update reconciliation_exceptions set state = 'resolved', ended_at = now(), due_at = null, resolved_by = $3, reason = $4
   where merchant_id = $1 and exception_id = any ($2::uuid[]) and state in (${fromStates(EXCEPTION_MOVES, 'resolve')})`,
);

/** False, and nothing is written: they are not those that were seen. */
export async function recordCauseResolution(
  tx: Tx,
  cause: ExceptionCause,
  seen: CauseSum,
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<boolean> {
  const merchantId = cause.merchantId ?? NO_MERCHANT;
  const found = (await tx.query(LIST_CAUSE, valuesOf(cause))).map(FOUND.parse);
  const ids = found.map(({ exceptionId }) => exceptionId);
  const held = (await tx.query(HOLD_CAUSE, [merchantId, ids])).map(HELD.parse);
  const cents = held.reduce((sum, { amount }) => sum + Math.abs(amount), 0);
  if (held.length === 0 || held.length !== seen.count || cents !== seen.cents) return false;
  await tx.query(RESOLVE_CAUSE, [merchantId, held.map(({ exceptionId }) => exceptionId), by, reason]);
  return true;
}
