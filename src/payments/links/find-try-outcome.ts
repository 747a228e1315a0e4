import { identifyRequest } from '../../idempotency/answer-once.ts';
import { type IdSpan, idSpan, type SentRequest } from '../../idempotency/idempotency-key.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { Looked } from '../../platform/postgres/batched-reads.ts';
import type { Reader } from '../../platform/postgres/database.ts';
import type { Boleto, BoletoState } from '../../transactions/methods/boleto/boleto.ts';
import { findBoleto, findMadeBoleto } from '../../transactions/methods/boleto/boletos.sql.ts';
import type { FoundOfKey, KeyAndSpan } from '../../transactions/methods/card/keys-found.sql.ts';
import type { Pix, PixState } from '../../transactions/methods/pix/pix.ts';
import { findMadePix, findPix } from '../../transactions/methods/pix/pix-charges.sql.ts';
import type { TransactionState } from '../../transactions/transaction.ts';
import { findTransaction } from '../../transactions/transaction-queries.sql.ts';
import { keyOfTry, type Link, outcomeWithoutPayment, type TryOutcome } from './link.ts';

export type FindTryTools = {
  readonly database: Reader;
  readonly keyring: Pick<Keyring, 'fingerprints' | 'idDigest'>;
  readonly findOfKey: (asked: KeyAndSpan) => Promise<Looked<FoundOfKey>>;
};

/** The request that charges a try. Its key alone decides the id of its payment, so that each try has one. */
export function requestOfTry(link: Pick<Link, 'linkId' | 'tries'>, body: unknown): SentRequest {
  return { idempotency: { key: keyOfTry(link), target: 'POST /pay' }, body };
}

/** Where the id of the payment of a try lies. */
function spanOfTry(keyring: FindTryTools['keyring'], link: Link): IdSpan {
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

/** By what a payer may still do, or has done. What was given back was paid. */
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

/** Some pay another amount than asked for: a person resolves that. */
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

/** What its payer pays at a bank. */
export type BillOfTry =
  | { readonly method: 'pix'; readonly pix: Pix }
  | { readonly method: 'boleto'; readonly boleto: Boleto };

type Found = { readonly kind: TryOutcome['kind']; readonly paymentId: string };

export function outcomeOfBill(bill: BillOfTry): Found {
  return bill.method === 'pix'
    ? { kind: OUTCOMES_OF_PIX[bill.pix.state], paymentId: bill.pix.pixId }
    : { kind: OUTCOMES_OF_BOLETO[bill.boleto.state], paymentId: bill.boleto.boletoId };
}

/** What became of the last try, from its payment itself: whoever made it may have died. */
export async function findTryOutcome(tools: FindTryTools, link: Link): Promise<TryOutcome> {
  const found = await (link.tryMethod === 'card' ? findCardOutcome : findBillOutcome)(tools, link);
  if (found === null) return outcomeWithoutPayment(link);
  const { kind, paymentId } = found;
  return kind === 'paid' ? { kind, paymentId } : { kind };
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
  return bill && outcomeOfBill(bill);
}

/** Of the try that is under way. Null: it has made none. */
export async function findBillOfTry(
  { database, keyring }: Pick<FindTryTools, 'database' | 'keyring'>,
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
