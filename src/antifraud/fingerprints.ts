import type { Keyring } from '../keys/open-keyring.ts';
import { documentKind } from '../values/document-number.ts';
import { addressGroup, parseAddress } from '../values/ip-address.ts';
import type { CodeFingerprints, Fingerprints, Sale, VelocityEvent } from './anti-fraud.ts';

type Printer = Pick<Keyring, 'recentFingerprints'>;

/**
 * Velocity events are kept for 25 hours and counted for 24: under a key that went out of use
 * earlier there is none. The hour between is for processes that learn late of a rotation, and for
 * clocks that differ.
 */
const ATTEMPT_LIFETIME_MILLISECONDS = 25 * 60 * 60 * 1_000;

/** What the rules of velocity read. */
export type CountedSale = Pick<Sale, 'merchantId' | 'session' | 'isCardStored'> & {
  readonly card: Pick<Sale['card'], 'fingerprints'>;
  readonly buyer: Pick<Sale['buyer'], 'documentNumber' | 'ipAddress'>;
  /** Of a card that is to be stored: nothing is sold. */
  readonly isVerification?: boolean;
};

/** What can be counted of a sale; an absent subject has no fingerprints. */
export type SaleFingerprints = Readonly<Record<'card' | 'document' | 'address' | 'device', Fingerprints>>;

/**
 * Fingerprints hold the merchant and the kind: a reader of the tables can neither follow a buyer
 * from one shop to the next nor distinguish a document from an address.
 */
function fingerprintsIn(printer: Printer, merchantId: string, kind: string, text: string): Fingerprints {
  const bound = `anti-fraud|${kind}|${merchantId}|${text}`;
  return printer.recentFingerprints(bound, ATTEMPT_LIFETIME_MILLISECONDS).map(({ print }) => print);
}

/**
 * Of a card's number: other fingerprints than the one that a transaction keeps, which is the same
 * at all merchants.
 */
export function cardFingerprints(printer: Printer, merchantId: string, number: string): Fingerprints {
  return fingerprintsIn(printer, merchantId, 'card', number);
}

/**
 * The buyer's fingerprints from a page. What is no address is left out: a counter for nonsense
 * would collect every buyer's.
 */
export function codeFingerprints(
  printer: Printer,
  merchantId: string,
  visitor: { readonly ipAddress: string | null; readonly deviceId: string | null },
): CodeFingerprints {
  const address = parseAddress(visitor.ipAddress?.trim() ?? '');
  const device = visitor.deviceId?.trim() ?? '';
  return {
    addressFingerprints:
      address === null ? [] : fingerprintsIn(printer, merchantId, 'address', addressGroup(address)),
    deviceFingerprints: device === '' ? [] : fingerprintsIn(printer, merchantId, 'device', device),
  };
}

/**
 * A document with and without its mask is one document; what is neither a CPF nor a CNPJ is left
 * out: zeros in its place would make all buyers one, whom the rules then reject. The payment's
 * address comes before the page's.
 */
export function saleFingerprints(printer: Printer, sale: CountedSale): SaleFingerprints {
  const { merchantId, card, buyer, session } = sale;
  const document = buyer.documentNumber?.replace(/[^0-9a-z]/gi, '').toUpperCase() ?? '';
  const { addressFingerprints } = codeFingerprints(printer, merchantId, {
    ipAddress: buyer.ipAddress,
    deviceId: null,
  });
  return {
    card: card.fingerprints,
    document:
      documentKind(document) === null ? [] : fingerprintsIn(printer, merchantId, 'document', document),
    address: addressFingerprints.length === 0 ? session.addressFingerprints : addressFingerprints,
    device: session.deviceFingerprints,
  };
}

/**
 * A velocity event is written under one fingerprint of each subject, and found again by any list
 * that has it.
 */
export function velocityEventOf(
  { isCardStored }: Pick<CountedSale, 'isCardStored'>,
  { card, document, address, device }: SaleFingerprints,
): VelocityEvent {
  const [cardFingerprint] = card;
  if (cardFingerprint === undefined) throw new Error('a sale without a print of its card');
  return {
    cardFingerprint,
    documentFingerprint: document[0] ?? null,
    addressFingerprint: address[0] ?? null,
    deviceFingerprint: device[0] ?? null,
    isCardStored,
  };
}
