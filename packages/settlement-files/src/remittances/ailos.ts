import { ACCOUNT, COMPANY, field, portfolio } from './agreements.ts';
import { accountOf, COMMON, type Dialect240, documentOfFile, lines240 } from './cnab240-family.ts';
import type { Agreement, RemittanceBank } from './remittance.ts';
import { digits } from './write-record.ts';

const numberOfAilos = (bankNumber: string, agreement: Agreement) =>
  `${digits(field(agreement, 'account'), 7)}${field(agreement, 'accountDigit')}${bankNumber}`;

const AILOS: Dialect240 = {
  ...COMMON,
  ...{ code: '085', bankName: 'AILOS', version: { file: '087', lot: '045' } },
  company: (agreement) => [
    documentOfFile(agreement),
    [33, 72, field(agreement, 'agreement').padEnd(20) + accountOf(agreement)],
  ],
  companyOfLot: (agreement) => [[34, 73, field(agreement, 'agreement').padEnd(20) + accountOf(agreement)]],
  title: ({ bankNumber }, agreement) => [
    [18, 37, accountOf(agreement)],
    [38, 57, numberOfAilos(bankNumber, agreement).padEnd(20)],
    [58, 62, '10122'],
  ],
  // The agreement with the cooperative, not the file, says how long a boleto may be paid.
  writeOff: () => '2   ',
};

export const AILOS_240: RemittanceBank = {
  code: AILOS.code,
  layout: '240',
  name: 'Ailos',
  agreement: {
    ...ACCOUNT,
    account: { pattern: /^\d{1,7}$/, meaning: 'up to seven digits, without the check digit' },
    agreement: { pattern: /^\d{6}$/, meaning: 'six digits (convênio)' },
    ...portfolio(/^\d{2}$/, 'two digits, such as 01'),
    ...COMPANY,
  },
  agreementFault: () => null,
  numberLength: 9,
  shownNumber: numberOfAilos,
  freeField: (bankNumber, agreement) =>
    `${field(agreement, 'agreement')}${numberOfAilos(bankNumber, agreement)}${field(agreement, 'portfolio')}`,
  lines: (remittance) => lines240(AILOS, remittance),
};
