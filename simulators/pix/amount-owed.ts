import { bankDayFrom } from '../kit/bank-days.ts';
import { dayAfter, daysBetween, endOfDay } from '../kit/days.ts';
import type { ChargeContent, Discount, Rate } from './charge-content.ts';
import { centsOf } from './money.ts';

/** Cents of what the amount of a Pix is made of. */
export type Components = {
  readonly original: number;
  readonly multa?: number;
  readonly juros?: number;
  readonly abatimento?: number;
  readonly desconto?: number;
};

const PERCENT = 10_000;
const DAYS_OF_A_MONTH = 30;
const DAYS_OF_A_YEAR = 365;
const BANK_DAYS_OF_A_MONTH = 21;
const BANK_DAYS_OF_A_YEAR = 252;

export function totalOf({
  original,
  multa = 0,
  juros = 0,
  abatimento = 0,
  desconto = 0,
}: Components): number {
  return original + multa + juros - abatimento - desconto;
}

/** What a payer owes on a day. */
export function owedOn({ calendario, valor }: ChargeContent, day: string): Components {
  const original = centsOf(valor.original);
  const { dataDeVencimento } = calendario;
  if (dataDeVencimento === undefined) return { original };
  const dueOn = bankDayFrom(dataDeVencimento);
  const isLate = day > dueOn;
  const { multa, juros, abatimento, desconto } = valor;
  return {
    original,
    ...(multa !== undefined && isLate ? { multa: shareOf(multa, original) } : {}),
    ...(juros !== undefined && isLate ? { juros: interestOf(juros, original, dueOn, day) } : {}),
    ...(abatimento === undefined ? {} : { abatimento: shareOf(abatimento, original) }),
    ...(desconto === undefined || isLate ? {} : { desconto: discountOf(desconto, original, dueOn, day) }),
  };
}

/** The first instant at which nobody can pay any more. */
export function endOf({ calendario }: ChargeContent, createdAt: number): number {
  const { dataDeVencimento, validadeAposVencimento = 0, expiracao = 0 } = calendario;
  if (dataDeVencimento === undefined) return createdAt + expiracao * 1_000;
  return endOfDay(bankDayFrom(dayAfter(bankDayFrom(dataDeVencimento), validadeAposVencimento)));
}

function shareOf({ modalidade, valorPerc }: Rate, original: number): number {
  return modalidade === 1 ? centsOf(valorPerc) : Math.round((original * centsOf(valorPerc)) / PERCENT);
}

/** Modes 1 to 4 count all days, 5 to 8 those of banks: an amount, then percent of a day, a month, a year. */
function interestOf({ modalidade, valorPerc }: Rate, original: number, dueOn: string, day: string): number {
  const isOfBankDays = modalidade > 4;
  const days = isOfBankDays ? bankDaysBetween(dueOn, day) : daysBetween(dueOn, day);
  const rate = centsOf(valorPerc);
  const mode = isOfBankDays ? modalidade - 4 : modalidade;
  if (mode === 1) return rate * days;
  const month = isOfBankDays ? BANK_DAYS_OF_A_MONTH : DAYS_OF_A_MONTH;
  const year = isOfBankDays ? BANK_DAYS_OF_A_YEAR : DAYS_OF_A_YEAR;
  const period = mode === 2 ? 1 : mode === 3 ? month : year;
  return Math.round((original * rate * days) / (PERCENT * period));
}

/** Modes 1 and 2 end on days; 3 to 6 are for each day before the due day, of banks in 4 and 6. */
function discountOf(discount: Discount, original: number, dueOn: string, day: string): number {
  const { modalidade, descontoDataFixa = [], valorPerc = '0.00' } = discount;
  const cents = (amount: string, isPercent: boolean, days: number) =>
    isPercent ? Math.round((original * centsOf(amount) * days) / PERCENT) : centsOf(amount) * days;
  if (modalidade <= 2) {
    const open = descontoDataFixa
      .filter(({ data }) => day <= data)
      .toSorted((one, other) => (one.data < other.data ? -1 : 1));
    return open[0] === undefined ? 0 : cents(open[0].valorPerc, modalidade === 2, 1);
  }
  const isOfBankDays = modalidade === 4 || modalidade === 6;
  const days = isOfBankDays ? bankDaysBetween(day, dueOn) : daysBetween(day, dueOn);
  return Math.min(cents(valorPerc, modalidade >= 5, days), original - 1);
}

function bankDaysBetween(from: string, to: string): number {
  let days = 0;
  for (let day = bankDayFrom(dayAfter(from, 1)); day <= to; day = bankDayFrom(dayAfter(day, 1))) days += 1;
  return days;
}
