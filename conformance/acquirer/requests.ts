import type { Exchange } from '../http-client.ts';
import { expectAnswer } from '../point.ts';
import type { Bench } from './bench.ts';

export const AMOUNT = 2_500;

/** An authorization that is approved, save for what is given. */
export function authorization(
  { merchantId, card }: Bench,
  reference: string,
  changed: object = {},
): Record<string, unknown> {
  return {
    reference,
    merchantId,
    merchantReference: `conformance of ${reference}`,
    amount: AMOUNT,
    installments: 1,
    soldAt: new Date().toISOString(),
    initiator: 'cardholder',
    networkTransactionId: null,
    transactionLinkId: null,
    storedCard: null,
    storedCardReason: null,
    softDescriptor: null,
    threeDSecure: null,
    card,
    ...changed,
  };
}

export function authorize(bench: Bench, reference: string, changed: object = {}): Promise<Exchange> {
  return bench.bridge.post('/authorizations', authorization(bench, reference, changed));
}

/**
 * Charges a card under a new reference and gives it; the point fails where that is not approved.
 */
export async function approve(bench: Bench, changed: object = {}): Promise<string> {
  const reference = bench.newReference();
  expectAnswer(await authorize(bench, reference, changed), 200, { reference, outcome: 'approved' });
  return reference;
}

export function voiding(
  { bridge, merchantId }: Bench,
  reference: string,
  ofMerchant = merchantId,
): Promise<Exchange> {
  return bridge.post('/undos', { reference, merchantId: ofMerchant });
}

export function find(
  { bridge, merchantId }: Bench,
  reference: string,
  ofMerchant = merchantId,
): Promise<Exchange> {
  return bridge.get(`/charges/${reference}?merchantId=${encodeURIComponent(ofMerchant)}`);
}

export function cancel(
  { bridge, merchantId }: Bench,
  cancellationReference: string,
  reference: string,
  amount: number,
): Promise<Exchange> {
  const requestedAt = new Date().toISOString();
  const sent = { cancellationReference, reference, merchantId, amount, requestedAt };
  return bridge.post('/cancellations', sent);
}
