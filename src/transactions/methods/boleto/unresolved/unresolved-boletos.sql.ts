import { MOST_COUNTED_OF_ALL } from '../../../../platform/pages.ts';
import { type Reader, statement } from '../../../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../../../platform/postgres/row-codec.ts';
import { fromStates } from '../../../../platform/postgres/state-table.ts';
import { requestQueue } from '../../../requests/request-queue.sql.ts';
import { COUNTED, type Counted, countedOfAll } from '../../../unresolved/counted.sql.ts';
import { BOLETO_MOVES } from '../boleto.ts';
import { BOLETO, parseBoleto } from '../boletos.sql.ts';

export const BOLETO_REQUESTS = requestQueue(
  {
    table: 'boletos',
    alias: 'b',
    key: 'boleto_id',
    open: fromStates(BOLETO_MOVES, 'issue', 'keepIssued'),
    claimed: `unknown_since = coalesce(b.unknown_since, now()),
     unknown_reason = coalesce(b.unknown_reason, 'the bank is to be asked')`,
    postponed: ', unknown_since = coalesce(unknown_since, now())',
    overdue: 'unknown_reason is not null',
    columns: BOLETO.columns,
  },
  parseBoleto,
);

/** A boleto that waits for its first answer is not unresolved yet. */
const IS_UNRESOLVED = 'b.due_at is not null and (b.unknown_reason is not null or b.due_at <= now())';
const SINCE = 'coalesce(b.unknown_since, b.created_at)';

const UNRESOLVED = rowCodec(
  {
    merchantId: column.text(),
    boletoId: column.text(),
    state: column.oneOf(['issuing', 'canceling', 'changing'] as const),
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

export async function listUnresolvedBoletos(
  database: Reader,
  { merchantId, olderThanMinutes }: { readonly merchantId: string | null; readonly olderThanMinutes: number },
  limit: number,
  order: 'age' | 'money' = 'age',
): Promise<UnresolvedBoleto[]> {
  const values = [merchantId, olderThanMinutes, limit, order === 'money', MOST_COUNTED_OF_ALL];
  return (await database.query(LIST, values)).map(UNRESOLVED.parse);
}

const COUNT = statement(
  'boletos.count_unresolved',
  `select ${COUNTED.columns}
   from (select ${SINCE} as since, b.tries, b.bank as provider from boletos b where ${IS_UNRESOLVED} order by b.due_at limit $1) as unanswered
   group by unanswered.provider`,
);

export async function countUnresolvedBoletos(database: Reader): Promise<Counted> {
  return countedOfAll((await database.query(COUNT, [MOST_COUNTED_OF_ALL])).map(COUNTED.parse));
}
