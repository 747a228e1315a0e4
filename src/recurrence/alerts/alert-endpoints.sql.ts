import type { WantedPage } from '../../platform/pages.ts';
import type { Reader, Row } from '../../platform/postgres/database.ts';
import { pageOf, readPageOf } from '../../platform/postgres/page-of.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { searchText } from '../plans/plan.ts';
import { STAMPS, stamped } from '../plans/plans.sql.ts';
import { ALERT_EVENTS } from './alert.ts';
import { ALERT_ENDPOINT_STATES, type AlertEndpointState } from './alert-endpoint.ts';

const ALERT_ENDPOINT = rowCodec(
  {
    merchantId: column.text(),
    alertEndpointId: column.text(),
    name: column.text(),
    description: column.text(),
    url: column.text(),
    events: column.listOf(column.oneOf(ALERT_EVENTS)),
    state: column.oneOf(ALERT_ENDPOINT_STATES),
    ...STAMPS.fields,
  },
  'n',
);

export type AlertEndpoint = ReturnType<typeof parse>;

const parse = (row: Row) => stamped(ALERT_ENDPOINT.parse(row));

/** Matching endpoints of a merchant with their sort keys. They are few enough to sort. */
const FOUND = `found as materialized (
     select n.alert_endpoint_id,
       case $6
         when 'name' then n.search_name when 'description' then n.description when 'callbackUrl'
           then n.url
         when 'state' then n.state when 'createdBy' then n.created_by when 'modifiedBy' then n.modified_by
       end collate "C" as text_key,
       case $6 when 'createdAt' then n.created_at when 'modifiedAt' then n.modified_at end as time_key
     from webhook_endpoints n
     where n.merchant_id = $1 and n.kind = 'alerts' and n.state = any ($4::text[]) and strpos(n.search_name, $5) > 0
   )`;

/** Nulls come last in both directions. */
const LIST = pageOf({
  name: 'notifiers.list',
  before: `${FOUND}, counted as (select count(*) as total from found)`,
  keys: 'select * from found',
  key: 'alert_endpoint_id',
  order: ['text_key nulls last', 'time_key nulls last', 'alert_endpoint_id'],
  shown: `${ALERT_ENDPOINT.columns} from page g cross join lateral (
       select * from webhook_endpoints
       where merchant_id = $1 and endpoint = 'alerts:' || g.alert_endpoint_id limit 1
     ) n`,
});

/** `name` matches any part; `state` null: all states. */
export async function listAlertEndpointPage(
  database: Reader,
  merchantId: string,
  { name, state }: { readonly name: string; readonly state: AlertEndpointState | null },
  wanted: WantedPage<string>,
) {
  const values = [state === null ? ALERT_ENDPOINT_STATES : [state], searchText(name), wanted.order.field];
  const { rows, total } = await readPageOf(database, LIST, merchantId, wanted, values);
  return { items: rows.map(parse), total };
}
