import type { Keyring } from '../keys/open-keyring.ts';
import { addressGroup, parseAddress } from '../merchants/client-address.ts';
import type { Attempt, CodePrints, Prints, Sale } from './anti-fraud.ts';

type Printer = Pick<Keyring, 'fingerprints'>;

/** What can be counted of a sale; a subject of whom nothing was told has no prints. */
export type SalePrints = Readonly<Record<'card' | 'document' | 'address' | 'device', Prints>>;

/**
 * Prints hold the merchant and the kind: who reads the tables can neither follow a buyer from one shop to the next nor
 * tell a document from an address.
 */
function printsOf(printer: Printer, merchantId: string, kind: string, text: string): Prints {
  return printer.fingerprints(`anti-fraud|${kind}|${merchantId}|${text}`).map(({ print }) => print);
}

/** What a page tells of its buyer. What is no address is not told: a counter for nonsense would gather everybody's. */
export function codePrints(
  printer: Printer,
  merchantId: string,
  told: { readonly ipAddress: string | null; readonly deviceId: string | null },
): CodePrints {
  const address = parseAddress(told.ipAddress?.trim() ?? '');
  const device = told.deviceId?.trim() ?? '';
  return {
    addressPrints: address === null ? [] : printsOf(printer, merchantId, 'address', addressGroup(address)),
    devicePrints: device === '' ? [] : printsOf(printer, merchantId, 'device', device),
  };
}

/** A document with and without its mask is one document. The payment's address comes before the page's. */
export function salePrints(printer: Printer, sale: Sale): SalePrints {
  const { merchantId, session } = sale;
  const document = sale.document?.replace(/[^0-9a-z]/gi, '').toUpperCase() ?? '';
  const { addressPrints } = codePrints(printer, merchantId, { ipAddress: sale.ipAddress, deviceId: null });
  return {
    card: sale.cardPrints,
    document: document === '' ? [] : printsOf(printer, merchantId, 'document', document),
    address: addressPrints.length === 0 ? session.addressPrints : addressPrints,
    device: session.devicePrints,
  };
}

/** An attempt is written under one print of each subject, and found again by whoever knows that one among others. */
export function attemptOf({ document, address, device }: SalePrints): Attempt {
  return {
    documentPrint: document[0] ?? null,
    addressPrint: address[0] ?? null,
    devicePrint: device[0] ?? null,
  };
}
