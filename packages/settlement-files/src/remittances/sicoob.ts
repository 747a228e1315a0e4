import { ACCOUNT, COMPANY, field } from './agreements.ts';
import { accountOf, COMMON, type Dialect240, documentOfFile, lines240, MOVEMENTS } from './cnab240-family.ts';
import { detail, header, linesOf, payerDocument } from './cnab400-family.ts';
import type { Agreement, Remittance, RemittanceBank, RemittanceOrder } from './remittance.ts';
import { digits, documentOf, shortDay, text } from './write-record.ts';

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

/** Hundredths of a percent, written with four decimals. */
const rate = (portion: number | null) => digits((portion ?? 0) * 100, 6);

function register(order: RemittanceOrder, agreement: Agreement): (number: number) => string {
  const { bankNumber, discount, payer } = order;
  const branch = field(agreement, 'branch') + field(agreement, 'branchDigit');
  const account = digits(field(agreement, 'account'), 8) + field(agreement, 'accountDigit');
  const ofDiscount = discount === null ? '' : `${shortDay(discount.until)}${digits(discount.amount, 13)}`;
  return detail([
    [1, 17, `1${documentOf(field(agreement, 'companyDocument')).join('')}`],
    [18, 37, `${branch}${account}000000`],
    [38, 62, order.companyUse.padEnd(25)],
    // Installment 01.
    [63, 78, `${digits(bankNumber + digitOfSicoob(bankNumber, agreement), 12)}0100`],
    [86, 101, digits(0, 16)],
    // The company prints it.
    [106, 110, `2${field(agreement, 'modality')}${MOVEMENTS[order.kind]}`],
    [111, 120, text(order.companyUse.slice(-10), 10)],
    [121, 139, `${shortDay(order.dueOn)}${digits(order.amount, 13)}`],
    [140, 147, `756${branch}`],
    // 01: duplicata mercantil; 0: not accepted yet.
    [148, 156, `010${shortDay(order.issuedOn)}`],
    // 07: no protest.
    [157, 160, '0700'],
    // A month, and once; the company delivers it.
    [161, 173, `${rate(order.interestPortion)}${rate(order.finePortion)}2`],
    [174, 192, ofDiscount.padEnd(19, '0')],
    // 9: reais.
    [193, 218, `9${digits(0, 25)}`],
    payerDocument(order),
    [235, 274, text(payer.name, 40)],
    [275, 326, text(payer.street, 37) + text(payer.district, 15)],
    [327, 334, payer.zipCode],
    [335, 351, text(payer.city, 15) + text(payer.state, 2)],
    [392, 393, '00'],
  ]);
}

function lines400(remittance: Remittance): string[] {
  const { agreement, number, orders } = remittance;
  // The manual has a blank behind the branch, where public programs write its digit.
  const company = `${field(agreement, 'branch')} ${digits(field(agreement, 'companyCode'), 9)}`.padEnd(20);
  const name = field(agreement, 'companyName');
  const first = header(remittance, company, name, ['756', 'BANCOOBCED'], [[101, 107, digits(number, 7)]]);
  return linesOf(
    first,
    orders.map((order) => register(order, agreement)),
  );
}

export const SICOOB_400: RemittanceBank = { ...SICOOB_240, layout: '400', lines: lines400 };
