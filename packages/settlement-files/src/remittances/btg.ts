import { COMPANY, field, portfolio } from './agreements.ts';
import { bradescoDigit } from './check-digits.ts';
import { COMMON, type Dialect240, documentOfFile, lines240 } from './cnab240-family.ts';
import type { Agreement, RemittanceBank } from './remittance.ts';
import { digits } from './write-record.ts';

/** The same digit as Bradesco's: the bank's example is right, and its words are not. */
function digitOfBtg(bankNumber: string, agreement: Agreement): string {
  return bradescoDigit(field(agreement, 'portfolio') + bankNumber);
}

const accountOfBtg = (agreement: Agreement) =>
  `${digits(field(agreement, 'branch'), 5)} ${digits(field(agreement, 'account'), 12)}${field(agreement, 'accountDigit')} `;

const companyOfBtg = (agreement: Agreement) =>
  field(agreement, 'companyCode').padEnd(20) + accountOfBtg(agreement);

const BTG: Dialect240 = {
  ...COMMON,
  // The bank's example has version 083 of the file, FEBRABAN's manual, which it points to, 103.
  ...{ code: '208', bankName: 'BANCO BTG PACTUAL S.A.', version: { file: '083', lot: '060' } },
  company: (agreement) => [documentOfFile(agreement), [33, 72, companyOfBtg(agreement)]],
  companyOfLot: (agreement) => [[34, 73, companyOfBtg(agreement)]],
  title: ({ bankNumber }, agreement) => [
    [18, 37, accountOfBtg(agreement)],
    [38, 57, (bankNumber + digitOfBtg(bankNumber, agreement)).padEnd(20)],
    // Registered; the company prints and delivers it.
    [58, 62, `${field(agreement, 'portfolio')}1122`],
  ],
  totals: 'zeros',
};

export const BTG_240: RemittanceBank = {
  code: BTG.code,
  layout: '240',
  name: 'BTG Pactual',
  agreement: {
    branch: { pattern: /^\d{4}$/, meaning: 'four digits' },
    account: { pattern: /^\d{1,7}$/, meaning: 'up to seven digits, without the check digit' },
    accountDigit: { pattern: /^\d$/, meaning: 'one digit' },
    companyCode: { pattern: /^\d{1,20}$/, meaning: 'up to twenty digits (convênio)' },
    ...portfolio(/^[1-6]$/, 'one digit, such as 1'),
    ...COMPANY,
  },
  agreementFault: () => null,
  numberLength: 11,
  shownNumber: (bankNumber, agreement) =>
    `${digits(field(agreement, 'portfolio'), 3)}/${bankNumber}-${digitOfBtg(bankNumber, agreement)}`,
  freeField(bankNumber, agreement) {
    const account = digits(field(agreement, 'account'), 7);
    return `${field(agreement, 'branch')}0${field(agreement, 'portfolio')}${bankNumber}${account}0`;
  },
  lines: (remittance) => lines240(BTG, remittance),
};
