import { ACCOUNT, COMPANY, field, portfolio } from './agreements.ts';
import { accountOf, COMMON, type Dialect240, documentOfFile, lines240 } from './cnab240-family.ts';
import type { Agreement, RemittanceBank } from './remittance.ts';
import { digits } from './write-record.ts';

const agreementOfBb = (agreement: Agreement) =>
  `${digits(field(agreement, 'agreement'), 9)}0014${field(agreement, 'portfolio')}${field(agreement, 'variation')}  `;

const BB: Dialect240 = {
  ...COMMON,
  ...{ code: '001', bankName: 'BANCO DO BRASIL S.A.', version: { file: '083', lot: '042' } },
  company: (agreement) => [
    documentOfFile(agreement),
    [33, 72, agreementOfBb(agreement) + accountOf(agreement)],
  ],
  companyOfLot: (agreement) => [[34, 73, agreementOfBb(agreement) + accountOf(agreement)]],
  title: ({ bankNumber }, agreement) => [
    [18, 37, accountOf(agreement)],
    [38, 57, `${field(agreement, 'agreement')}${bankNumber}`.padEnd(20)],
    // 7: simple collection of portfolio 17.
    [58, 62, `${field(agreement, 'portfolio') === '17' ? '7' : '1'}1 00`],
  ],
  // The agreement says how long a boleto may be paid.
  writeOff: () => '0000',
  totals: 0,
};

/** For agreements of seven digits: our number follows the agreement. */
export const BANCO_DO_BRASIL_240: RemittanceBank = {
  code: BB.code,
  layout: '240',
  name: 'Banco do Brasil',
  agreement: {
    ...ACCOUNT,
    agreement: { pattern: /^[1-9]\d{6}$/, meaning: 'seven digits (convênio)' },
    ...portfolio(/^\d{2}$/, 'two digits, such as 17'),
    variation: { pattern: /^\d{3}$/, meaning: 'three digits, such as 019' },
    ...COMPANY,
  },
  agreementFault: () => null,
  numberLength: 10,
  shownNumber: (bankNumber, agreement) => `${field(agreement, 'agreement')}${bankNumber}`,
  freeField: (bankNumber, agreement) =>
    `000000${field(agreement, 'agreement')}${bankNumber}${field(agreement, 'portfolio')}`,
  lines: (remittance) => lines240(BB, remittance),
};
