import { identifyRequest } from '../../idempotency/answer-once.ts';
import { type IdSpan, idSpan, type SentRequest } from '../../idempotency/idempotency-key.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { Looked } from '../../platform/postgres/batched-reads.ts';
import type { Reader } from '../../platform/postgres/database.ts';
import type { MadeTransaction } from '../../transactions/methods/card/intents.sql.ts';
import type { TransactionState } from '../../transactions/transaction.ts';
import { findTransaction } from '../../transactions/transaction-queries.sql.ts';
import { keyOfTry, type Link, outcomeWithoutPayment, type TryOutcome } from './link.ts';

export type FindTryTools = {
  readonly database: Reader;
  readonly keyring: Pick<Keyring, 'fingerprints' | 'idDigest'>;
  readonly findMadeTransaction: (made: MadeTransaction) => Promise<Looked<string>>;
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

/** What became of the last try, from its payment itself: whoever charged it may have died. */
export async function findTryOutcome(
  { database, keyring, findMadeTransaction }: FindTryTools,
  link: Link,
): Promise<TryOutcome> {
  const { merchantId } = link;
  const { value: paymentId } = await findMadeTransaction({ merchantId, ...spanOfTry(keyring, link) });
  if (paymentId === null) return outcomeWithoutPayment(link);
  const transaction = await findTransaction(database, merchantId, paymentId);
  const kind = transaction === null ? 'underWay' : OUTCOMES[transaction.state];
  return kind === 'paid' ? { kind, paymentId } : { kind };
}
