import type { BoletoPayer } from '../../providers/banks/bank.ts';
import { DEFAULT_PROVIDER } from '../../providers/provider.ts';
import {
  type CancelRefusal,
  type CancelTools,
  cancelBoleto,
  obstacleOfBank,
  startCancel,
} from '../../transactions/methods/boleto/cancel-boleto.ts';
import {
  type IssueTools,
  issueBoleto,
  type WantedBoleto,
} from '../../transactions/methods/boleto/issue-boleto.ts';
import {
  type CancelPixRefusal,
  type CancelPixTools,
  removePix,
  startRemove,
} from '../../transactions/methods/pix/cancel-pix.ts';
import { type IssuePixTools, issuePix } from '../../transactions/methods/pix/issue-pix.ts';
import type { PixState, WantedPix } from '../../transactions/methods/pix/pix.ts';
import { addDays, type Day, type Instant, instant, saoPauloDay } from '../../values/instant.ts';
import {
  type BillOfTry,
  findBillOfTry,
  findTryOutcome,
  requestOfTry,
  type StandingBill,
} from './find-try-outcome.ts';
import type { FinishTryTools } from './finish-due-tries.ts';
import { pageKeyOfPaper } from './identify-paper.ts';
import type { Link, LinkKey, RemovalOfBill } from './link.ts';
import { beginTry, recordRemoval } from './links.sql.ts';
import { endWithout, finishQuietly, type PayLinkResult } from './pay-link.ts';
import {
  KEPT_BY_BANK,
  NO_BOLETO,
  NO_PIX,
  NOT_ASKED,
  NOT_REMOVED,
  PAYER_REFUSED,
  SHORT_PAYMENT,
  STILL_BEING_MADE,
  STILL_CONFIRMING,
  STILL_REMOVING,
} from './words.ts';

export type PayLinkByBillTools = FinishTryTools & {
  readonly pix: { readonly issuing: IssuePixTools; readonly canceling: CancelPixTools };
  readonly boletos: { readonly issuing: IssueTools; readonly canceling: CancelTools };
};

/** How long the Pix holds the link if the buyer leaves without removing it. */
const PIX_SECONDS = 1_800;
/** A shorter one ends before the payer has opened the bank's app. */
const SHORTEST_SECONDS = 60;
const LONGEST_DESCRIPTION = 140;

/** `paperSecret`: of the payer's browser; null: the browser has none, and finds no paper. */
type PayerOfLink = BoletoPayer & { readonly paperSecret: string | null };

/**
 * Makes a boleto for this payer, or a Pix (`payer` null). A bill is a try like a card: until it is paid, over
 * or taken away nothing else pays the link.
 */
export function payLinkByBill(
  tools: PayLinkByBillTools,
  key: LinkKey,
  payer: PayerOfLink | null,
  deadlineAt: number,
): Promise<PayLinkResult> {
  return payer === null ? payByPix(tools, key, deadlineAt) : payByBoleto(tools, key, payer, deadlineAt);
}

async function payByPix(tools: PayLinkByBillTools, key: LinkKey, deadlineAt: number): Promise<PayLinkResult> {
  const { issuing } = tools.pix;
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

async function payByBoleto(
  tools: PayLinkByBillTools,
  key: LinkKey,
  { paperSecret, ...payer }: PayerOfLink,
  deadlineAt: number,
): Promise<PayLinkResult> {
  const { issuing } = tools.boletos;
  const now = issuing.clock.now(key.merchantId);
  const link = await beginTry(tools.database, key, 'boleto', now);
  if (link === null) return { kind: 'notOpen' };
  const issuer = { merchantId: key.merchantId, userName: link.createdBy };
  const wanted = {
    ...boletoOf(link, payer, now),
    ...(paperSecret !== null && { pageKey: pageKeyOfPaper(link, paperSecret) }),
  };
  const once = await issueBoleto(issuing, issuer, wanted, requestOfTry(link, { payer }), deadlineAt);
  if (once.kind === 'first') {
    const { result } = once;
    switch (result.kind) {
      case 'made':
        break;
      case 'notSent':
      case 'notConnected':
        return endWithout(tools, link, NOT_ASKED, true);
      case 'refusedByBank':
        return endWithout(tools, link, result.reason === 'payerRefused' ? PAYER_REFUSED : NO_BOLETO);
      case 'malformed':
      case 'noBank':
      case 'unknownAccount':
        return endWithout(tools, link, NO_BOLETO, true);
    }
  }
  return asItStands(tools, link);
}

/** The buyer pays otherwise: the link is open again once the bank has taken its bill away. */
export async function takeBillAway(
  tools: PayLinkByBillTools,
  link: Link,
  deadlineAt: number,
): Promise<PayLinkResult> {
  const bill = await findBillOfTry(tools, link);
  if (bill === null) return { kind: 'notOpen' };
  const removal = await removeBill(tools, bill, deadlineAt);
  const result = await asItStands(tools, link);
  if (result.kind !== 'confirming' && result.kind !== 'waiting') return result;
  return { kind: 'confirming', words: WORDS[removal] };
}

/**
 * `paidAtBank`: the bank reports the payment shortly. `asked`: the bank answers, or has answered.
 * `beingMade`: nothing was asked. `over`: there is nothing to ask for.
 */
type Removal = 'asked' | 'paidAtBank' | 'keptByBank' | 'notAsked' | 'beingMade' | 'over';

const WORDS: Readonly<Record<Removal, string>> = {
  asked: STILL_REMOVING,
  paidAtBank: STILL_CONFIRMING,
  keptByBank: KEPT_BY_BANK,
  notAsked: NOT_REMOVED,
  beingMade: STILL_BEING_MADE,
  over: STILL_CONFIRMING,
};

/** For the try under way, if it has a bill that waits for its payer. */
export async function removeBillOfTry(
  tools: PayLinkByBillTools,
  link: Link,
  deadlineAt: number,
): Promise<Removal> {
  const bill = await findBillOfTry(tools, link);
  return bill === null ? 'over' : removeBill(tools, bill, deadlineAt);
}

/**
 * The same without waiting: the background works ask the banks, each within its limits. A bank whose name is
 * not known yet is found at a later look.
 */
export async function startBillRemoval(
  tools: PayLinkByBillTools,
  link: Link,
  deadlineAt: number,
): Promise<void> {
  const bill = await findBillOfTry(tools, link);
  if (bill === null || !isWaiting(bill)) return;
  if (obstacleOfBill(tools, bill) !== null) return;
  if (!(await recordRemoval(tools.database, link))) return;
  if (bill.method === 'pix')
    await startRemove(tools.pix.canceling, { ...bill.pix, request: null }, 0, deadlineAt);
  else await startCancel(tools.boletos.canceling, bill.boleto, 0, deadlineAt);
}

type BanksOfBills = {
  readonly pix: { readonly canceling: Pick<CancelPixTools, 'pixBanks'> };
  readonly boletos: { readonly canceling: Pick<CancelTools, 'banks'> };
};

/** Why the bank of a bill cannot be asked here, whatever the state of the bill. */
function obstacleOfBill({ pix, boletos }: BanksOfBills, bill: BillOfTry): 'away' | 'strange' | null {
  if (bill.method === 'boleto') {
    const obstacle = obstacleOfBank(boletos.canceling.banks, bill.boleto);
    return obstacle && (obstacle.kind === 'refused' ? 'strange' : 'away');
  }
  const { bank } = bill.pix;
  if (pix.canceling.pixBanks.all().includes(bank)) return null;
  // This process may not know an added provider yet.
  return bank === DEFAULT_PROVIDER ? 'strange' : 'away';
}

export function removalOfBill(banks: BanksOfBills, bill: BillOfTry): RemovalOfBill {
  if (obstacleOfBill(banks, bill) === 'strange') return 'strange';
  const { state } = bill.method === 'pix' ? bill.pix : bill.boleto;
  return state === 'removing' || state === 'canceling' ? 'asked' : 'askable';
}

async function removeBill(tools: PayLinkByBillTools, bill: BillOfTry, deadlineAt: number): Promise<Removal> {
  if (bill.method === 'pix') {
    if (bill.pix.state !== 'waiting') return REMOVALS_OF_PIX[bill.pix.state];
    const removed = await removePix(tools.pix.canceling, { ...bill.pix, request: null }, deadlineAt);
    if (removed === 'keyUsed') return 'notAsked';
    if (removed.kind === 'refused') return REFUSED_REMOVALS_OF_PIX[removed.refusal] ?? 'over';
    return removed.kind === 'notSent' || removed.kind === 'notConnected' ? 'notAsked' : 'asked';
  }
  const { merchantId, boletoId } = bill.boleto;
  const canceled = await cancelBoleto(tools.boletos.canceling, merchantId, boletoId, deadlineAt);
  switch (canceled.kind) {
    case 'canceled':
      return 'asked';
    case 'refused':
      return REMOVALS[canceled.refusal];
    case 'noBank':
    case 'notSent':
    case 'notConnected':
      return 'notAsked';
  }
}

const REMOVALS_OF_PIX: Readonly<Record<Exclude<PixState, 'waiting'>, Removal>> = {
  issuing: 'beingMade',
  removing: 'asked',
  paid: 'paidAtBank',
  returned: 'paidAtBank',
  canceled: 'over',
  expired: 'over',
  refused: 'over',
};

const REFUSED_REMOVALS_OF_PIX: Partial<Record<CancelPixRefusal, Removal>> = {
  paidAtBank: 'paidAtBank',
  notResolved: 'asked',
};

const REMOVALS: Readonly<Record<CancelRefusal, Removal>> = {
  beingIssued: 'beingMade',
  // Its due day is being changed: nothing was asked.
  beingChanged: 'notAsked',
  beingCanceled: 'asked',
  paidAtBank: 'paidAtBank',
  paid: 'paidAtBank',
  keptByBank: 'keptByBank',
  ofAnotherBank: 'keptByBank',
  expired: 'over',
  notFound: 'over',
};

async function asItStands(tools: PayLinkByBillTools, link: Link): Promise<PayLinkResult> {
  const outcome = await findTryOutcome(tools, link);
  await finishQuietly(tools, link, outcome);
  if (outcome.kind === 'short') return { kind: 'notOpen' };
  if (outcome.kind !== 'underWay') return { kind: outcome.kind === 'paid' ? 'paid' : 'removed' };
  const bill = await findBillOfTry(tools, link);
  return { kind: bill !== null && isWaiting(bill) ? 'waiting' : 'confirming' };
}

function isWaiting(bill: BillOfTry): boolean {
  if (bill.method === 'pix') return bill.pix.state === 'waiting';
  return bill.boleto.state === 'issued' || bill.boleto.state === 'overdue';
}

/**
 * The link in the state of its bills, which payers paid at their banks: the background work may not have seen
 * it yet.
 */
export function asItsBill<L extends Link>(link: L, { outcome }: Pick<StandingBill, 'outcome'>): L {
  switch (outcome?.kind) {
    case undefined:
    case 'underWay':
      return link;
    case 'failed':
      return { ...link, state: 'open' };
    case 'short':
      return { ...link, state: 'disabled', disableReason: SHORT_PAYMENT };
    case 'paid':
      return { ...link, state: 'paid', paymentId: outcome.paymentId };
  }
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
    linkId: link.linkId,
  };
}

const BOLETO_DAYS = 3;
/** The longest line of instructions. */
const LONGEST_LINE = 80;

/** A boleto that cannot be paid after its due day, because its link waits until then. */
function boletoOf(link: Link, payer: BoletoPayer, now: Instant): WantedBoleto {
  return {
    accountNumber: link.accountNumber,
    amount: link.amount,
    dueOn: earlier(addDays(saoPauloDay(now), BOLETO_DAYS), saoPauloDay(instant(link.expiresAt - 1))),
    daysToExpire: 0,
    payer,
    instructions: [[...link.description].slice(0, LONGEST_LINE).join('')],
    referenceTransaction: link.referenceTransaction,
    callbackUrl: link.callbackUrl,
    finePortion: null,
    interestPortion: null,
    discount: null,
    linkId: link.linkId,
  };
}

const earlier = (one: Day, other: Day): Day => (one < other ? one : other);
