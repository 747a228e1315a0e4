import { hasAccount } from '../../merchants/merchants.sql.ts';
import type { ModuleContext } from '../../platform/module.ts';
import type { Reader } from '../../platform/postgres/database.ts';
import { readJudged } from '../judging/judged.sql.ts';
import type { InstallmentKey } from '../judging/judged-installment.ts';
import type { Follower } from '../receivables/open-follower.ts';
import { type DayOfReceivables, daysWith, type MovedOnDay, movedDays } from './day.ts';
import { listApart, listReceivableDays, type PeriodOfAccount } from './days.sql.ts';

export type ListDaysTools = Pick<Follower, 'isUpToDate'> & Pick<ModuleContext, 'lookUp' | 'search'>;

export type WantedDays = PeriodOfAccount;

export type DaysRefusal = 'receivablesBehind' | 'tooManyApart';

/** Debits, partial payouts and pledges of a period: usually a few per cent of the installments. */
const MOST_APART = 50_000;
const INSTALLMENTS_OF_READ = 1_000;
/** Matching may make a summed installment irregular meanwhile: both are then read again. */
const READINGS = 3;

/** Uses kept sums, and reads irregular installments line by line. null: no such account. */
export async function listDays(
  { lookUp, search, isUpToDate }: ListDaysTools,
  merchantId: string,
  wanted: WantedDays,
): Promise<DayOfReceivables[] | DaysRefusal | null> {
  const isOwn = await lookUp(merchantId, (database) =>
    hasAccount(database, merchantId, wanted.accountNumber),
  );
  if (!isOwn) return null;
  if (!(await isUpToDate(merchantId))) return 'receivablesBehind';
  const summed = await search(merchantId, (database) => readSummed(database, merchantId, wanted));
  if (summed === null) return 'tooManyApart';
  const moved: MovedOnDay[] = [];
  for (let at = 0; at < summed.apart.length; at += INSTALLMENTS_OF_READ) {
    const keys = summed.apart.slice(at, at + INSTALLMENTS_OF_READ);
    const read = await search(merchantId, (database) => readJudged(database, keys));
    for (const { installment, parts } of read)
      moved.push(
        ...movedDays(installment, parts).filter(({ day }) => wanted.from <= day && day <= wanted.to),
      );
  }
  return daysWith(summed.days, moved);
}

type Summed = { readonly days: readonly DayOfReceivables[]; readonly apart: readonly InstallmentKey[] };

/** Sums and installments from one snapshot. null: too many are irregular. */
async function readSummed(database: Reader, merchantId: string, wanted: WantedDays): Promise<Summed | null> {
  let apart = await listApart(database, merchantId, wanted, MOST_APART + 1);
  for (let reading = 1; ; reading += 1) {
    if (apart.length > MOST_APART) return null;
    const days = await listReceivableDays(database, merchantId, wanted);
    const before = apart;
    apart = await listApart(database, merchantId, wanted, MOST_APART + 1);
    if (reading === READINGS || isSame(before, apart)) return { days, apart };
  }
}

function isSame(some: readonly InstallmentKey[], others: readonly InstallmentKey[]): boolean {
  return (
    some.length === others.length &&
    some.every(
      ({ transactionId, installmentNumber }, at) =>
        others[at]?.transactionId === transactionId && others[at]?.installmentNumber === installmentNumber,
    )
  );
}
