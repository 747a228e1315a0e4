import { ACCOUNT, COMPANY, field } from './agreements.ts';
import { digit9 } from './check-digits.ts';
import { COMMON, type Dialect240, documentOfFile, lines240 } from './cnab240-family.ts';
import type { AgreementField, RemittanceBank } from './remittance.ts';
import { digits } from './write-record.ts';

/** 1: registered; 4: the company prints it. */
const MODALITY = '14';

const CAIXA: Dialect240 = {
  ...COMMON,
  ...{ code: '104', bankName: 'CAIXA ECONOMICA FEDERAL', version: { file: '101', lot: '060' } },
  company: (agreement) => [
    documentOfFile(agreement),
    [33, 58, `${digits(0, 20)}${digits(field(agreement, 'branch'), 5)}${field(agreement, 'branchDigit')}`],
    [59, 72, field(agreement, 'companyCode').padEnd(14, '0')],
  ],
  companyOfLot(agreement) {
    const code = field(agreement, 'companyCode');
    return [
      [34, 53, code.padEnd(20, '0')],
      [54, 59, digits(field(agreement, 'branch'), 5) + field(agreement, 'branchDigit')],
      [60, 73, (code.length === 7 ? '' : code).padEnd(14, '0')],
    ];
  },
  title: ({ bankNumber }, agreement) => [
    [18, 23, digits(field(agreement, 'branch'), 5) + field(agreement, 'branchDigit')],
    [24, 39, field(agreement, 'companyCode').padEnd(16, '0')],
    [40, 57, `0${MODALITY}${bankNumber}`],
    // Simple, registered, in book entry; the company prints and delivers it.
    [58, 62, '11220'],
  ],
  documentLength: 11,
  service: 'REMESSA-PRODUCAO',
  lotFiller: '00',
  totals: 3,
  accounts: '',
};

export const CAIXA_240: RemittanceBank = {
  code: CAIXA.code,
  layout: '240',
  name: 'Caixa',
  agreement: {
    ...{ branch: ACCOUNT.branch as AgreementField, branchDigit: ACCOUNT.branchDigit as AgreementField },
    companyCode: { pattern: /^\d{6,7}$/, meaning: 'six or seven digits (código do beneficiário)' },
    ...COMPANY,
  },
  agreementFault: () => null,
  numberLength: 15,
  shownNumber: (bankNumber) => `${MODALITY}${bankNumber}-${digit9(MODALITY + bankNumber)}`,
  freeField(bankNumber, agreement) {
    const code = field(agreement, 'companyCode');
    const company = code.length === 7 ? code : code + digit9(code);
    const [first, second, rest] = [bankNumber.slice(0, 3), bankNumber.slice(3, 6), bankNumber.slice(6)];
    const free = `${company}${first}${MODALITY[0]}${second}${MODALITY[1]}${rest}`;
    return free + digit9(free);
  },
  lines: (remittance) => lines240(CAIXA, remittance),
};
