import { ACCOUNT, COMPANY, field, portfolio } from './agreements.ts';
import { digit9 } from './check-digits.ts';
import { COMMON, type Dialect240, lines240 } from './cnab240-family.ts';
import { detail, header, linesOf, payerDocument, payerPlace, terms } from './cnab400-family.ts';
import type { Agreement, AgreementField, Remittance, RemittanceBank, RemittanceOrder } from './remittance.ts';
import { digits, documentOf, text } from './write-record.ts';

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

/** In the bar code and on paper the number of a file of CNAB 400 has zeros before it. */
const whole = (bankNumber: string) => bankNumber.padStart(12, '0');

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
  shownNumber: (bankNumber) => `${whole(bankNumber)}-${digit9(bankNumber)}`,
  freeField: (bankNumber, agreement) =>
    `9${field(agreement, 'companyCode')}${whole(bankNumber)}${digit9(bankNumber)}0${field(agreement, 'portfolio')}`,
  lines: (remittance) => lines240(SANTANDER, remittance),
};

/** The bank has no other days here: by default those of the agreement count. */
const WRITE_OFFS: Readonly<Record<number, string>> = { 15: '02', 30: '03' };

function register(order: RemittanceOrder, agreement: Agreement): (number: number) => string {
  const { bankNumber, daysAfterDue, finePortion, payer } = order;
  const account = digits(field(agreement, 'account'), 9);
  return detail([
    [1, 17, `1${documentOf(field(agreement, 'companyDocument')).join('')}`],
    [18, 37, field(agreement, 'transmissionCode')],
    [38, 62, order.companyUse.padEnd(25)],
    [63, 76, `${bankNumber}${digit9(bankNumber)}000000`],
    [78, 97, `${finePortion === null ? '0' : '4'}${digits(finePortion ?? 0, 4)}${digits(0, 15)}`],
    // From the day after the due day. 5: registered, and the company prints it.
    [102, 108, '0000005'],
    ...terms(order, { code: '033', title: '01' })(`${WRITE_OFFS[daysAfterDue] ?? '00'}00`),
    payerDocument(order),
    [235, 274, text(payer.name, 40)],
    ...payerPlace(order),
    // The end of an account of ten positions.
    [383, 385, `I${account.slice(-1)}${field(agreement, 'accountDigit')}`],
    [392, 393, '00'],
  ]);
}

function lines400(remittance: Remittance): string[] {
  const { agreement, orders } = remittance;
  const first = header(
    remittance,
    field(agreement, 'transmissionCode'),
    field(agreement, 'companyName'),
    ['033', 'SANTANDER'],
    [
      [101, 116, digits(0, 16)],
      [392, 394, '000'],
    ],
  );
  const sum = orders.reduce((all, { amount }) => all + amount, 0);
  return linesOf(
    first,
    orders.map((order) => register(order, agreement)),
    // Documents, as the manual has it; two public programs count lines here, a third one documents.
    [[1, 394, `9${digits(orders.length, 6)}${digits(sum, 13)}${digits(0, 374)}`]],
  );
}

export const SANTANDER_400: RemittanceBank = {
  ...SANTANDER_240,
  layout: '400',
  agreement: {
    account: ACCOUNT.account as AgreementField,
    accountDigit: { pattern: /^\d$/, meaning: 'one digit' },
    companyCode: SANTANDER_240.agreement.companyCode as AgreementField,
    portfolio: SANTANDER_240.agreement.portfolio as AgreementField,
    transmissionCode: { pattern: /^\d{20}$/, meaning: 'twenty digits (código de transmissão)' },
    ...COMPANY,
  },
  numberLength: 7,
  lines: lines400,
};
