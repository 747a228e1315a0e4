import type { CardBrand } from '../../values/card-number.ts';

/** How the card's network calls a use of a card. Later charges of a stored card refer to it. */
export type NetworkReference = {
  readonly transactionId: string | null;
  /** Mastercard's Transaction Link Identifier (TLID), sent with charges that the merchant begins. */
  readonly linkId: string | null;
};

export const NO_NETWORK_REFERENCE: NetworkReference = { transactionId: null, linkId: null };

/** As an acquirer or a file says it. */
export type NamedReference = NetworkReference & {
  /** Characters of a link that came and is left out, because it is not of its form. */
  readonly unfitLinkLength?: number;
};

/** Of an approval, a verification or what was looked up: counts a link that is left out. */
export type CountLink = (
  answer: { readonly networkReference: NamedReference; readonly acquirer?: string },
  brand: string,
) => void;

/** `instead`: without the network's id. `none`: links are kept, and not sent. */
export const LINK_WAYS = ['beside', 'instead', 'none'] as const;
export type LinkWay = (typeof LINK_WAYS)[number];

/** Both are sent again with later charges: an ill-formed one would make them all malformed. */
export function readNetworkReference(transactionId: unknown, linkId: unknown): NamedReference {
  const read = {
    transactionId: ofPattern(transactionId, /^[\w-]{1,40}$/),
    linkId: ofPattern(linkId, /^[\w-]{22}$/),
  };
  const isUnfit = read.linkId === null && typeof linkId === 'string' && linkId.trim() !== '';
  return isUnfit ? { ...read, unfitLinkLength: linkId.length } : read;
}

/** Mastercard alone has links. */
export const isLinked = (brand: string): boolean => brand === 'mastercard';

export function hasUnfitLink({ unfitLinkLength }: NamedReference, brand: string): boolean {
  return unfitLinkLength !== undefined && isLinked(brand);
}

/** What is kept of a use. */
export function referenceToKeep(
  { transactionId, linkId }: NetworkReference,
  brand: string,
): NetworkReference {
  return { transactionId, linkId: isLinked(brand) ? linkId : null };
}

/** A link goes only where the merchant begins the charge. */
export function referenceToSend(
  reference: NetworkReference,
  {
    initiator,
    brand,
    link,
  }: {
    readonly initiator: 'cardholder' | 'merchant';
    readonly brand: CardBrand;
    readonly link: LinkWay;
  },
): NetworkReference {
  const { transactionId, linkId } = referenceToKeep(reference, brand);
  if (initiator !== 'merchant' || link === 'none' || linkId === null) return { transactionId, linkId: null };
  return { transactionId: link === 'instead' ? null : transactionId, linkId };
}

function ofPattern(value: unknown, pattern: RegExp): string | null {
  return typeof value === 'string' && pattern.test(value) ? value : null;
}
