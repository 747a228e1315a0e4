import { bradescoDigit, digit9, modulo10, sicrediSequence } from '#settlement-files';
import type { BoletoPayer, RegisteredBoleto } from '../../../../providers/banks/bank.ts';
import { type BarCode, parseBarCode } from '../../../../values/bar-code.ts';
import type { Cents } from '../../../../values/cents.ts';
import { documentText } from '../../../../values/document-number.ts';
import type { Day } from '../../../../values/instant.ts';
import { dayText, reaisShown } from '../../../payers/page-of-payer.ts';
import type { BOLETO_STATES } from '../boleto.ts';
import bankNames from './bank-names.json' with { type: 'json' };

export type BoletoToPrint = {
  readonly state: (typeof BOLETO_STATES)[number];
  /** It is `canceling` because its time is over. */
  readonly isExpiring: boolean;
  /** Null if no bank has registered it. */
  readonly registered: RegisteredBoleto | null;
  readonly ourNumber: string;
  readonly referenceTransaction: string | null;
  readonly amount: Cents;
  readonly issuedOn: Day;
  readonly dueOn: Day;
  readonly payableUntil: Day;
  readonly beneficiary: {
    readonly name: string;
    readonly documentNumber: string;
    readonly address: string | null;
  };
  /** Null: erased. */
  readonly payer: BoletoPayer | null;
  readonly instructions: readonly string[];
  /** Hundredths of a percent. */
  readonly finePortion: number | null;
  readonly interestPortion: number | null;
  readonly discount: { readonly amount: Cents; readonly until: Day } | null;
  readonly payment: { readonly amount: Cents; readonly paidOn: Day } | null;
  readonly today: Day;
};

export type PayableBoleto = Pick<
  BoletoToPrint,
  'state' | 'isExpiring' | 'registered' | 'payment' | 'dueOn' | 'payableUntil' | 'today'
>;
/** While the due day of a boleto is being changed, the bank accepts the bar code that the boleto had. */
const PAYABLE: readonly BoletoToPrint['state'][] = ['issued', 'overdue', 'changing'];

/** Null unless the boleto can be paid, so that nobody pays by mistake. */
export function payableBarCode(boleto: PayableBoleto): BarCode | null {
  const { state, registered, dueOn } = boleto;
  if (registered === null || !PAYABLE.includes(state) || isTimeOver(boleto)) return null;
  const reading = parseBarCode(registered.barCode, dueOn);
  return reading.kind === 'barCode' ? reading.barCode : null;
}

/** Banks take no payment after `payableUntil`, even if the bank has not ended the boleto yet. */
function isTimeOver({ today, payableUntil }: Pick<BoletoToPrint, 'today' | 'payableUntil'>): boolean {
  return today > payableUntil;
}

/** The first thing that a payer must read; null if the boleto just waits to be paid. */
export function noticeOf(boleto: PayableBoleto): string | null {
  const { state, isExpiring, payment, payableUntil } = boleto;
  switch (state) {
    case 'issued':
    case 'changing':
      return isTimeOver(boleto) ? TIME_IS_OVER : null;
    case 'overdue':
      if (isTimeOver(boleto)) return TIME_IS_OVER;
      return `Este boleto venceu. Ele ainda pode ser pago até ${dayText(payableUntil)}.`;
    case 'issuing':
      return 'Este boleto ainda não foi registrado no banco. Abra esta página de novo em alguns minutos.';
    case 'refused':
      return 'Este boleto não foi registrado no banco e não pode ser pago.';
    case 'canceling':
      return isExpiring ? TIME_IS_OVER : 'Este boleto está sendo cancelado. Não o pague.';
    case 'canceled':
      return 'Este boleto foi cancelado. Não o pague.';
    case 'expired':
      return TIME_IS_OVER;
    case 'paid':
      return payment === null
        ? 'Este boleto já foi pago.'
        : `Este boleto foi pago em ${dayText(payment.paidOn)}: ${reaisShown(payment.amount)}.`;
  }
}

const TIME_IS_OVER = 'O prazo de pagamento deste boleto terminou. Peça um novo ao beneficiário.';

/** The merchant's own lines, then the terms that the bank was given, for whoever takes the payment. */
export function instructionsOf(boleto: BoletoToPrint): string[] {
  const { instructions, discount, finePortion, interestPortion, dueOn, payableUntil } = boleto;
  const terms = [
    discount && `Até ${dayText(discount.until)}, desconto de ${reaisShown(discount.amount)}.`,
    finePortion && `Após o vencimento, multa de ${percent(finePortion)}.`,
    interestPortion && `Após o vencimento, juros de ${percent(interestPortion)} ao mês, por dia de atraso.`,
    payableUntil === dueOn ? 'Não receber após o vencimento.' : `Não receber após ${dayText(payableUntil)}.`,
  ];
  return [...instructions, ...terms.filter((term) => typeof term === 'string')];
}

type BankName = { readonly name: string; readonly digit: string };

/** `Itaú` and `341-7`; of a bank that is not in the list, its code alone. */
export function bankOf(barCode: BarCode): { readonly name: string; readonly code: string } {
  const code = barCode.slice(0, 3);
  const known = (bankNames as Readonly<Record<string, BankName>>)[code];
  return known === undefined
    ? { name: `Banco ${code}`, code }
    : { name: known.name, code: `${code}-${known.digit}` };
}

export type NumbersOnPaper = {
  readonly branchAndCode: string;
  readonly portfolio: string;
  readonly bankNumber: string;
};

/** Portfolios of Itaú whose free field has no branch. */
const ITAU_WITHOUT_BRANCH = ['106', '107', '122', '142', '143', '195', '196', '198'];

/**
 * Reads a bar code's free field of 25 digits. `number`: the bank's number without check digit. `of`: what our
 * number becomes there, if `number` is not its last digits. Null: another layout.
 */
type FreeFieldReader = (
  free: string,
) => (NumbersOnPaper & { readonly number: string; readonly of?: (ourNumber: string) => string }) | null;

const FREE_FIELDS: Readonly<Record<string, FreeFieldReader>> = {
  '001'(free) {
    if (!free.startsWith('000000')) return null;
    const [agreement, number, portfolio] = cut(free.slice(6), 7, 10, 2);
    return { number, branchAndCode: '', portfolio, bankNumber: agreement + number };
  },
  '033'(free) {
    const [first, code, number, digit, , portfolio] = cut(free, 1, 7, 12, 1, 1, 3);
    if (first !== '9') return null;
    return { number, branchAndCode: code, portfolio, bankNumber: `${number}-${digit}` };
  },
  '077'(free) {
    const [branch, portfolio, , number, digit] = cut(free, 4, 3, 7, 10, 1);
    // The numbers are of a range of the bank: its digit says that they are read right.
    if (modulo10(branch + portfolio + number) !== digit) return null;
    const branchAndCode = `${branch}-9`;
    const bankNumber = `${branch}9/${portfolio}/${number}-${digit}`;
    return { number, of: () => number, branchAndCode, portfolio, bankNumber };
  },
  '085'(free) {
    const [, account, digit, number, portfolio] = cut(free, 6, 7, 1, 9, 2);
    const branchAndCode = `${account}-${digit}`;
    return { number, branchAndCode, portfolio, bankNumber: `${account}${digit}${number}` };
  },
  '104'(free) {
    const [company, first, kind, second, issuer, third] = cut(free, 7, 3, 1, 3, 1, 9);
    const number = first + second + third;
    const whole = kind + issuer + number;
    const bankNumber = `${whole}-${digit9(whole)}`;
    return { number, branchAndCode: company, portfolio: kind === '1' ? 'RG' : 'SR', bankNumber };
  },
  // BTG has three digits of the portfolio on paper.
  '208': (free) => likeBradesco(free, '0'),
  '237': (free) => likeBradesco(free, ''),
  '341'(free) {
    const [portfolio, number, digit, branch, account, ofAccount, zeros] = cut(free, 3, 8, 1, 4, 5, 1, 3);
    if (ITAU_WITHOUT_BRANCH.includes(portfolio) || zeros !== '000') return null;
    const branchAndCode = `${branch}/${account}-${ofAccount}`;
    return { number, branchAndCode, portfolio, bankNumber: `${portfolio}/${number}-${digit}` };
  },
  '748'(free) {
    const [kind, portfolio, year, number, digit, branch, unit, code] = cut(free, 1, 1, 2, 6, 1, 4, 2, 5);
    if (kind !== '1') return null;
    const branchAndCode = `${branch}.${unit}.${code}`;
    const bankNumber = `${year}/${number}-${digit}`;
    return { number, of: sicrediSequence, branchAndCode, portfolio, bankNumber };
  },
  '756'(free) {
    const [portfolio, branch, , code, number, digit] = cut(free, 1, 4, 2, 7, 7, 1);
    return { number, branchAndCode: `${branch}/${code}`, portfolio, bankNumber: `${number}-${digit}` };
  },
};

function likeBradesco(free: string, before: string) {
  const [branch, portfolio, number, account] = cut(free, 4, 2, 11, 7);
  const bankNumber = `${before}${portfolio}/${number}-${bradescoDigit(portfolio + number)}`;
  return { number, branchAndCode: `${branch}/${account}`, portfolio, bankNumber };
}

/**
 * The numbers that banks want printed, as the bar code has them. Null: its free field is not read here, or
 * does not have our number.
 */
export function numbersOnPaper(barCode: BarCode, ourNumber: string): NumbersOnPaper | null {
  const read = FREE_FIELDS[barCode.slice(0, 3)]?.(barCode.slice(19)) ?? null;
  if (read === null) return null;
  const { number, of, ...numbers } = read;
  const ours = of?.(ourNumber) ?? ourNumber;
  const length = Math.min(number.length, ours.length);
  const isOurs =
    number.slice(-length) === ours.slice(-length) && Number(number) === Number(number.slice(-length));
  return isOurs ? numbers : null;
}

/** Parts of the given lengths. */
function cut<const Lengths extends readonly number[]>(
  text: string,
  ...lengths: Lengths
): { [Index in keyof Lengths]: string } {
  let end = 0;
  const parts = lengths.map((length) => {
    end += length;
    return text.slice(end - length, end);
  });
  return parts as { [Index in keyof Lengths]: string };
}

function percent(portion: number): string {
  return `${Math.floor(portion / 100)},${String(portion % 100).padStart(2, '0')}%`;
}

export function beneficiaryLine({ beneficiary: { name, documentNumber } }: BoletoToPrint): string {
  return `${name} - CNPJ ${documentText(documentNumber)}`;
}

export function payerLines({ payer }: BoletoToPrint): readonly [string, string] {
  if (payer === null) return ['Dados do pagador apagados', ''];
  const { street, number, complement, district, city, state, zipCode } = payer.address;
  const place = [`${street}, ${number}`, complement, district].filter(Boolean).join(' - ');
  const zip = zipCode.replace(/^(.{5})(.{3})$/, '$1-$2');
  return [
    `${payer.name} - CPF/CNPJ ${documentText(payer.documentNumber)}`,
    `${place} - ${city}/${state} - CEP ${zip}`,
  ];
}
