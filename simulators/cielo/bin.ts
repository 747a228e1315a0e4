import type { Answer } from '../kit/sales/server.ts';

const BRANDS: Readonly<Record<string, string>> = { 3: 'AMEX', 5: 'MASTERCARD', 6: 'DISCOVER' };
const TYPES: Readonly<Record<string, string>> = { 3: 'Débito', 5: 'Crédito', 7: 'Crédito' };
const STATUSES: Readonly<Record<string, string>> = { 2: '01', 3: '02' };
const ISSUERS: Readonly<Record<string, readonly [string, string]>> = {
  1: ['Caixa', '104'],
  2: ['Banco do Brasil', '001'],
};

/** What the sandbox says of the first digits of a card: each of the first six decides one of its fields. */
export function binAnswer(bin: string): Answer {
  if (!/^\d{6}(\d{3})?$/.test(bin)) return { status: 404, body: [] };
  const [brand = '', type = '', country = '', corporate = '', status = '', issuer = ''] = [...bin];
  const [Issuer, IssuerCode] = ISSUERS[issuer] ?? ['Bradesco', '237'];
  const body = {
    ...{
      Status: STATUSES[status] ?? '00',
      Provider: BRANDS[brand] ?? 'VISA',
      CardType: TYPES[type] ?? 'Multiplo',
    },
    ...{ ForeignCard: country !== '1', CorporateCard: corporate === '1', Issuer, IssuerCode },
    ...(type === '7' ? { Prepaid: true } : {}),
  };
  return { status: 200, body };
}
