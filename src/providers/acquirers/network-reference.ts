import type { CardBrand } from '../../values/card-number.ts';

/** How the card's network calls a use of a card. Later charges of a stored card refer to it. */
export type NetworkReference = {
  readonly transactionId: string | null;
  /** Mastercard's Transaction Link Identifier (TLID), sent with charges that the merchant begins. */
  readonly linkId: string | null;
};

export const NO_NETWORK_REFERENCE: NetworkReference = { transactionId: null, linkId: null };

/** Both are sent again with later charges: an ill-formed one would make them all malformed. */
export function readNetworkReference(transactionId: unknown, linkId: unknown): NetworkReference {
  return {
    transactionId: ofPattern(transactionId, /^[\w-]{1,40}$/),
    linkId: ofPattern(linkId, /^[\w-]{22}$/),
  };
}

/** Mastercard alone asks for links, and only where the merchant begins the charge. */
export function referenceToSend(
  reference: NetworkReference,
  initiator: 'cardholder' | 'merchant',
  brand: CardBrand,
): NetworkReference {
  const isLinked = initiator === 'merchant' && brand === 'mastercard';
  return isLinked ? reference : { ...reference, linkId: null };
}

function ofPattern(value: unknown, pattern: RegExp): string | null {
  return typeof value === 'string' && pattern.test(value) ? value : null;
}
