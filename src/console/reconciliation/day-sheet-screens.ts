import type { Merchant } from '../../merchants/merchant.ts';
import type { AnswerOf, WireError } from '../../platform/http/endpoint.ts';
import type { Prepared } from '../../platform/prepared-reads.ts';
import { LIST_DAYS } from '../../reconciliation/days/contract.ts';
import type { SoldSum } from '../../reconciliation/receivables/receivables.sql.ts';
import type { DayReport } from '../../reconciliation/reports/read-day-report.ts';
import { addDays, type Day, type Instant, isDay, startOfSaoPauloDay } from '../../values/instant.ts';
import { accountOf } from '../parts/page-parts.ts';
import { DAY_SHEET } from '../parts/paths.ts';
import { ALL_ROLES, type Screen, screen } from '../parts/screen.ts';
import { daySheet } from './day-sheet-view.ts';

export type DaySheetTools = {
  readonly findMerchant: (merchantId: string) => Promise<Merchant | null>;
  readonly sumSold: (
    merchantId: string,
    wanted: { readonly accountNumber: string; readonly from: Instant; readonly before: Instant },
  ) => Promise<SoldSum>;
  /** Value null: it has more installments than are gone through. */
  readonly readDayReport: (merchantId: string, day: Day) => Promise<Prepared<DayReport | null>>;
};

type DayOfAccount = AnswerOf<typeof LIST_DAYS>[number];

export type DaySheetFound = {
  readonly day: Day;
  readonly merchant: Merchant;
  readonly accountNumber: string;
  readonly sold: SoldSum;
  readonly errors: readonly WireError[];
  /** Null: nothing was expected, and nothing came. */
  readonly paid: DayOfAccount | null;
  readonly report: Prepared<DayReport | null>;
};

/** Of very many installments the sheet is made on behind the page. */
const REFRESH_SECONDS = 5;

/** On a sheet of A4: what was sold and paid on a day, what was kept, and what is missing and why. */
export const DAY_SHEET_SCREENS: readonly Screen<DaySheetTools>[] = [
  screen<DaySheetTools, DaySheetFound>({
    path: DAY_SHEET,
    roles: ALL_ROLES,
    of: 'merchant',
    title: 'Sheet of a day',
    refreshSeconds: REFRESH_SECONDS,
    async read(visit, tools) {
      const { ask, merchantId, accountNumbers, parameters } = visit;
      const { day = '' } = parameters;
      const accountNumber = accountOf(visit);
      const merchant = await tools.findMerchant(merchantId);
      if (!isDay(day) || day < '1990' || day > '9000' || merchant === null) return 'notFound';
      if (!accountNumbers.includes(accountNumber)) return 'notFound';
      const period = { from: startOfSaoPauloDay(day), before: startOfSaoPauloDay(addDays(day, 1)) };
      const sold = await tools.sumSold(merchantId, { accountNumber, ...period });
      const asked = await ask(LIST_DAYS, { query: { accountNumber, from: day, to: day } });
      const report = await tools.readDayReport(merchantId, day);
      const [errors, paid] = asked.ok ? [[], asked.body[0] ?? null] : [asked.errors, null];
      return { day, merchant, accountNumber, sold, errors, paid, report };
    },
    view: daySheet,
  }),
];
