import type { Keyring } from '../keys/open-keyring.ts';
import { bareDocument, documentKind } from '../values/document-number.ts';
import { addressGroup, parseAddress } from '../values/ip-address.ts';
import type { CodeFingerprints, Fingerprints, Sale, VelocityEvent } from './anti-fraud.ts';

type Printer = Pick<Keyring, 'recentFingerprints'>;

/** The 24 hours of the rules, and one more: a process may hear of a key rotation late, and clocks differ. */
const ATTEMPT_LIFETIME_MILLISECONDS = 25 * 60 * 60 * 1_000;

export type CountedSale = Pick<Sale, 'merchantId' | 'session' | 'isCardStored'> & {
  readonly card: Pick<Sale['card'], 'fingerprints'>;
  readonly buyer: Pick<Sale['buyer'], 'documentNumber' | 'ipAddress'>;
  /** True: the card is verified so that it can be stored. Nothing is sold. */
  readonly isVerification?: boolean;
};

/** An empty list: the sale has no such subject. */
export type SaleFingerprints = Readonly<Record<'card' | 'document' | 'address' | 'device', Fingerprints>>;

/**
 * Merchant and kind are part of what is fingerprinted, so that a reader of the tables cannot follow a buyer
 * from one shop to another.
 */
function fingerprintsIn(printer: Printer, merchantId: string, kind: string, text: string): Fingerprints {
  const bound = `anti-fraud|${kind}|${merchantId}|${text}`;
  return printer.recentFingerprints(bound, ATTEMPT_LIFETIME_MILLISECONDS).map(({ print }) => print);
}

/** They differ between merchants, unlike the fingerprint that a transaction keeps of its card. */
export function cardFingerprints(printer: Printer, merchantId: string, number: string): Fingerprints {
  return fingerprintsIn(printer, merchantId, 'card', number);
}

/** An invalid IP address gets none: else all buyers with the same nonsense there would count as one. */
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
 * A document counts as the same with and without its mask. One that is neither CPF nor CNPJ gets none: else
 * all buyers with zeros there would count as one, whom the rules then reject. The IP address that the payment
 * names goes before that of the page.
 */
export function saleFingerprints(printer: Printer, sale: CountedSale): SaleFingerprints {
  const { merchantId, card, buyer, session } = sale;
  const document = bareDocument(buyer.documentNumber ?? '');
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

/** Written under the current key's fingerprints, which later lists of fingerprints contain. */
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
