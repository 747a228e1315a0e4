import { MOST_COUNTED_OF_ALL } from '../../platform/pages.ts';
import { type Reader, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';

export const UNANSWERED_KINDS = ['pixAuthorization', 'pixCollection'] as const;
export type UnansweredKind = (typeof UNANSWERED_KINDS)[number];

const UNANSWERED = rowCodec(
  {
    merchantId: column.text(),
    /** Id of the subscription, or of the billing. */
    id: column.text(),
    kind: column.oneOf(UNANSWERED_KINDS),
    amount: column.money(),
    since: column.instant(),
    tries: column.whole(),
    reason: column.text(),
    dueAt: column.instant(),
  },
  'u',
);

/** An authorization or a charge about which the bank gives no clear answer. `dueAt` is business time. */
export type Unanswered = RowOf<typeof UNANSWERED>;

const ALL = `(
     (select a.merchant_id, a.subscription_id as id, 'pixAuthorization' as kind,
        (select round(s.amount * 100)::bigint from subscriptions s
         where s.merchant_id = a.merchant_id and s.subscription_id = a.subscription_id) as amount,
        a.unknown_since as since, a.tries, coalesce(a.unknown_reason, '') as reason, a.look_at as due_at
      from pix_authorizations a where a.unknown_since is not null order by a.unknown_since limit $1)
     union all
     (select c.merchant_id, c.billing_id, 'pixCollection', c.amount, c.unknown_since, c.tries, coalesce(c.unknown_reason, ''),
        c.look_at
      from pix_collections c where c.unknown_since is not null order by c.unknown_since limit $1)
   )`;

const LIST = statement(
  'pix_authorizations.list_unanswered',
  `select ${UNANSWERED.columns} from ${ALL} u
   where u.since <= now() - $3 * interval '1 minute' and ($2::text is null or u.merchant_id = $2) and u.kind = any($6::text[])
   order by case when $5::boolean then -u.amount end, u.since, u.id limit $4`,
);

export async function listUnanswered(
  database: Reader,
  {
    merchantId,
    olderThanMinutes,
    kinds = UNANSWERED_KINDS,
  }: {
    readonly merchantId: string | null;
    readonly olderThanMinutes: number;
    readonly kinds?: readonly UnansweredKind[];
  },
  limit: number,
  order: 'age' | 'money' = 'age',
): Promise<Unanswered[]> {
  const values = [MOST_COUNTED_OF_ALL, merchantId, olderThanMinutes, limit, order === 'money', kinds];
  return (await database.query(LIST, values)).map(UNANSWERED.parse);
}

const COUNTED = rowCodec({
  kind: column.oneOf(UNANSWERED_KINDS, 'k.kind'),
  count: column.whole('count(u.kind)'),
  /** Seconds; 0 if there is none. */
  oldestAge: column.real('coalesce(extract(epoch from now() - min(u.since)), 0)::float8'),
  mostTries: column.whole('coalesce(max(u.tries), 0)'),
});

export type UnansweredCount = RowOf<typeof COUNTED>;

const COUNT = statement(
  'pix_authorizations.count_unanswered',
  `select ${COUNTED.columns} from unnest($2::text[]) k (kind) left join ${ALL} u on u.kind = k.kind group by k.kind`,
);

export async function countUnanswered(database: Reader): Promise<UnansweredCount[]> {
  return (await database.query(COUNT, [MOST_COUNTED_OF_ALL, UNANSWERED_KINDS])).map(COUNTED.parse);
}
