import type { Buyer } from '../../antifraud/anti-fraud.ts';
import { namedCard, openTypedCard, type TypedCard } from '../../transactions/payers/open-typed-card.ts';
import { refusalWords } from '../../transactions/payers/refusal-words.ts';
import type { PayResult } from '../pay-by-card.ts';
import { type PayOnceTools, payOnce } from '../pay-once.ts';
import type { Payment } from '../payment.ts';
import { findTryOutcome, requestOfTry } from './find-try-outcome.ts';
import { type FinishTryTools, finishTry } from './finish-due-tries.ts';
import type { Link, LinkKey, TryOutcome } from './link.ts';
import { beginTry } from './links.sql.ts';
import { NOT_ASKED } from './words.ts';

export type PayLinkTools = PayOnceTools & {
  /** The code identifies this buyer's visit; codes that the shop has belong to others. */
  readonly createCode: (merchantId: string, ipAddress: string, deadlineAt: number) => Promise<string>;
};

export type CardOfBuyer = TypedCard & {
  readonly installmentCount: number;
  readonly address: string;
};

export type PayLinkResult =
  /** `waiting`: for the payer of its Pix. `removed`: its Pix is over, and the link is open again. */
  | { readonly kind: 'paid' | 'waiting' | 'removed' }
  /** `words`: for the buyer, if the page shows something else. */
  | { readonly kind: 'confirming'; readonly words?: string }
  /**
   * No charge was made, and another try may begin. `words`: for the buyer. `isUnasked`: no provider was
   * asked.
   */
  | { readonly kind: 'declined'; readonly words: string; readonly isUnasked?: boolean }
  /** The link cannot be paid (any more), or another try is under way. */
  | { readonly kind: 'notOpen' };

/**
 * One try at a time: its commit closes the link for others before the acquirer is asked, and the charge has
 * the key of the try. If the process dies here the link stays closed until the payment shows its outcome.
 */
export async function payLink(
  tools: PayLinkTools,
  { merchantId, linkId }: LinkKey,
  card: CardOfBuyer,
  deadlineAt: number,
): Promise<PayLinkResult> {
  const { database, clock } = tools;
  const opened = await openTypedCard(tools, merchantId, card, clock.now(merchantId));
  if ('words' in opened) return { kind: 'declined', words: opened.words };
  const antiFraudCode = await tools.createCode(merchantId, card.address, deadlineAt);
  const link = await beginTry(database, { merchantId, linkId }, 'card', clock.now(merchantId));
  if (link === null) return { kind: 'notOpen' };
  const payment = paymentOf(link, card, antiFraudCode);
  const seller = {
    merchantId,
    accountNumber: link.accountNumber,
    userName: link.createdBy,
    softDescriptor: link.softDescriptor,
  };
  const sent = requestOfTry(link, { installments: card.installmentCount });
  const once = await payOnce(tools, seller, payment, sent, deadlineAt);
  if (once.kind !== 'first') return endAsFound(tools, link);
  return end(tools, link, once.result);
}

/** After a restore the key of the try may have made a payment before. */
async function endAsFound(tools: PayLinkTools, link: Link): Promise<PayLinkResult> {
  const outcome = await findTryOutcome(tools, link);
  await finishTry(tools, link, outcome);
  return { kind: outcome.kind === 'paid' ? 'paid' : 'confirming' };
}

async function end(tools: PayLinkTools, link: Link, result: PayResult): Promise<PayLinkResult> {
  switch (result.kind) {
    case 'approved':
      await finishQuietly(tools, link, { kind: 'paid', paymentId: result.paymentId });
      return { kind: 'paid' };
    case 'declined':
      return endWithout(tools, link, result.read.help.buyer.pt);
    case 'refused':
      return endWithout(tools, link, refusalWords(result.refusals));
    case 'notSent':
    case 'notConnected':
      return endWithout(tools, link, NOT_ASKED, result.wasAsked !== true);
    case 'preauthorized':
    case 'unknown':
    case 'unrecorded':
      await finishQuietly(tools, link, { kind: 'underWay' });
      return { kind: 'confirming' };
  }
}

export async function endWithout(
  tools: FinishTryTools,
  link: Link,
  words: string,
  isUnasked = false,
): Promise<PayLinkResult> {
  await finishQuietly(tools, link, { kind: 'failed', isUnasked });
  return { kind: 'declined', words, isUnasked };
}

/** If this cannot be written now, the background work finds out later. */
export async function finishQuietly(tools: FinishTryTools, link: Link, outcome: TryOutcome): Promise<void> {
  await finishTry(tools, link, outcome).catch(() => {});
}

function paymentOf(link: Link, card: CardOfBuyer, antiFraudCode: string): Payment {
  return {
    amount: link.amount,
    installmentCount: card.installmentCount,
    isCapturedLater: false,
    referenceTransaction: link.referenceTransaction,
    callbackUrl: link.callbackUrl,
    softDescriptor: null,
    antiFraudCode,
    authentication: null,
    card: namedCard(card),
    buyer: { ...UNKNOWN_BUYER, ipAddress: card.address },
    customer: null,
    split: null,
  };
}

const UNKNOWN_BUYER: Buyer = {
  documentType: null,
  documentNumber: null,
  firstName: null,
  lastName: null,
  email: null,
  phoneNumber: null,
  mobilePhoneNumber: null,
  address: null,
  complement: null,
  city: null,
  state: null,
  zipCode: null,
  country: null,
  ipAddress: null,
};
