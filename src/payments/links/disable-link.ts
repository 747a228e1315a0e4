import { isUuid } from '../../values/ids.ts';
import type { Link } from './link.ts';
import { disableLinkRow, findLink } from './links.sql.ts';
import { type PayLinkByPixTools, takePixAway } from './pay-link-by-pix.ts';

export type DisableLinkResult = Link | 'paid' | 'paying';

/** A Pix that waits for its payer is taken away first. Null: no such link. */
export async function disableLink(
  tools: PayLinkByPixTools,
  { merchantId, id, reason }: { readonly merchantId: string; readonly id: string; readonly reason: string },
  deadlineAt: number,
): Promise<DisableLinkResult | null> {
  if (!isUuid(id)) return null;
  const key = { merchantId, linkId: id.toLowerCase() };
  const disable = () => disableLinkRow(tools.database, key, reason);
  const find = () => findLink(tools.database, key);
  let link = (await disable()) ?? (await find());
  if (link?.state === 'paying' && link.tryMethod === 'pix') {
    await takePixAway(tools, link, deadlineAt);
    link = (await disable()) ?? (await find());
  }
  if (link === null || link.state === 'disabled') return link;
  return link.state === 'paid' ? 'paid' : 'paying';
}
