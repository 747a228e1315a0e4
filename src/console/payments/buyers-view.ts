import { type Buyer, buyerOf } from '../../transactions/customers/buyer.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import type { Visit } from '../parts/screen.ts';
import type { ShownPayment } from './shown-payment.ts';

export function withBuyersOfFile<One extends ShownPayment>(
  payments: readonly One[],
  visit: Pick<Visit, 'merchantId'>,
  { findBuyersOfFile }: MerchantPageTools,
): Promise<One[]> {
  return withBuyers(payments, visit, { findBuyers: findBuyersOfFile });
}

export function buyerOfPayment(one: ShownPayment): Buyer | null {
  return one.method === 'card' ? (one.buyer ?? null) : buyerOf(one.payer);
}

/** Adds the buyers of card payments, whom the API does not show. */
export async function withBuyers<One extends ShownPayment>(
  payments: readonly One[],
  { merchantId }: Pick<Visit, 'merchantId'>,
  { findBuyers }: Pick<MerchantPageTools, 'findBuyers'>,
): Promise<One[]> {
  const ofCards = payments.filter(({ method }) => method === 'card');
  const buyers = await findBuyers(merchantId, ofCards);
  return payments.map((one) => ({ ...one, buyer: buyers.get(one.paymentId) ?? null }));
}
