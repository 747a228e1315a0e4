import { identifyRequest } from '../../idempotency/answer-once.ts';
import { type IdSpan, idSpan, type SentRequest } from '../../idempotency/idempotency-key.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { Looked } from '../../platform/postgres/batched-reads.ts';
import type { Database, Reader } from '../../platform/postgres/database.ts';
import type { Boleto, BoletoState } from '../../transactions/methods/boleto/boleto.ts';
import { findBoleto, findMadeBoleto } from '../../transactions/methods/boleto/boletos.sql.ts';
import type { FoundOfKey, KeyAndSpan } from '../../transactions/methods/card/keys-found.sql.ts';
import type { Pix, PixState } from '../../transactions/methods/pix/pix.ts';
import { findMadePix, findPix } from '../../transactions/methods/pix/pix-charges.sql.ts';
import type { TransactionState } from '../../transactions/transaction.ts';
import { findTransaction } from '../../transactions/transaction-queries.sql.ts';
import { nameLinkOfBill } from './bills-of-link.sql.ts';
import {
  keyOfTry,
  type Link,
  outcomeOfLink,
  outcomeWithoutPayment,
  seenOutcome,
  type TryOutcome,
} from './link.ts';

export type FindTryTools = {
  readonly database: Database;
  readonly keyring: Pick<Keyring, 'fingerprints' | 'idDigest'>;
  readonly findOfKey: (asked: KeyAndSpan) => Promise<Looked<FoundOfKey>>;
};

type ReadBillTools = Pick<FindTryTools, 'keyring'> & { readonly database: Reader };

/**
 * The request that charges a try. Its key alone decides the id of its payment, so that each try has one
 * payment.
 */
export function requestOfTry(link: Pick<Link, 'linkId' | 'tries'>, body: unknown): SentRequest {
  return { idempotency: { key: keyOfTry(link), target: 'POST /pay' }, body };
}

/** The range of ids in which the id of a try's payment lies. */
function spanOfTry(
  keyring: FindTryTools['keyring'],
  link: Pick<Link, 'merchantId' | 'linkId' | 'tries'>,
): IdSpan {
  const request = identifyRequest(keyring, link.merchantId, requestOfTry(link, {}));
  if (request === null) throw new Error('the request of a try has a key');
  return idSpan(request.idStem);
}

const OUTCOMES: Readonly<Record<TransactionState, TryOutcome['kind']>> = {
  charging: 'underWay',
  unresolved: 'underWay',
  preauthorized: 'underWay',
  capturing: 'underWay',
  approved: 'paid',
  declined: 'failed',
  voided: 'failed',
};

/**
 * What a Pix is for its try: under way while its payer may still pay it. One that was given back was paid.
 */
const OUTCOMES_OF_PIX: Readonly<Record<PixState, TryOutcome['kind']>> = {
  issuing: 'underWay',
  waiting: 'underWay',
  removing: 'underWay',
  paid: 'paid',
  returned: 'paid',
  canceled: 'failed',
  expired: 'failed',
  refused: 'failed',
};

const OUTCOMES_OF_BOLETO: Readonly<Record<BoletoState, TryOutcome['kind']>> = {
  issuing: 'underWay',
  issued: 'underWay',
  overdue: 'underWay',
  canceling: 'underWay',
  changing: 'underWay',
  paid: 'paid',
  canceled: 'failed',
  expired: 'failed',
  refused: 'failed',
};

/** A bill that is paid at a bank. */
export type BillOfTry =
  | { readonly method: 'pix'; readonly pix: Pix }
  | { readonly method: 'boleto'; readonly boleto: Boleto };

const idOf = (bill: BillOfTry) => (bill.method === 'pix' ? bill.pix.pixId : bill.boleto.boletoId);

type Found = { readonly kind: TryOutcome['kind']; readonly paymentId: string };

/** The link may have been read before the payment of its bill was written. */
function outcomeOfBill(link: Link, bill: BillOfTry): Found {
  const found: Found =
    bill.method === 'pix'
      ? { kind: OUTCOMES_OF_PIX[bill.pix.state], paymentId: idOf(bill) }
      : { kind: OUTCOMES_OF_BOLETO[bill.boleto.state], paymentId: idOf(bill) };
  const { payments } = bill.method === 'pix' ? bill.pix : bill.boleto;
  const received = payments.reduce((sum, { amount }) => sum + amount, 0);
  return found.kind === 'paid' && received < link.amount ? { ...found, kind: 'short' } : found;
}

/**
 * The outcome of the last try, from its payment itself: the process that made the try may have died. Once the
 * try is over, money for any bill of the link counts.
 */
export async function findTryOutcome(tools: FindTryTools, link: Link): Promise<TryOutcome> {
  return outcomeOfLink(link, await findLastOutcome(tools, link));
}

async function findLastOutcome(tools: FindTryTools, link: Link): Promise<TryOutcome> {
  if (link.state === 'open') return { kind: 'failed' };
  const found = await (link.tryMethod === 'card' ? findCardOutcome : findBillOutcome)(tools, link);
  return found === null ? outcomeWithoutPayment(link) : tryOutcomeOf(found);
}

function tryOutcomeOf({ kind, paymentId }: Found): TryOutcome {
  return kind === 'paid' ? { kind, paymentId } : ({ kind } as TryOutcome);
}

export type StandingBill = {
  readonly bill: BillOfTry | null;
  /** Null: the link's state is right. */
  readonly outcome: TryOutcome | null;
};

/** For readers of the link: the background work may not have seen yet what the payer did at the bank. */
export async function findStandingBill(tools: ReadBillTools, link: Link): Promise<StandingBill> {
  const bill = await findBillOfTry(tools, link);
  return { bill, outcome: seenOutcome(link, bill && tryOutcomeOf(outcomeOfBill(link, bill))) };
}

async function findCardOutcome(tools: FindTryTools, link: Link): Promise<Found | null> {
  const { merchantId } = link;
  const span = spanOfTry(tools.keyring, link);
  const { value: found } = await tools.findOfKey({ merchantId, keyHash: null, vaultId: null, ...span });
  const paymentId = found?.made ?? null;
  if (paymentId === null) return null;
  const transaction = await findTransaction(tools.database, merchantId, paymentId);
  return { kind: transaction === null ? 'underWay' : OUTCOMES[transaction.state], paymentId };
}

async function findBillOutcome(tools: FindTryTools, link: Link): Promise<Found | null> {
  const bill = await findBillOfTry(tools, link);
  if (bill === null) return null;
  const { linkId } = bill.method === 'pix' ? bill.pix : bill.boleto;
  if (linkId === null) await nameLinkOfBill(tools.database, link, bill.method, idOf(bill));
  return outcomeOfBill(link, bill);
}

/** The bill of the try under way. Null: none was made. */
export async function findBillOfTry(
  { database, keyring }: ReadBillTools,
  link: Link,
): Promise<BillOfTry | null> {
  const { merchantId, tryMethod } = link;
  if (link.state !== 'paying' || tryMethod === 'card') return null;
  const span = spanOfTry(keyring, link);
  if (tryMethod === 'boleto') {
    const boletoId = await findMadeBoleto(database, merchantId, span);
    const boleto = boletoId === null ? null : await findBoleto(database, { merchantId, boletoId });
    return boleto && { method: 'boleto', boleto };
  }
  const pixId = await findMadePix(database, merchantId, span);
  const pix = pixId === null ? null : await findPix(database, { merchantId, pixId });
  return pix && { method: 'pix', pix };
}
