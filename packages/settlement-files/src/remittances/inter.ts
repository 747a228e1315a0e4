import type { Day } from '../day.ts';
import { COMPANY, field } from './agreements.ts';
import { modulo10 } from './check-digits.ts';
import { detail, header, linesOf } from './cnab400-family.ts';
import type { Agreement, AgreementField, Remittance, RemittanceBank, RemittanceOrder } from './remittance.ts';
import { dayAfter, digits, documentOf, interestOfDay, shortDay, text } from './write-record.ts';

/** The bank's only branch, and the portfolio whose numbers are the company's, out of a range of the bank. */
const [branch, portfolio] = ['0001', '110'];

const withDigit = (bankNumber: string) => bankNumber + modulo10(`${branch}${portfolio}${bankNumber}`);

/** Code, 13 digits of an amount, 4 of a portion, and a day, as this bank has all its terms. */
function term(code: string, { amount = 0, portion = 0 }, day: Day | null): string {
  return `${code}${digits(amount, 13)}${digits(portion, 4)}${day === null ? '000000' : shortDay(day)}`;
}

const NO_TERM = term('0', {}, null);

function register(order: RemittanceOrder, agreement: Agreement): (number: number) => string {
  // Its public manuals have no code of a write-off or of a change.
  if (order.kind !== 'register') throw new RangeError(`bank 077 is not told a ${order.kind} by file`);
  const { amount, daysAfterDue, discount, dueOn, finePortion, payer } = order;
  const interest = interestOfDay(amount, order.interestPortion);
  const from = dayAfter(dueOn);
  return detail([
    [1, 1, '1'],
    [
      21,
      37,
      `${portfolio}${branch}${digits(field(agreement, 'account'), 9)}${field(agreement, 'accountDigit')}`,
    ],
    [38, 62, order.companyUse.padEnd(25)],
    [66, 89, finePortion === null ? NO_TERM : term('2', { portion: finePortion }, from)],
    [90, 100, withDigit(order.bankNumber)],
    [109, 110, '01'],
    [111, 120, text(order.companyUse.slice(-10), 10)],
    // Days from 01 to 60.
    [121, 141, `${shortDay(dueOn)}${digits(amount, 13)}${digits(Math.max(daysAfterDue, 1), 2)}`],
    [148, 150, '01N'],
    [160, 183, interest === 0 ? NO_TERM : term('1', { amount: interest }, from)],
    [184, 207, discount === null ? NO_TERM : term('1', discount, discount.until)],
    [208, 220, digits(0, 13)],
    [221, 236, documentOf(payer.documentNumber).join('')],
    [237, 276, text(payer.name, 40)],
    [277, 316, text(`${payer.street} ${payer.district} ${payer.city}`, 38) + text(payer.state, 2)],
    [317, 324, payer.zipCode],
  ]);
}

function lines400(remittance: Remittance): string[] {
  const { agreement, number, orders } = remittance;
  const name = field(agreement, 'companyName');
  const first = header(remittance, ' '.repeat(20), name, ['077', 'INTER'], [[111, 117, digits(number, 7)]]);
  return linesOf(
    first,
    orders.map((order) => register(order, agreement)),
    [[1, 7, `9${digits(orders.length, 6)}`]],
  );
}

const TEN_DIGITS: AgreementField = { pattern: /^\d{10}$/, meaning: 'ten digits, without the check digit' };

export const INTER_400: RemittanceBank = {
  code: '077',
  layout: '400',
  name: 'Inter',
  agreement: {
    account: { pattern: /^\d{1,9}$/, meaning: 'up to nine digits, without the check digit' },
    accountDigit: { pattern: /^\d$/, meaning: 'one digit' },
    operation: { pattern: /^\d{7}$/, meaning: 'seven digits (número da operação)' },
    ...{ firstNumber: TEN_DIGITS, lastNumber: TEN_DIGITS },
    companyName: COMPANY.companyName as AgreementField,
  },
  agreementFault: ({ firstNumber = '', lastNumber = '' }) =>
    firstNumber <= lastNumber ? null : `lastNumber=${lastNumber} is less than firstNumber=${firstNumber}`,
  told: ['register'],
  mostDaysAfterDue: 60,
  numberLength: 10,
  numberOf(ourNumber, _issuedOn, { firstNumber, lastNumber }) {
    const first = Number(firstNumber);
    return digits(first + (Number(ourNumber) % (Number(lastNumber) - first + 1)), 10);
  },
  shownNumber(bankNumber) {
    const number = withDigit(bankNumber);
    return `${branch}9/${portfolio}/${number.slice(0, 10)}-${number.slice(10)}`;
  },
  freeField: (bankNumber, agreement) =>
    `${branch}${portfolio}${field(agreement, 'operation')}${withDigit(bankNumber)}`,
  lines: lines400,
};
