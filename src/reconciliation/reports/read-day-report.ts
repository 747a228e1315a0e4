import type { Reader } from '../../platform/postgres/database.ts';
import type { Day } from '../../values/instant.ts';
import type { InstallmentKey } from '../judging/judged-installment.ts';
import { type DayCause, type DayTotals, dayShare, dayTotals, lineShare } from './day-report.ts';
import { type DayPlace, readDayInstallments, readDayLines } from './day-reports.sql.ts';

const INSTALLMENTS_OF_READ = 1_000;
const MOST_SHOWN = 20;

export type NamedDifference = {
  readonly cause: DayCause;
  readonly amount: number;
  /** null: our books explain the difference. */
  readonly exceptionId: string | null;
  readonly of: InstallmentKey | { readonly fileNumber: number; readonly lineNumber: number };
};

export type DayReport = DayTotals & {
  readonly day: Day;
  readonly merchantId: string | null;
  readonly largest: readonly NamedDifference[];
};

type ReportTools = { readonly database: Reader; readonly report: (count: number) => void };
type WantedDay = { readonly day: Day; readonly merchantId: string | null };

/** `report` gets the number of installments read so far. */
export async function readDayReport(tools: ReportTools, wanted: WantedDay): Promise<DayReport> {
  return (await readUpTo(tools, wanted, Number.POSITIVE_INFINITY)) as DayReport;
}

/** null: the day has more installments than `most`. */
export async function readBoundedDayReport(
  database: Reader,
  wanted: WantedDay,
  most: number,
): Promise<DayReport | null> {
  return readUpTo({ database, report: () => {} }, wanted, most);
}

async function readUpTo(
  { database, report }: ReportTools,
  wanted: WantedDay,
  most: number,
): Promise<DayReport | null> {
  const totals = dayTotals();
  const largest = new Map<DayCause, NamedDifference[]>();
  let count = 0;
  for (let after: DayPlace | null = null; ; ) {
    const found = await readDayInstallments(database, wanted, after, INSTALLMENTS_OF_READ);
    for (const { installment, parts, exceptions, ...of } of found) {
      const share = dayShare(wanted.day, installment, parts);
      totals.add(share);
      for (const [cause, amount] of share.causes) {
        const named = { cause, amount, exceptionId: exceptions.get(cause) ?? null, of };
        largest.set(cause, withLargest(largest.get(cause) ?? [], named));
      }
    }
    count += found.length;
    const last = found.at(-1);
    if (last === undefined || found.length < INSTALLMENTS_OF_READ) break;
    if (count >= most) return null;
    after = last;
    report(count);
  }
  // Lines without a sale have no known merchant.
  if (wanted.merchantId === null) {
    const lines = await readDayLines(database, wanted.day, MOST_SHOWN);
    for (const { cause, net, fee, count: many } of lines.sums) totals.add(lineShare(cause, net, fee), many);
    for (const { cause, net, exceptionId, ...of } of lines.largest) {
      const named = { cause, amount: 0 - net, exceptionId, of };
      largest.set(cause, withLargest(largest.get(cause) ?? [], named));
    }
  }
  return { ...wanted, ...totals.result(), largest: [...largest.values()].flat() };
}

function withLargest(known: NamedDifference[], next: NamedDifference): NamedDifference[] {
  return [...known, next]
    .sort((one, other) => Math.abs(other.amount) - Math.abs(one.amount))
    .slice(0, MOST_SHOWN);
}
