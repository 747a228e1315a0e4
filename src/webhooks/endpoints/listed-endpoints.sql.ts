import { type Reader, statement } from '../../platform/postgres/database.ts';

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
