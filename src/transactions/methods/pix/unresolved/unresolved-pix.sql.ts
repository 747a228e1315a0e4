import { MOST_COUNTED_OF_ALL } from '../../../../platform/pages.ts';
import { type Reader, statement } from '../../../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../../../platform/postgres/row-codec.ts';
import { fromStates } from '../../../../platform/postgres/state-table.ts';
import { requestQueue } from '../../../requests/request-queue.sql.ts';
import { COUNTED, type Counted, countedOfAll } from '../../../unresolved/counted.sql.ts';
import { PIX_MOVES } from '../pix.ts';
import { PIX, parsePix } from '../pix-charges.sql.ts';

export const PIX_REQUESTS = requestQueue(
  {
    table: 'pix_charges',
    alias: 'p',
    key: 'pix_id',
    open: fromStates(PIX_MOVES, 'issue', 'keep'),
    claimed: `unknown_since = coalesce(p.unknown_since, now()),
     unknown_reason = coalesce(p.unknown_reason, 'the bank is to be asked')`,
    postponed: ', unknown_since = coalesce(unknown_since, now())',
    overdue: 'unknown_reason is not null',
    columns: PIX.columns,
  },
  parsePix,
);

const UNRESOLVED = rowCodec(
  {
    merchantId: column.text(),
    pixId: column.text(),
    kind: column.oneOf(['pix', 'pixRemoval', 'pixRefund']),
    txid: column.text(),
    amount: column.money(),
    since: column.instant(),
    tries: column.whole(),
    reason: column.text(),
    dueAt: column.instant(),
  },
  'u',
);

/** A charge or refund about which the bank has given no clear answer. All times are real. */
export type UnresolvedPix = RowOf<typeof UNRESOLVED>;

const ENDED = "'the process that asked did not finish'";

/** What waits for its first answer is not unresolved yet, nor is a refund that the bank is carrying out. */
const ALL = `(
     (select p.merchant_id, p.pix_id, case p.state when 'issuing' then 'pix' else 'pixRemoval' end as kind, p.txid, p.amount,
        coalesce(p.unknown_since, p.created_at) as since, p.tries, coalesce(p.unknown_reason, ${ENDED}) as reason, p.due_at, p.bank as provider
      from pix_charges p where p.due_at is not null and (p.unknown_reason is not null or p.due_at <= now())
      order by p.due_at limit $1)
     union all
     (select f.merchant_id, f.pix_id, 'pixRefund', replace(f.refund_id::text, '-', ''), f.amount, f.created_at, f.tries,
        coalesce(f.unknown_reason, ${ENDED}), f.due_at,
        (select p.bank from pix_charges p where p.merchant_id = f.merchant_id and p.pix_id = f.pix_id)
      from pix_refunds f where f.due_at is not null and f.state = 'refunding' and (f.unknown_reason is not null or f.due_at <= now())
      order by f.due_at limit $1)
   )`;

const LIST = statement(
  'pix_charges.list_unresolved',
  `select ${UNRESOLVED.columns} from ${ALL} u
   where u.since <= now() - $3 * interval '1 minute' and ($2::text is null or u.merchant_id = $2)
   order by case when $5::boolean then -u.amount end, u.since, u.pix_id limit $4`,
);

export async function listUnresolvedPix(
  database: Reader,
  { merchantId, olderThanMinutes }: { readonly merchantId: string | null; readonly olderThanMinutes: number },
  limit: number,
  order: 'age' | 'money' = 'age',
): Promise<UnresolvedPix[]> {
  const values = [MOST_COUNTED_OF_ALL, merchantId, olderThanMinutes, limit, order === 'money'];
  return (await database.query(LIST, values)).map(UNRESOLVED.parse);
}

const COUNT = statement(
  'pix_charges.count_unresolved',
  `select ${COUNTED.columns} from ${ALL} unanswered group by unanswered.provider`,
);

export async function countUnresolvedPix(database: Reader): Promise<Counted> {
  return countedOfAll((await database.query(COUNT, [MOST_COUNTED_OF_ALL])).map(COUNTED.parse));
}
