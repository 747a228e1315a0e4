import type { ChargingShop, ShopCall } from '../chaos-merchant.ts';
import type {
  BookedBilling,
  BookedCollection,
  BookedSubscription,
  BookedTry,
  LedgerLine,
  ShopBooks,
} from './ledger-view.ts';

/** The books of one merchant, looked up by what they are about. */
export type ShopIndex = ShopBooks & {
  readonly shop: ChargingShop;
  readonly billingById: ReadonlyMap<string, BookedBilling>;
  /** In the order of installments; those that were skipped are left out. */
  readonly countedOf: ReadonlyMap<string, readonly BookedBilling[]>;
  readonly triesOf: ReadonlyMap<string, readonly BookedTry[]>;
  readonly transactionById: ReadonlyMap<string, BookedCollection>;
  /** By the billing that they are to collect. */
  readonly ledgerOf: ReadonlyMap<string, readonly LedgerLine[]>;
  readonly subscriptionById: ReadonlyMap<string, BookedSubscription>;
};

/** A promise about one merchant's books, looked at when nothing of it is under way any more. */
export type ShopInvariant = {
  readonly name: string;
  /** Complains under the id of a billing or a subscription. */
  check(index: ShopIndex, complain: (reference: string, text: string) => void): void;
};

export function indexShop(books: ShopBooks, shop: ChargingShop): ShopIndex {
  return {
    ...books,
    shop,
    billingById: new Map(books.billings.map((row) => [row.billingId, row])),
    countedOf: Map.groupBy(
      books.billings.filter(({ isSkipped }) => !isSkipped),
      ({ subscriptionId }) => subscriptionId,
    ),
    triesOf: Map.groupBy(books.tries, ({ billingId }) => billingId),
    transactionById: new Map(books.transactions.map((row) => [row.transactionId, row])),
    ledgerOf: Map.groupBy(books.ledger, ({ reference }) => reference ?? ''),
    subscriptionById: new Map(books.subscriptions.map((row) => [row.subscriptionId, row])),
  };
}

/**
 * What the merchant asked of this subscription, or of one of its billings; not of its card, which
 * decides nothing by itself.
 */
export function callsAbout(
  { shop, billingById, subscriptionById }: ShopIndex,
  subscriptionId: string,
): ShopCall[] {
  const planId = subscriptionById.get(subscriptionId)?.planId;
  return shop.calls.filter(({ id, what }) => {
    if (what === 'changeVault' || what === 'event') return false;
    if (what === 'cancelPlan') return id === planId;
    return id === subscriptionId || billingById.get(id)?.subscriptionId === subscriptionId;
  });
}

/** Charged and not undone. */
export function liveOf(index: ShopIndex, billingId: string): LedgerLine[] {
  return (index.ledgerOf.get(billingId) ?? []).filter(
    ({ status }) => status === 'approved' || status === 'canceled',
  );
}

export type Verdict = 'approved' | 'funds' | 'blocked' | 'other' | 'voided' | 'notAsked';

/** The few codes that the cards and amounts of a round are answered with: the judge's own reading of them. */
const FUNDS_CODES = { visa: ['51'], mastercard: ['51'], elo: ['51'], amex: ['116'] } as const;
const BLOCKED_CODES = { visa: ['41'], mastercard: ['41'], elo: ['41'], amex: ['200'] } as const;

/** What the acquirer said to a try, read from the transaction and not from what our own rules made of it. */
export function verdictOf({ transactionById }: ShopIndex, { transactionId }: BookedTry): Verdict {
  const transaction = transactionById.get(transactionId ?? '');
  if (transaction === undefined) return 'notAsked';
  const { state, brand, responseCode } = transaction;
  if (state === 'approved' || state === 'voided') return state;
  const isOf = (codes: Readonly<Record<string, readonly string[]>>) =>
    codes[brand]?.includes(responseCode ?? '') ?? false;
  if (isOf(FUNDS_CODES)) return 'funds';
  return isOf(BLOCKED_CODES) ? 'blocked' : 'other';
}

/** The tries on schedule that came to an end, one for each attempt, in their order. */
export function finalTries({ triesOf }: ShopIndex, billingId: string): BookedTry[] {
  return (triesOf.get(billingId) ?? []).filter(
    ({ attemptNumber, outcome }) => attemptNumber !== null && outcome !== 'voided',
  );
}
