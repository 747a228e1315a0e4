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
  readonly beneficiary: { readonly name: string; readonly documentNumber: string };
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

/** Null unless the boleto can be paid, so that nobody pays by mistake. */
export function payableBarCode(boleto: BoletoToPrint): BarCode | null {
  const { state, registered, dueOn } = boleto;
  if (registered === null || (state !== 'issued' && state !== 'overdue') || isTimeOver(boleto)) return null;
  const reading = parseBarCode(registered.barCode, dueOn);
  return reading.kind === 'barCode' ? reading.barCode : null;
}

/** Banks take no payment after `payableUntil`, even if the bank has not ended the boleto yet. */
function isTimeOver({ today, payableUntil }: Pick<BoletoToPrint, 'today' | 'payableUntil'>): boolean {
  return today > payableUntil;
}

/** The first thing that a payer must read; null if the boleto just waits to be paid. */
export function noticeOf(boleto: BoletoToPrint): string | null {
  const { state, isExpiring, payment, payableUntil } = boleto;
  switch (state) {
    case 'issued':
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
 * What banks ask to be printed and their bar code says. Null if its free field is not read, or does not have
 * our number.
 */
export function numbersOnPaper(barCode: BarCode, ourNumber: string): NumbersOnPaper | null {
  const free = barCode.slice(19);
  switch (barCode.slice(0, 3)) {
    case '341': {
      const portfolio = free.slice(0, 3);
      if (ITAU_WITHOUT_BRANCH.includes(portfolio) || !free.endsWith('000')) return null;
      if (!ourNumber.endsWith(free.slice(3, 11))) return null;
      return {
        branchAndCode: `${free.slice(12, 16)}/${free.slice(16, 21)}-${free[21]}`,
        portfolio,
        bankNumber: `${portfolio}/${free.slice(3, 11)}-${free[11]}`,
      };
    }
    case '237': {
      const portfolio = free.slice(4, 6);
      const number = free.slice(6, 17);
      if (number !== ourNumber) return null;
      return {
        branchAndCode: `${free.slice(0, 4)}/${free.slice(17, 24)}`,
        portfolio,
        bankNumber: `${portfolio}/${number}-${bradescoDigit(portfolio + number)}`,
      };
    }
    default:
      return null;
  }
}

/** Modulo 11, weights 2 to 7 from the right, repeated. */
function bradescoDigit(digits: string): string {
  const sum = [...digits]
    .toReversed()
    .reduce((total, digit, fromRight) => total + Number(digit) * (2 + (fromRight % 6)), 0);
  const rest = sum % 11;
  if (rest === 1) return 'P';
  return rest === 0 ? '0' : String(11 - rest);
}

function percent(portion: number): string {
  return `${Math.floor(portion / 100)},${String(portion % 100).padStart(2, '0')}%`;
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
