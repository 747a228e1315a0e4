import { type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { ENDPOINT_STATES } from './webhook-endpoint.ts';

const LATEST_ENDPOINT = rowCodec({ merchantId: column.text(), url: column.text() });

const LATEST = statement(
  'webhooks.list_latest_endpoints',
  `select ${LATEST_ENDPOINT.columns} from webhook_endpoints where url is not null and state <> 'removed'
   order by changed_at desc limit $1`,
);

/** Over all merchants: for the operator who looks whether this machine gets out. */
export async function listLatestEndpoints(
  database: Reader,
  limit: number,
): Promise<RowOf<typeof LATEST_ENDPOINT>[]> {
  return (await database.query(LATEST, [limit])).map(LATEST_ENDPOINT.parse);
}

/** Along deliveries_waiting from its end, where those stand that were tried; their tries by their keys. */
const MOST_LOOKED_AT = 100;

const LISTED = rowCodec(
  {
    merchantId: column.text(),
    /** `account:2000001`, or `origin:https://…` of callbacks. */
    endpoint: column.text(),
    /** Null: callbacks bring their own. */
    url: column.nullable(column.text()),
    state: column.oneOf(ENDPOINT_STATES),
    failingSince: column.nullable(column.instant()),
    openedUntil: column.nullable(column.instant()),
    /** Deliveries that are not made yet. */
    waiting: column.whole(`(select count(*)::int from (
       select from deliveries d where d.merchant_id = e.merchant_id and d.endpoint = e.endpoint and d.state = 'waiting' limit $2
     ) w)`),
    /** Of the newest try of those that wait, as the three behind it; null: none failed. */
    triedAt: column.nullable(column.instant('l.tried_at')),
    failure: column.nullable(column.text('l.failure')),
    /** Null: no answer came. */
    status: column.nullable(column.whole('l.status')),
    answer: column.nullable(column.text('l.answer')),
  },
  'e',
);

/** A webhook as the operator sees it. */
export type ListedEndpoint = ReturnType<typeof parse>;

const OF_MERCHANT = statement(
  'webhooks.list_endpoints_of_merchant',
  `select ${LISTED.columns}
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

function parse(row: Row) {
  const { triedAt: at, failure, status, answer, ...listed } = LISTED.parse(row);
  return { ...listed, lastFailure: at === null || failure === null ? null : { at, failure, status, answer } };
}
