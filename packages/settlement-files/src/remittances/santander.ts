import { ACCOUNT, COMPANY, field, portfolio } from './agreements.ts';
import { digit9 } from './check-digits.ts';
import { COMMON, type Dialect240, lines240 } from './cnab240-family.ts';
import type { Agreement, RemittanceBank } from './remittance.ts';
import { digits, documentOf } from './write-record.ts';

const transmission = (agreement: Agreement) =>
  `${field(agreement, 'branch')}0000${field(agreement, 'companyCode')}`;

const SANTANDER: Dialect240 = {
  ...COMMON,
  ...{ code: '033', bankName: 'BANCO SANTANDER', version: { file: '040', lot: '030' } },
  company(agreement) {
    const [kind, document] = documentOf(field(agreement, 'companyDocument'));
    return [[17, 47, `${kind.slice(1)}0${document}${transmission(agreement)}`]];
  },
  companyOfLot: (agreement) => [[54, 68, transmission(agreement)]],
  title({ bankNumber }, agreement) {
    const account = digits(field(agreement, 'account'), 9) + field(agreement, 'accountDigit');
    return [
      [18, 42, `${field(agreement, 'branch')}${field(agreement, 'branchDigit')}${account}${account}`],
      [45, 57, bankNumber + digit9(bankNumber)],
      // 5: quick collection with registration; 1: registered, the company prints it.
      [58, 60, '512'],
    ];
  },
  writeOff: (days) => `10${digits(days, 2)}`,
  currency: '00',
  noProtest: '0',
  // Public reports: it refuses a write-off with Q or R behind P.
  behindInstructions: '',
  totals: 0,
  accounts: '',
};

export const SANTANDER_240: RemittanceBank = {
  code: SANTANDER.code,
  layout: '240',
  name: 'Santander',
  agreement: {
    ...ACCOUNT,
    companyCode: { pattern: /^\d{7}$/, meaning: 'seven digits (código do beneficiário)' },
    ...portfolio(/^10[1-4]$/, '101, or another of three digits that begins with 10'),
    ...COMPANY,
  },
  agreementFault: () => null,
  numberLength: 12,
  shownNumber: (bankNumber) => `${bankNumber}-${digit9(bankNumber)}`,
  freeField: (bankNumber, agreement) =>
    `9${field(agreement, 'companyCode')}${bankNumber}${digit9(bankNumber)}0${field(agreement, 'portfolio')}`,
  lines: (remittance) => lines240(SANTANDER, remittance),
};
