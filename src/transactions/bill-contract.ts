import { type Static, Type } from 'typebox';
import { type Answer, type Call, GENERAL_TAG, type Sound } from '../platform/http/endpoint.ts';
import { RETRY_AFTER_SECONDS, unavailableAnswer } from '../platform/http/failures.ts';
import { named } from '../platform/http/named.ts';
import { type RefusalShape, refusal, refusalAnswer, refusalsAnswer } from '../platform/http/refusal.ts';
import { type Cents, cents } from '../values/cents.ts';
import { decimalParts, type ExactNumber } from '../values/exact-json.ts';
import type { Day } from '../values/instant.ts';
import { type BillTerms, MOST_DAYS_AHEAD, type TermsFault } from './bill-terms.ts';

type InLanguage = Pick<Call<unknown, unknown, unknown>, 'language'>;

export type Decimal = number | ExactNumber;

/** Reais or percent, with at most two decimals. */
export const decimal = (integerDigits: number, isPositive: boolean, description: string) =>
  Type.Unsafe<Decimal>({ exactDecimal: { integerDigits, decimals: 2, isPositive }, description });

export const day = (description: string) => Type.String({ format: 'day', maxLength: 10, description });

export const DUE_DAY = day('YYYY-MM-DD in São Paulo, today or later, five years ahead at most.');

/** The part of a request that says how the amount of a bill changes with the day of its payment. */
export const TERMS_REQUEST = {
  fine: Type.Optional(
    named('BillFine', {
      percent: decimal(2, false, 'Of the value, once, from the day after the due day.'),
    }),
  ),
  interest: Type.Optional(
    named('BillInterest', {
      percentPerMonth: decimal(2, false, 'Of the value for thirty days, by days from the due day.'),
    }),
  ),
  discount: Type.Optional(
    named('BillDiscount', {
      value: decimal(8, true, 'Reais, less than the value.'),
      until: day('The last day of it, YYYY-MM-DD, not after the due day.'),
    }),
  ),
};
const TERMS = Type.Object(TERMS_REQUEST);

/** The schema allows at most two decimals. */
function hundredths(value: Decimal): number {
  const { integer, fraction } = decimalParts(value) ?? { integer: '0', fraction: '' };
  return Number(integer) * 100 + Number(fraction.padEnd(2, '0'));
}

export const reais = (value: Decimal): Cents => cents(hundredths(value));
const portion = (percent: Decimal | undefined): number | null =>
  percent === undefined ? null : hundredths(percent) || null;

export function readTerms({
  fine,
  interest,
  discount,
}: Static<typeof TERMS>): Pick<BillTerms, 'finePortion' | 'interestPortion' | 'discount'> {
  return {
    finePortion: portion(fine?.percent),
    interestPortion: portion(interest?.percentPerMonth),
    discount: discount === undefined ? null : { amount: reais(discount.value), until: discount.until as Day },
  };
}

/** Due day and discount of a malformed request, as far as they are readable. */
export function readSoundDue({
  dueDate,
  discount,
}: {
  readonly dueDate?: string;
  readonly discount?: Sound<Static<typeof TERMS>>['discount'];
}): Partial<Pick<BillTerms, 'dueOn' | 'discount'>> {
  const { value, until } = discount ?? {};
  const isWhole = value !== undefined && until !== undefined;
  return {
    ...(dueDate === undefined ? {} : { dueOn: dueDate as Day }),
    ...(isWhole ? { discount: { amount: reais(value as Decimal), until: until as Day } } : {}),
  };
}

export const TERMS_REFUSALS = {
  dueInThePast: refusal(400, 'dueDate', { pt: 'O vencimento já passou.', en: 'The due day is past.' }),
  dueTooFarAhead: refusal(400, 'dueDate', {
    pt: `O vencimento está a mais de ${MOST_DAYS_AHEAD} dias.`,
    en: `The due day is more than ${MOST_DAYS_AHEAD} days ahead.`,
  }),
  discountTooLarge: refusal(400, 'discount.value', {
    pt: 'O desconto deve ser menor que o valor.',
    en: 'The discount must be less than the value.',
  }),
  discountAfterDueDay: refusal(400, 'discount.until', {
    pt: 'O desconto não pode ir além do vencimento.',
    en: 'The discount must not last beyond the due day.',
  }),
  discountInThePast: refusal(400, 'discount.until', {
    pt: 'O último dia do desconto já passou.',
    en: 'The last day of the discount is past.',
  }),
} as const satisfies Record<TermsFault, RefusalShape>;

export function termsAnswer(faults: readonly TermsFault[], { language }: InLanguage): Answer {
  return refusalsAnswer(
    faults.map((fault) => TERMS_REFUSALS[fault]),
    language,
  );
}

export const BANK_AWAY = refusal(503, GENERAL_TAG, {
  pt: 'Não foi possível conectar ao banco: nada foi pedido a ele. Repita em instantes.',
  en: 'The bank could not be connected to: it was not asked. Repeat the request shortly.',
});

/** The answer when nothing was sent to the bank. `noBank`: how the method says that it has no bank. */
export function unaskedAnswer(
  kind: 'noBank' | 'notSent' | 'notConnected',
  noBank: RefusalShape,
  { language }: InLanguage,
): Answer {
  switch (kind) {
    case 'noBank':
      return refusalAnswer(noBank, language);
    case 'notSent':
      return unavailableAnswer('overloaded', language);
    case 'notConnected':
      return refusalAnswer(BANK_AWAY, language, { 'retry-after': RETRY_AFTER_SECONDS });
  }
}
