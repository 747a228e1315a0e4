import { type Reader, statement } from '../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../platform/postgres/row-codec.ts';

const LOOK = rowCodec({
  resourceId: column.text(),
  /** Real time. */
  createdAt: column.instant(),
  isDone: column.boolean(),
});

/** A request that brought an `Idempotency-Key`; the key itself is kept nowhere. */
export type KeyedRequestLook = RowOf<typeof LOOK>;

/** Along the index by age: the bounds keep it short. */
const LIST = statement(
  'idempotency.list_of_resources',
  `select ${LOOK.columns} from idempotency_keys
   where created_at >= timestamptz 'epoch' + $3::bigint * interval '1 millisecond'
     and created_at < timestamptz 'epoch' + $4::bigint * interval '1 millisecond'
     and merchant_id = $1 and resource_id = any ($2::uuid[])
   order by created_at limit 100`,
);

/** The requests that made these resources, within a span of real time. */
export async function listKeyedRequests(
  database: Reader,
  merchantId: string,
  resourceIds: readonly string[],
  span: { readonly from: number; readonly to: number },
): Promise<KeyedRequestLook[]> {
  return (await database.query(LIST, [merchantId, resourceIds, span.from, span.to])).map(LOOK.parse);
}
