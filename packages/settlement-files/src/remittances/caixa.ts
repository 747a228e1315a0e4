import { ACCOUNT, COMPANY, field } from './agreements.ts';
import { digit9 } from './check-digits.ts';
import { COMMON, type Dialect240, documentOfFile, lines240 } from './cnab240-family.ts';
import { detail, header, linesOf, payerDocument, payerPlace, terms } from './cnab400-family.ts';
import type { Agreement, AgreementField, Remittance, RemittanceBank, RemittanceOrder } from './remittance.ts';
import { dayAfter, digits, documentOf, interestOfDay, shortDay, text } from './write-record.ts';

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

/** Not FEBRABAN's: here 06 is another instruction. */
const MOVEMENTS_400 = { register: '01', writeOff: '02', dueDay: '05' } as const;

function register(order: RemittanceOrder, agreement: Agreement): (number: number) => string {
  const { amount, discount, finePortion, payer } = order;
  const after = shortDay(dayAfter(order.dueOn));
  const hasInterest = interestOfDay(amount, order.interestPortion) > 0;
  // The bank wants the amount of the fine.
  const fine = Math.round((amount * (finePortion ?? 0)) / 10_000);
  return detail([
    [1, 17, `1${documentOf(field(agreement, 'companyDocument')).join('')}`],
    [18, 27, `000${field(agreement, 'companyCode').padStart(7)}`],
    // The company prints and delivers it.
    [28, 31, '2000'],
    [32, 56, order.companyUse.padEnd(25)],
    [57, 73, MODALITY + order.bankNumber],
    [78, 84, `${hasInterest ? after : '000000'}${discount === null ? '0' : '1'}`],
    [107, 108, '01'],
    // 02: given back, not protested, after the days in 392.
    ...terms(order, { code: '104', title: '01', movements: MOVEMENTS_400 })('0200'),
    payerDocument(order),
    [235, 274, text(payer.name, 40)],
    ...payerPlace(order),
    [352, 367, `${fine === 0 ? '000000' : after}${digits(fine, 10)}`],
    [390, 394, `00${digits(order.daysAfterDue, 2)}1`],
  ]);
}

function lines400(remittance: Remittance): string[] {
  const { agreement, number, orders } = remittance;
  const code = field(agreement, 'companyCode');
  const first = header(
    remittance,
    (field(agreement, 'branch') + code).padEnd(20),
    field(agreement, 'companyName'),
    ['104', 'C ECON FEDERAL'],
    [
      // The version for codes of seven digits; those of six have none.
      [101, 103, code.length === 7 ? '007' : '   '],
      [390, 394, digits(number, 5)],
    ],
  );
  return linesOf(
    first,
    orders.map((order) => register(order, agreement)),
  );
}

const { branchDigit: _, ...AGREEMENT_400 } = CAIXA_240.agreement;

export const CAIXA_400: RemittanceBank = {
  ...CAIXA_240,
  layout: '400',
  agreement: AGREEMENT_400,
  lines: lines400,
};
