import { type CancelPixTools, removePix } from '../../transactions/methods/pix/cancel-pix.ts';
import { type IssuePixTools, issuePix } from '../../transactions/methods/pix/issue-pix.ts';
import type { Pix, WantedPix } from '../../transactions/methods/pix/pix.ts';
import type { Instant } from '../../values/instant.ts';
import { findPixOfTry, findTryOutcome, outcomeOfPix, requestOfTry } from './find-try-outcome.ts';
import type { FinishTryTools } from './finish-due-tries.ts';
import type { Link, LinkKey } from './link.ts';
import { beginTry } from './links.sql.ts';
import { endWithout, finishQuietly, type PayLinkResult } from './pay-link.ts';
import { NO_PIX, NOT_ASKED, STILL_CONFIRMING } from './words.ts';

export type PayLinkByPixTools = FinishTryTools & {
  readonly issuing: IssuePixTools;
  readonly canceling: CancelPixTools;
};

/** A buyer who leaves keeps his link to this Pix for so long, unless he takes it away. */
const PIX_SECONDS = 1_800;
/** Shorter ones end before the payer has opened his bank. */
const SHORTEST_SECONDS = 60;
const LONGEST_DESCRIPTION = 140;

/** A Pix is a try as a card is: until it is paid, over or taken away nothing else pays the link. */
export async function payLinkByPix(
  tools: PayLinkByPixTools,
  key: LinkKey,
  deadlineAt: number,
): Promise<PayLinkResult> {
  const { issuing } = tools;
  const now = issuing.clock.now(key.merchantId);
  const link = await beginTry(tools.database, key, 'pix', now);
  if (link === null) return { kind: 'notOpen' };
  const issuer = { ...key, accountNumber: link.accountNumber, userName: link.createdBy };
  const once = await issuePix(issuing, issuer, pixOf(link, now), requestOfTry(link, {}), deadlineAt);
  if (once.kind === 'first') {
    switch (once.result.kind) {
      case 'made':
        break;
      case 'notSent':
      case 'notConnected':
        return endWithout(tools, link, NOT_ASKED);
      case 'refusedByBank':
      case 'malformed':
      case 'noBank':
        return endWithout(tools, link, NO_PIX);
    }
  }
  return asItStands(tools, link);
}

/** The buyer pays otherwise: the link is open again once the bank has taken its Pix away. */
export async function takePixAway(
  tools: PayLinkByPixTools,
  link: Link,
  deadlineAt: number,
): Promise<PayLinkResult> {
  if (link.tryMethod !== 'pix' || link.state !== 'paying') return { kind: 'notOpen' };
  const isPaidAtBank = await removePixOfTry(tools, link, deadlineAt);
  const result = await asItStands(tools, link);
  // The bank reports the payment shortly.
  const isUnclear = result.kind === 'confirming' || (isPaidAtBank && result.kind === 'waiting');
  return isUnclear ? { kind: 'confirming', words: STILL_CONFIRMING } : result;
}

/** Whether the bank says that it is paid. */
export async function removePixOfTry(
  tools: PayLinkByPixTools,
  link: Link,
  deadlineAt: number,
): Promise<boolean> {
  const pix = await findPixOfTry(tools, link);
  if (pix?.state !== 'waiting') return false;
  const removed = await removePix(tools.canceling, { ...pix, request: null }, deadlineAt);
  return removed !== 'keyUsed' && removed.kind === 'refused' && removed.refusal === 'paidAtBank';
}

async function asItStands(tools: PayLinkByPixTools, link: Link): Promise<PayLinkResult> {
  const outcome = await findTryOutcome(tools, link);
  await finishQuietly(tools, link, outcome);
  if (outcome.kind !== 'underWay') return { kind: outcome.kind === 'paid' ? 'paid' : 'removed' };
  const pix = await findPixOfTry(tools, link);
  return { kind: pix?.state === 'waiting' ? 'waiting' : 'confirming' };
}

/** The link as its Pix has it, which its payer paid at his bank: the work may not have seen it yet. */
export function asItsPix<L extends Link>(link: L, pix: Pix | null): L {
  const kind = pix === null ? 'underWay' : outcomeOfPix(pix);
  if (pix === null || kind === 'underWay') return link;
  return kind === 'paid' ? { ...link, state: 'paid', paymentId: pix.pixId } : { ...link, state: 'open' };
}

function pixOf(link: Link, now: Instant): WantedPix {
  const secondsLeft = Math.floor((link.expiresAt - now) / 1_000);
  return {
    amount: link.amount,
    expiresInSeconds: Math.max(SHORTEST_SECONDS, Math.min(PIX_SECONDS, secondsLeft)),
    due: null,
    payer: null,
    description: [...link.description].slice(0, LONGEST_DESCRIPTION).join(''),
    referenceTransaction: link.referenceTransaction,
    callbackUrl: link.callbackUrl,
    split: null,
  };
}
