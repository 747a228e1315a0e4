import { bankDayFrom } from '../../simulators/kit/bank-days.ts';
import { dayAfter, saoPauloDayOf } from '../../simulators/kit/days.ts';
import type { Database } from '../../src/platform/postgres/database.ts';
import { readDayReport } from '../../src/reconciliation/reports/read-day-report.ts';
import type { Day } from '../../src/values/instant.ts';
import type { Month } from './month.ts';

/** Cents over the sheets of all days, whatever their sign. */
export type ReadSheets = {
  readonly received: number;
  /** Between what a sheet has as received and what the ledger moved at the bank on its day. */
  readonly otherThanLedger: number;
  /** That no rule has a name for. */
  readonly unexplained: number;
};

/** Reads the sheets of all days, and holds what each has as received against the ledger. */
export async function readSheets(database: Database, month: Month): Promise<ReadSheets> {
  const moved = movedOf(month);
  const days = [...moved.keys()].sort();
  const sums = { received: 0, otherThanLedger: 0, unexplained: 0 };
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return sums;
  for (let day = first; day <= last; day = dayAfter(day, 1)) {
    const wanted = { day: day as Day, merchantId: null };
    const { received, unexplained } = await readDayReport({ database, report: () => {} }, wanted);
    sums.received += received;
    const difference = received - (moved.get(day) ?? 0);
    if (difference !== 0) console.error(`the sheet of ${day} has ${difference} cents more than the ledger`);
    sums.otherThanLedger += Math.abs(difference);
    sums.unexplained += unexplained;
  }
  return sums;
}

/** What the ledger moved at the bank on each day: payouts, less what was taken of what was paid. */
function movedOf({ charges }: Month): Map<string, number> {
  const moved = new Map<string, number>();
  for (const { type, at, requestedAt, payout, taken = [] } of charges.changesOf(null)) {
    const day = saoPauloDayOf(requestedAt ?? at);
    const debits = taken.filter(({ wasPaid }) => wasPaid).reduce((sum, { amount }) => sum + amount, 0);
    const [on, net] = type === 'settled' ? [bankDayFrom(day), payout?.net ?? 0] : [day, 0 - debits];
    moved.set(on, (moved.get(on) ?? 0) + net);
  }
  return moved;
}
