import type { FlatField, Synonyms } from '../platform/http/endpoint.ts';

const as = (...pointers: readonly string[]): FlatField => ({ pointers });

const NO_NUMBER = 'S/N';

/** `Rua das Flores, 100` or `Rua das Flores nº 100`: a number at the end, of at most ten characters. */
function splitStreet(text: string): readonly string[] {
  const found = /^(.*?[^\s,])(?:\s*,\s*|\s+)(?:n[º°o]?\.?\s*)?(\d[\w/-]{0,9}|s\/?n)$/iu.exec(text.trim());
  return found === null ? [text, NO_NUMBER] : [found[1] as string, found[2] as string];
}

const FLAT_BOLETO: Readonly<Record<string, FlatField>> = {
  payerName: as('/payer/name'),
  payerDocument: as('/payer/documentNumber'),
  payerEmail: as('/payer/email'),
  payerStreetAndNumber: { pointers: ['/payer/address/street', '/payer/address/number'], split: splitStreet },
  payerDistrict: as('/payer/address/district'),
  payerNeighborhood: as('/payer/address/district'),
  payerCity: as('/payer/address/city'),
  payerCityState: as('/payer/address/state'),
  payerZipCode: as('/payer/address/zipCode'),
  referenceCode: as('/referenceTransaction'),
  penaltyPercentMonth: as('/fine/percent'),
  interestPercentMonth: as('/interest/percentPerMonth'),
  maxOverdueDays: as('/daysToExpire'),
};

const NOTIFIERS = '/v1/recurrence/merchantnotifier';
const CONCIL = '/api/transaction/concil';

/** What clients of this family of gateways send beside service and contracts. */
export const FAMILY: readonly Synonyms[] = [
  {
    operation: 'capturePayment',
    doors: [{ method: 'PUT', path: '/v1/payments/{paymentId}/capture' }],
  },
  {
    operation: 'searchReceivablesByCode',
    doors: [{ method: 'GET', path: `${CONCIL}/search-by-code` }],
    isFromEither: true,
  },
  {
    operation: 'exportReceivablesBySale',
    doors: [{ method: 'POST', path: `${CONCIL}/export-by-operation-date` }],
    isFromEither: true,
  },
  {
    operation: 'exportReceivablesByPayment',
    doors: [{ method: 'POST', path: `${CONCIL}/export-by-payment-date` }],
    isFromEither: true,
  },
  { operation: 'registerNotifier', doors: [{ method: 'POST', path: NOTIFIERS }] },
  { operation: 'listNotifiers', doors: [{ method: 'GET', path: NOTIFIERS }] },
  {
    operation: 'changeNotifierStatus',
    doors: [{ method: 'POST', path: `${NOTIFIERS}/{notifierId}/status` }],
  },
  {
    operation: 'getBoleto',
    doors: [{ method: 'GET', path: '/api/billissuer/information', parameters: { id_bill: 'boletoId' } }],
  },
  { operation: 'issueBoleto', flatFields: FLAT_BOLETO },
];
