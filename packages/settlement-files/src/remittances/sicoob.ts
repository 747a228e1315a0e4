import { ACCOUNT, COMPANY, field } from './agreements.ts';
import { accountOf, COMMON, type Dialect240, documentOfFile, lines240 } from './cnab240-family.ts';
import type { Agreement, RemittanceBank } from './remittance.ts';
import { digits } from './write-record.ts';

/** Weights 3, 1, 9 and 7 from the left over branch, client and number. */
function digitOfSicoob(bankNumber: string, agreement: Agreement): string {
  const all = `${field(agreement, 'branch')}${digits(field(agreement, 'companyCode'), 10)}${bankNumber}`;
  const weights = [3, 1, 9, 7];
  const rest = [...all].reduce((sum, one, index) => sum + Number(one) * (weights[index % 4] ?? 0), 0) % 11;
  return rest < 2 ? '0' : String(11 - rest);
}

const SICOOB: Dialect240 = {
  ...COMMON,
  ...{ code: '756', bankName: 'SICOOB', version: { file: '081', lot: '040' } },
  company: (agreement) => [documentOfFile(agreement), [53, 72, accountOf(agreement)]],
  companyOfLot: (agreement) => [[54, 73, accountOf(agreement)]],
  title: ({ bankNumber }, agreement) => [
    [18, 37, accountOf(agreement)],
    // Installment 01, the modality of the agreement, form 4 (plain paper).
    [
      38,
      52,
      `${digits(bankNumber + digitOfSicoob(bankNumber, agreement), 10)}01${field(agreement, 'modality')}4`,
    ],
    [58, 62, '10 22'],
  ],
  // The agreement with the cooperative, not the file, says how long a boleto may be paid.
  writeOff: () => '0   ',
  noInterest: '0',
};

export const SICOOB_240: RemittanceBank = {
  code: SICOOB.code,
  layout: '240',
  name: 'Sicoob',
  agreement: {
    ...ACCOUNT,
    companyCode: { pattern: /^\d{1,7}$/, meaning: 'up to seven digits (código do cliente)' },
    modality: { pattern: /^\d{2}$/, meaning: 'two digits, such as 01' },
    ...COMPANY,
  },
  agreementFault: () => null,
  numberLength: 7,
  shownNumber: (bankNumber, agreement) => `${bankNumber}-${digitOfSicoob(bankNumber, agreement)}`,
  freeField(bankNumber, agreement) {
    const company = digits(field(agreement, 'companyCode'), 7);
    const number = bankNumber + digitOfSicoob(bankNumber, agreement);
    return `1${field(agreement, 'branch')}${field(agreement, 'modality')}${company}${number}001`;
  },
  lines: (remittance) => lines240(SICOOB, remittance),
};
