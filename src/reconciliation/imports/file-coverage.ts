import { isBusinessDay } from '../../values/business-day.ts';
import { addDays, type Day } from '../../values/instant.ts';
import { isDaily } from '../settlement-entry.ts';

export type FileSpan = {
  readonly format: string;
  readonly establishment: string;
  readonly from: Day;
  readonly to: Day;
};

export type FileCoverage = {
  readonly format: string;
  readonly establishment: string;
  readonly first: Day;
  readonly last: Day;
  readonly coveredDays: number;
  /** After the first file, newest first. Only business days. */
  readonly missing: readonly Day[];
};

const keyOf = ({ format, establishment }: Pick<FileSpan, 'format' | 'establishment'>) =>
  `${format} ${establishment}`;

/** Only business days of daily formats count: on other days acquirers mostly send no file. */
export function fileCoverages(spans: readonly FileSpan[], from: Day, to: Day): FileCoverage[] {
  return [...Map.groupBy(spans, keyOf).values()].flatMap((own) => {
    const [one] = own;
    const days = new Set(own.flatMap((span) => daysOf(span, from, to)));
    const covered = [...days].toSorted();
    const [first, last] = [covered.at(0), covered.at(-1)];
    if (one === undefined || first === undefined || last === undefined) return [];
    const missing = daysOf({ from: first, to }, from, to).filter(
      (day) => isDaily(one.format) && isBusinessDay(day) && !days.has(day),
    );
    const { format, establishment } = one;
    return [{ format, establishment, first, last, coveredDays: days.size, missing: missing.toReversed() }];
  });
}

function daysOf(span: Pick<FileSpan, 'from' | 'to'>, from: Day, to: Day): Day[] {
  const days: Day[] = [];
  const end = span.to < to ? span.to : to;
  for (let day = span.from > from ? span.from : from; day <= end; day = addDays(day, 1)) days.push(day);
  return days;
}
