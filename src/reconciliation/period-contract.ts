import { Type } from 'typebox';
import { MOST_DAYS_OF_EXPORT } from '../platform/exports.ts';
import type { Fault } from '../platform/http/endpoint.ts';
import { GENERAL_TAG } from '../platform/http/endpoint.ts';
import { endsBeforeItBegins, hasMoreDays, type RefusalShape, refusal } from '../platform/http/refusal.ts';
import { type Cents, reaisText } from '../values/cents.ts';
import { ExactNumber } from '../values/exact-json.ts';
import { isDay } from '../values/instant.ts';

export const MOST_DAYS = 93;

export const ACCOUNT = Type.String({ minLength: 1, maxLength: 20 });

export const dayField = (description: string) => Type.String({ format: 'day', maxLength: 10, description });

/** Named like the last day's field. */
export const PERIOD_FAULTS = {
  rangeBackwards: endsBeforeItBegins('endDate'),
  fileTooLong: hasMoreDays('endDate', MOST_DAYS_OF_EXPORT),
  periodTooLong: hasMoreDays('endDate', MOST_DAYS),
} as const satisfies Record<string, RefusalShape>;

/**
 * The schema reports faults of a single text. With `format` the answer is a file and may have many more days.
 */
export function periodCheck(first: string, last: string) {
  return (query: Readonly<Record<string, unknown>>): Fault[] => {
    const { [first]: from, [last]: to } = query;
    if (typeof from !== 'string' || typeof to !== 'string' || !isDay(from) || !isDay(to)) return [];
    if (from > to) return [{ ...PERIOD_FAULTS.rangeBackwards, tag: last }];
    const { periodTooLong, fileTooLong } = PERIOD_FAULTS;
    const [most, fault] =
      query.format === undefined ? [MOST_DAYS, periodTooLong] : [MOST_DAYS_OF_EXPORT, fileTooLong];
    const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
    return days > most ? [{ ...fault, tag: last }] : [];
  };
}

export const RECEIVABLE_REFUSALS = {
  receivablesBehind: refusal(503, GENERAL_TAG, {
    pt: 'As suas últimas vendas ainda estão sendo preparadas para a conciliação; tente de novo em instantes.',
    en: 'Your latest sales are still being prepared for reconciliation; try again shortly.',
  }),
} as const satisfies Record<string, RefusalShape>;

export function exampleOf(written: object): unknown {
  return JSON.parse(JSON.stringify(written));
}

export function reais(amount: Cents): ExactNumber {
  return new ExactNumber(`${reaisText(amount)}00`);
}
