import { findNamedBoletos } from '../boletos/boleto-searches.sql.ts';
import type { ModuleContext } from '../platform/module.ts';
import type { Reader } from '../platform/postgres/database.ts';
import { type PreparedReadsOptions, preparedReads } from '../platform/prepared-reads.ts';
import { listReceivablesOf, sumSold } from '../reconciliation/receivables/receivables.sql.ts';
import { type DayReport, readSmallDayReport } from '../reconciliation/reports/read-day-report.ts';
import { sumBillingDays } from '../recurrence/billings/billing-days.sql.ts';
import { countRetries } from '../recurrence/billings/retry-counts.sql.ts';
import { listChargebacksOf } from '../transactions/changes/chargebacks.sql.ts';
import { findNewestCustomerPayments } from '../transactions/customers/customers.sql.ts';
import { listTransactionMovements } from '../transactions/movements/movements.sql.ts';
import { readSaleCounts } from '../transactions/read-sale-counts.ts';
import { listDeliveriesOf } from '../webhooks/history/deliveries-of-payment.sql.ts';
import type { ChartCounts, ChartTools } from './charts/chart-screens.ts';
import type { FilterPageTools } from './filters/filter-screens.ts';
import { keepFilter, listSavedFilters, removeFilter } from './filters/saved-filters.sql.ts';
import { MOST_DELIVERIES, MOST_FOUND, MOST_MOVEMENTS } from './payments/payment-bounds.ts';
import type { PaymentTools } from './payments/payment-screens.ts';
import type { SearchTools } from './payments/search-screens.ts';
import type { DaySheetTools } from './reconciliation/day-sheet-screens.ts';
import type { CalendarTools } from './recurrence/calendar-screens.ts';

export type MerchantPageTools = PaymentTools &
  SearchTools &
  FilterPageTools &
  ChartTools &
  CalendarTools &
  Omit<DaySheetTools, 'findMerchant'>;

/** Of a day, line by line: a hundred reads. */
const MOST_INSTALLMENTS = 100_000;
/** What a page waits for, and no longer; a page that somebody leaves open costs a twentieth of a core. */
const PREPARED: PreparedReadsOptions = {
  patienceMilliseconds: 50,
  freshTimes: 20,
  staleMilliseconds: 60_000,
  mostKept: 100,
  mostUnderWay: 8,
  mostOfMerchant: 2,
};

/** What pages of a merchant read beside the endpoints of the API: each in its turn, and bounded. */
export function openMerchantTools({
  database,
  search,
  lookUp,
}: Pick<ModuleContext, 'database' | 'search' | 'lookUp'>): MerchantPageTools {
  return {
    findMovements: (merchantId, paymentId) =>
      search(merchantId, (reader) => listTransactionMovements(reader, merchantId, paymentId, MOST_MOVEMENTS)),
    findDeliveries: (merchantId, payment) =>
      lookUp(merchantId, (reader) => listDeliveriesOf(reader, merchantId, payment, MOST_DELIVERIES)),
    findChargebacks: (merchantId, paymentId) =>
      lookUp(merchantId, (reader) => listChargebacksOf(reader, merchantId, paymentId)),
    findReceivables: (merchantId, paymentId) =>
      lookUp(merchantId, (reader) => listReceivablesOf(reader, merchantId, paymentId)),
    findCustomerPayments: (merchantId, document) =>
      search(merchantId, (reader) =>
        findNewestCustomerPayments(reader, { merchantId, document }, MOST_FOUND),
      ),
    findBoletos: (merchantId, name) =>
      lookUp(merchantId, (reader) => findNamedBoletos(reader, merchantId, name, MOST_FOUND)),
    listFilters: (merchantId, userId) =>
      lookUp(merchantId, (reader) => listSavedFilters(reader, merchantId, userId)),
    keepFilter: (merchantId, userId, wanted) => keepFilter(database, merchantId, userId, wanted),
    removeFilter: (merchantId, userId, of) => removeFilter(database, merchantId, userId, of),
    prepareCharts: preparedReads<ChartCounts>(PREPARED),
    countSales: (merchantId, period) => readSaleCounts(search, merchantId, period),
    countRetries: (merchantId, period) =>
      search(merchantId, (reader) => countRetries(reader, merchantId, period)),
    sumSold: (merchantId, wanted) => search(merchantId, (reader) => sumSold(reader, merchantId, wanted)),
    prepareDayReport: preparedReads<DayReport | null>(PREPARED),
    findDayReport: (merchantId, day) => {
      const inTurn: Reader = {
        query: (statement, values) => search(merchantId, (reader) => reader.query(statement, values)),
      };
      return readSmallDayReport(inTurn, { merchantId, day }, MOST_INSTALLMENTS);
    },
    sumBillingDays: (merchantId, period) =>
      search(merchantId, (reader) => sumBillingDays(reader, merchantId, period)),
  };
}
