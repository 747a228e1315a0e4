import { randomBytes } from 'node:crypto';
import { HttpClient } from '../http-client.ts';
import type { Bench, Card } from './bench.ts';

/** What the acquirer behind the bridge makes of which card and amount, and for whom it charges. */
export type BenchOptions = {
  readonly merchantId: string;
  readonly otherMerchantId: string;
  /** Numbers of Visa cards or Mastercards. */
  readonly card: string;
  readonly otherCard: string;
  /** Cents that are declined; null: none is known. */
  readonly declinedAmount: number | null;
  /** The card with which they are; undefined: `card`. */
  readonly declinedCard: string | undefined;
  /** Cents of a cancellation that is accepted and decided later; null: none is known. */
  readonly pendingAmount: number | null;
};

/** Everything that a point needs, with references that no other run has. */
export function openBench(url: string, options: BenchOptions): Bench {
  const { merchantId, otherMerchantId, card, otherCard, declinedAmount, declinedCard = card } = options;
  const { pendingAmount } = options;
  const run = randomBytes(6).toString('hex');
  let references = 0;
  return {
    bridge: new HttpClient(url),
    ...{ merchantId, otherMerchantId, card: cardOf(card), otherCard: cardOf(otherCard) },
    decline: declinedAmount === null ? null : { amount: declinedAmount, card: cardOf(declinedCard) },
    pendingAmount,
    newReference() {
      references += 1;
      return `conformance-${run}-${references}`;
    },
  };
}

function cardOf(number: string): Card {
  const expiry = { expirationMonth: '12', expirationYear: '30' };
  return {
    number,
    brand: number.startsWith('4') ? 'visa' : 'mastercard',
    ...expiry,
    holderName: 'ANA SOUZA',
    securityCode: '123',
  };
}
