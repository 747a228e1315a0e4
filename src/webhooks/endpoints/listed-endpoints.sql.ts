import { type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import type { Instant } from '../../values/instant.ts';

/** A webhook as the operator sees it. */
export type ListedEndpoint = {
  readonly merchantId: string;
  /** `account:2000001`, or `origin:https://…` of callbacks. */
  readonly endpoint: string;
  /** Null: callbacks bring their own. */
  readonly url: string | null;
  readonly state: string;
  readonly failingSince: Instant | null;
  readonly openedUntil: Instant | null;
  /** Deliveries that are not made yet. */
  readonly waiting: number;
  /** Of the newest try of those that wait; null: none failed. */
  readonly lastFailure: {
    readonly at: Instant;
    readonly failure: string;
    /** Null: no answer came. */
    readonly status: number | null;
    readonly answer: string | null;
  } | null;
};

const LATEST = statement(
  'webhooks.list_latest_endpoints',
  `select merchant_id, url from webhook_endpoints where url is not null and state <> 'removed'
   order by changed_at desc limit $1`,
);

/** Over all merchants: for the operator who looks whether this machine gets out. */
export async function listLatestEndpoints(
  database: Reader,
  limit: number,
): Promise<{ readonly merchantId: string; readonly url: string }[]> {
  const rows = await database.query(LATEST, [limit]);
  return rows.map((row) => ({ merchantId: row.merchant_id as string, url: row.url as string }));
}

/** Along deliveries_waiting from its end, where those stand that were tried; their tries by their keys. */
const MOST_LOOKED_AT = 100;

const OF_MERCHANT = statement(
  'webhooks.list_endpoints_of_merchant',
  `select e.merchant_id, e.endpoint, e.url, e.state, e.failing_since, e.opened_until,
     (select count(*)::int from (
       select from deliveries d where d.merchant_id = e.merchant_id and d.endpoint = e.endpoint and d.state = 'waiting' limit $2
     ) w) as waiting, l.tried_at, l.failure, l.status, l.answer
   from webhook_endpoints e left join lateral (
     select t.* from (
       select delivery_number from deliveries d where d.merchant_id = e.merchant_id and d.endpoint = e.endpoint
         and d.state = 'waiting' and d.tries > 0 order by d.due_at desc limit $4
     ) d cross join lateral (
       select tried_at, failure, status, answer from delivery_tries
       where merchant_id = e.merchant_id and delivery_number = d.delivery_number and failure is not null
       order by try_number desc limit 1
     ) t order by t.tried_at desc limit 1
   ) l on true
   where e.merchant_id = $1 and e.state <> 'removed' order by e.endpoint limit $3`,
);

/** `mostCounted`: a backlog is counted up to so many. */
export async function listEndpointsOf(
  database: Reader,
  merchantId: string,
  { mostCounted, limit }: { readonly mostCounted: number; readonly limit: number },
): Promise<ListedEndpoint[]> {
  return (await database.query(OF_MERCHANT, [merchantId, mostCounted, limit, MOST_LOOKED_AT])).map(parse);
}

function parse(row: Row): ListedEndpoint {
  return {
    merchantId: row.merchant_id as string,
    endpoint: row.endpoint as string,
    url: row.url as string | null,
    state: row.state as string,
    failingSince: row.failing_since as Instant | null,
    openedUntil: row.opened_until as Instant | null,
    waiting: row.waiting as number,
    lastFailure:
      row.failure === null
        ? null
        : {
            at: row.tried_at as Instant,
            failure: row.failure as string,
            status: row.status as number | null,
            answer: row.answer as string | null,
          },
  };
}
