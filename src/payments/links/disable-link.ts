import type { BusinessClock } from '../../platform/business-clock.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { isUuid } from '../../values/ids.ts';
import type { Link } from './link.ts';
import { disableLinkRow, findLink } from './links.sql.ts';

export type DisableLinkTools = { readonly database: Database; readonly clock: BusinessClock };

export type DisableLinkResult = Link | 'paid' | 'paying';

/** Null: no such link. */
export async function disableLink(
  { database, clock }: DisableLinkTools,
  merchantId: string,
  id: string,
  reason: string,
): Promise<DisableLinkResult | null> {
  if (!isUuid(id)) return null;
  const key = { merchantId, linkId: id.toLowerCase() };
  const disabled = await disableLinkRow(database, key, reason, clock.now(merchantId));
  const link = disabled ?? (await findLink(database, key));
  if (link === null || link.state === 'disabled') return link;
  return link.state === 'paid' ? 'paid' : 'paying';
}
