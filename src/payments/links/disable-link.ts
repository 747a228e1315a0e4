import { isUuid } from '../../values/ids.ts';
import { findTryOutcome } from './find-try-outcome.ts';
import type { Link } from './link.ts';
import { disableLinkRow, dropLinkRow, findLink } from './links.sql.ts';
import { finishQuietly } from './pay-link.ts';
import { type PayLinkByBillTools, removeBillOfTry } from './pay-link-by-bill.ts';

/** `kept`: the bank does not take the bill away. */
export type DisableLinkResult = Link | 'paid' | 'paying' | 'kept';

/** A bill that waits for its payer is taken away first. Null: no such link. */
export async function disableLink(
  tools: PayLinkByBillTools,
  { merchantId, id, reason }: { readonly merchantId: string; readonly id: string; readonly reason: string },
  deadlineAt: number,
): Promise<DisableLinkResult | null> {
  if (!isUuid(id)) return null;
  const key = { merchantId, linkId: id.toLowerCase() };
  await seeWhatCame(tools, await findLink(tools.database, key));
  const disabled = await disableLinkRow(tools.database, key, reason);
  const found = disabled ?? (await findLink(tools.database, key));
  const isOfBill = found?.state === 'paying' && found.tryMethod !== 'card';
  const link = isOfBill ? await dropLink(tools, found, reason, deadlineAt) : found;
  if (link === null || link === 'kept' || link.state === 'disabled') return link;
  return link.state === 'paid' ? 'paid' : 'paying';
}

/** Money that came for an ended bill ends an open link otherwise. */
async function seeWhatCame(tools: PayLinkByBillTools, link: Link | null): Promise<void> {
  if (link?.state === 'open') await finishQuietly(tools, link, await findTryOutcome(tools, link));
}

/** In one step: between the end of the bill and of the link nobody else begins a try. */
async function dropLink(
  tools: PayLinkByBillTools,
  link: Link,
  reason: string,
  deadlineAt: number,
): Promise<Link | 'kept' | null> {
  const removal = await removeBillOfTry(tools, link, deadlineAt);
  const outcome = await findTryOutcome(tools, link);
  if (outcome.kind === 'failed') {
    const dropped = await dropLinkRow(tools.database, link, reason);
    if (dropped !== null) return dropped;
  } else await finishQuietly(tools, link, outcome);
  if (outcome.kind === 'underWay' && removal === 'keptByBank') return 'kept';
  return findLink(tools.database, link);
}
