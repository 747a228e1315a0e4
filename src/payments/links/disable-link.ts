import type { Database } from '../../platform/postgres/database.ts';
import { isUuid } from '../../values/ids.ts';
import type { Link } from './link.ts';
import { disableLinkRow, findLink } from './links.sql.ts';

export type DisableLinkTools = { readonly database: Database };

export type DisableLinkResult = Link | 'paid' | 'paying';

/** Null: no such link. */
export async function disableLink(
  { database }: DisableLinkTools,
  merchantId: string,
  id: string,
  reason: string,
): Promise<DisableLinkResult | null> {
  if (!isUuid(id)) return null;
  const key = { merchantId, linkId: id.toLowerCase() };
  const disabled = await disableLinkRow(database, key, reason);
  const link = disabled ?? (await findLink(database, key));
  if (link === null || link.state === 'disabled') return link;
  return link.state === 'paid' ? 'paid' : 'paying';
}
