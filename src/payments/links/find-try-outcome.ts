import { identifyRequest } from '../../idempotency/answer-once.ts';
import { type IdSpan, idSpan, type SentRequest } from '../../idempotency/idempotency-key.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { Looked } from '../../platform/postgres/batched-reads.ts';
import type { Reader } from '../../platform/postgres/database.ts';
import type { FoundOfKey, KeyAndSpan } from '../../transactions/methods/card/intents.sql.ts';
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

/** What became of the last try, from its payment itself: whoever made it may have died. */
export async function findTryOutcome(tools: FindTryTools, link: Link): Promise<TryOutcome> {
  const found = await (link.tryMethod === 'pix' ? findPixOutcome(tools, link) : findCardOutcome(tools, link));
  if (found === null) return outcomeWithoutPayment(link);
  const { kind, paymentId } = found;
  return kind === 'paid' ? { kind, paymentId } : { kind };
}

type Found = { readonly kind: TryOutcome['kind']; readonly paymentId: string };

async function findCardOutcome(tools: FindTryTools, link: Link): Promise<Found | null> {
  const { merchantId } = link;
  const span = spanOfTry(tools.keyring, link);
  const { value: found } = await tools.findOfKey({ merchantId, keyHash: null, vaultId: null, ...span });
  const paymentId = found?.made ?? null;
  if (paymentId === null) return null;
  const transaction = await findTransaction(tools.database, merchantId, paymentId);
  return { kind: transaction === null ? 'underWay' : OUTCOMES[transaction.state], paymentId };
}

async function findPixOutcome(tools: FindTryTools, link: Link): Promise<Found | null> {
  const pix = await findPixOfTry(tools, link);
  return pix === null ? null : { kind: outcomeOfPix(pix), paymentId: pix.pixId };
}

export const outcomeOfPix = ({ state }: Pick<Pix, 'state'>): TryOutcome['kind'] => OUTCOMES_OF_PIX[state];

/** Of the try that is under way. Null: it has made no Pix. */
export async function findPixOfTry(
  { database, keyring }: Pick<FindTryTools, 'database' | 'keyring'>,
  link: Link,
): Promise<Pix | null> {
  if (link.state !== 'paying' || link.tryMethod !== 'pix') return null;
  const { merchantId } = link;
  const pixId = await findMadePix(database, merchantId, spanOfTry(keyring, link));
  return pixId === null ? null : findPix(database, { merchantId, pixId });
}
