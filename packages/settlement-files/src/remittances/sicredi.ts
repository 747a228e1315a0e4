import type { Day } from '../day.ts';
import { ACCOUNT, COMPANY, field } from './agreements.ts';
import { digit9 } from './check-digits.ts';
import { COMMON, type Dialect240, documentOfFile, lines240, MOVEMENTS } from './cnab240-family.ts';
import { detail, linesOf } from './cnab400-family.ts';
import type { Agreement, AgreementField, Remittance, RemittanceBank, RemittanceOrder } from './remittance.ts';
import { digits, documentOf, interestOfDay, shortDay, text, yearDay } from './write-record.ts';

/** Six digits, of which the first is 2 to 9: the company's own. They begin anew after 800,000. */
export function sicrediSequence(ourNumber: string): string {
  return String(200_000 + (Number(ourNumber) % 800_000));
}

function numberOfSicredi(bankNumber: string, agreement: Agreement): string {
  const { branch, unit, companyCode } = agreement;
  return bankNumber + digit9(`${branch}${unit}${companyCode}${bankNumber}`);
}

const accountOfSicredi = (agreement: Agreement) =>
  `${digits(field(agreement, 'branch'), 5)} ${digits(field(agreement, 'account'), 12)}${field(agreement, 'accountDigit')} `;

/** The bank takes no other number of days in CNAB 240. */
const MOST_DAYS = 60;

const SICREDI: Dialect240 = {
  ...COMMON,
  ...{ code: '748', bankName: 'SICREDI', version: { file: '081', lot: '040' } },
  company: (agreement) => [documentOfFile(agreement), [53, 72, accountOfSicredi(agreement)]],
  companyOfLot: (agreement) => [[54, 73, accountOfSicredi(agreement)]],
  title: ({ bankNumber }, agreement) => [
    [18, 37, accountOfSicredi(agreement)],
    [38, 57, numberOfSicredi(bankNumber, agreement).padEnd(20)],
    // Simple, registered; the company prints and delivers it.
    [58, 62, '11122'],
  ],
  // Duplicata mercantil por indicação.
  species: '03',
  // The bank reads the first ten only.
  documentLength: 10,
  writeOff: () => `1${digits(MOST_DAYS, 3)}`,
  density: '01600',
  totals: 'zeros',
};

type Of400 = Pick<Remittance, 'agreement' | 'madeOn'>;

function register(order: RemittanceOrder, { agreement, madeOn }: Of400): (number: number) => string {
  const { amount, discount, payer } = order;
  const [kind, document] = documentOf(payer.documentNumber);
  const ofDiscount = discount === null ? '' : `${shortDay(discount.until)}${digits(discount.amount, 13)}`;
  return detail([
    // Registered, simple, no carnê.
    [1, 4, '1AAA'],
    // Reais; discount and interest are amounts.
    [17, 19, 'AAA'],
    [48, 56, numberOfSicredi(order.bankNumber, agreement)],
    [63, 70, yearDay(madeOn)],
    // The company delivers and prints it.
    [72, 74, 'N B'],
    [83, 96, digits(0, 10) + digits(order.finePortion ?? 0, 4)],
    [109, 110, MOVEMENTS[order.kind]],
    [111, 120, text(order.companyUse.slice(-10), 10)],
    [121, 139, `${shortDay(order.dueOn)}${digits(amount, 13)}`],
    // A: duplicata mercantil por indicação.
    [149, 156, `AN${shortDay(order.issuedOn)}`],
    [157, 173, `0000${digits(interestOfDay(amount, order.interestPortion), 13)}`],
    [174, 218, ofDiscount.padEnd(45, '0')],
    [219, 234, `${kind.slice(1)}0${document}`],
    [235, 314, text(payer.name, 40) + text(payer.street, 40)],
    [315, 325, digits(0, 11)],
    [327, 339, `${payer.zipCode}00000`],
  ]);
}

function lines400({ agreement, number, madeOn, orders }: Remittance): string[] {
  const company = field(agreement, 'companyCode');
  const [, document] = documentOf(field(agreement, 'companyDocument'));
  const first = detail([
    [1, 26, `01REMESSA01${text('COBRANCA', 15)}`],
    [27, 45, company + document],
    [77, 94, `748${text('SICREDI', 15)}`],
    [95, 102, yearDay(madeOn)],
    [111, 117, digits(number, 7)],
    [391, 394, '2.00'],
  ])(1);
  return linesOf(
    first,
    orders.map((order) => register(order, { agreement, madeOn })),
    [[1, 10, `91748${company}`]],
  );
}

const NUMBERS = {
  code: SICREDI.code,
  name: 'Sicredi',
  agreementFault: () => null,
  numberLength: 8,
  numberOf: (ourNumber: string, issuedOn: Day) => issuedOn.slice(2, 4) + sicrediSequence(ourNumber),
  isNamedByBank: true,
  shownNumber(bankNumber: string, agreement: Agreement) {
    const number = numberOfSicredi(bankNumber, agreement);
    return `${number.slice(0, 2)}/${number.slice(2, 8)}-${number.slice(8)}`;
  },
  freeField(bankNumber: string, agreement: Agreement) {
    const { branch, unit, companyCode } = agreement;
    const free = `11${numberOfSicredi(bankNumber, agreement)}${branch}${unit}${companyCode}10`;
    return free + digit9(free);
  },
} as const;

const BENEFICIARY: Readonly<Record<string, AgreementField>> = {
  branch: { pattern: /^\d{4}$/, meaning: 'four digits (cooperativa)' },
  unit: { pattern: /^\d{2}$/, meaning: 'two digits (posto)' },
  companyCode: { pattern: /^\d{5}$/, meaning: 'five digits (código do beneficiário)' },
  ...COMPANY,
};

export const SICREDI_240: RemittanceBank = {
  ...NUMBERS,
  layout: '240',
  mostDaysAfterDue: MOST_DAYS,
  agreement: {
    ...BENEFICIARY,
    account: ACCOUNT.account as AgreementField,
    accountDigit: { pattern: /^\d$/, meaning: 'one digit' },
  },
  lines: (remittance) => lines240(SICREDI, remittance),
};

export const SICREDI_400: RemittanceBank = {
  ...NUMBERS,
  layout: '400',
  agreement: BENEFICIARY,
  lines: lines400,
};
