import { findVaultCard } from '../cards/vault/vault-cards.sql.ts';
import { patiently } from '../platform/exports.ts';
import type { ModuleContext } from '../platform/module.ts';
import type { Reader } from '../platform/postgres/database.ts';
import type { Search } from '../platform/postgres/searches.ts';
import { keptRead, type PreparedReadsOptions, preparedReads } from '../platform/prepared-reads.ts';
import { listReports } from '../platform/process-reports/process-reports.sql.ts';
import { unlessRefused } from '../platform/work/refused-read.ts';
import type { ProviderSet } from '../providers/open-provider-table.ts';
import { sumToReceive } from '../reconciliation/days/days.sql.ts';
import { listCoveredDays } from '../reconciliation/judging/judged.sql.ts';
import {
  findMoneyOfPayments,
  listReceivablesOf,
  sumDue,
  sumSold,
} from '../reconciliation/receivables/receivables.sql.ts';
import { type DayReport, readBoundedDayReport } from '../reconciliation/reports/read-day-report.ts';
import { countRetries } from '../recurrence/billings/billing-sums.sql.ts';
import { sumBillingDays } from '../recurrence/billings/billings.sql.ts';
import { listOpenBillings } from '../recurrence/billings/open-billings.sql.ts';
import { listChargebacksOf, listDisputes } from '../transactions/changes/chargebacks.sql.ts';
import { listTransactionMovements } from '../transactions/movements/movements.sql.ts';
import { readPeriodSums, readSaleCounts } from '../transactions/read-sale-counts.ts';
import type { Period } from '../transactions/sale-sums.sql.ts';
import { cents } from '../values/cents.ts';
import { isUuid } from '../values/ids.ts';
import {
  addDays,
  type Day,
  type Instant,
  instant,
  reachedFrom,
  saoPauloDay,
  startOfSaoPauloDay,
} from '../values/instant.ts';
import { DELIVERY_STATES } from '../webhooks/deliveries/delivery.ts';
import { listFailingEndpoints } from '../webhooks/endpoints/webhook-endpoints.sql.ts';
import { countLost, listDeliveries } from '../webhooks/history/list-deliveries.ts';
import { listDeliveriesOf } from '../webhooks/history/messages-of-payments.sql.ts';
import type { ChargeFigures, ChartTools, DeliveryCounts } from './charts/chart-screens.ts';
import { countDays, type Days, daysBefore } from './charts/sales-charts.ts';
import type { FilterPageTools } from './filters/filter-screens.ts';
import type { ListTools } from './filters/list-screens.ts';
import { keepFilter, listSavedFilters, removeFilter } from './filters/saved-filters.sql.ts';
import type { AddressTools } from './notifications/address-screens.ts';
import type { DeliveryTools } from './notifications/delivery-screens.ts';
import { type BuyerSearchTools, openBuyerTools } from './open-buyer-tools.ts';
import type { Asked } from './parts/screen.ts';
import type { FileMoneyTools } from './payments/payment-file-screens.ts';
import type { PaymentTools } from './payments/payment-screens.ts';
import { MOST_DELIVERIES, MOST_MOVEMENTS } from './payments/payment-story.ts';
import type { DaySheetTools } from './reconciliation/day-sheet-screens.ts';
import { MOST_DISPUTES_SHOWN } from './reconciliation/dispute.ts';
import type { DisputeTools } from './reconciliation/dispute-screens.ts';
import type { CalendarTools } from './recurrence/calendar-screens.ts';
import type { SubscriptionTools } from './recurrence/subscription-screens.ts';
import { delayedMethods } from './today/delayed-method.ts';
import type { TodayTools } from './today/today-screens.ts';
import type { TodaySums } from './today/today-view.ts';

export type MerchantPageTools = Omit<PaymentTools, 'listThingHistory'> &
  ListTools &
  BuyerSearchTools &
  FilterPageTools &
  ChartTools &
  CalendarTools &
  SubscriptionTools &
  FileMoneyTools &
  AddressTools &
  DeliveryTools &
  Pick<TodayTools, 'sumToday' | 'readPart' | 'listDelays'> &
  Pick<DisputeTools, 'listDisputes'> &
  Omit<DaySheetTools, 'findMerchant'>;

/** In one day. Reading them takes about a hundred queries. */
const MOST_INSTALLMENTS = 100_000;
/** For each kind of read. A page that is left open costs a twentieth of a core. */
const PREPARED: Omit<PreparedReadsOptions, 'onFailure'> = {
  patienceMilliseconds: 50,
  freshTimes: 20,
  mostFreshMilliseconds: 15_000,
  staleMilliseconds: 60_000,
  mostKept: 100,
  mostReadOn: 8,
  mostOfMerchant: 2,
  longestPatienceMilliseconds: 5_000,
};

/** Callbacks may go to any number of servers. */
const ADDRESSES = { limit: 200, mostCounted: 1_000 };
/** No receivable is due later: 99 installments, a month apart. */
const DAYS_TO_RECEIVE = 3_100;
const ACCOUNTS_OF_SEARCH = 100;
const DELAYS_MILLISECONDS = 5_000;
const MOST_PROCESSES = 100;
const DAY_MILLISECONDS = 86_400_000;

async function sumToday(
  search: Search,
  merchantId: string,
  accountNumbers: readonly string[],
  at: Instant,
): Promise<TodaySums> {
  const day = saoPauloDay(at);
  const sumsUntil = (before: Instant) =>
    readPeriodSums(search, merchantId, { from: startOfSaoPauloDay(saoPauloDay(before)), before });
  const [from, to] = [addDays(day, -1), addDays(day, DAYS_TO_RECEIVE)];
  const days: Awaited<ReturnType<typeof sumToReceive>> = [];
  for (let first = 0; first < accountNumbers.length; first += ACCOUNTS_OF_SEARCH) {
    const some = accountNumbers.slice(first, first + ACCOUNTS_OF_SEARCH);
    const sums = await patiently(() =>
      search(merchantId, (reader) => sumToReceive(reader, merchantId, { accountNumbers: some, from, to })),
    );
    days.push(...sums);
  }
  const sumOf = (of: 'expected' | 'open', first: Day, last: Day) =>
    cents(days.reduce((sum, one) => sum + (first <= one.day && one.day <= last ? one[of] : 0), 0));
  return {
    at,
    today: await sumsUntil(at),
    yesterday: await sumsUntil(instant(at - DAY_MILLISECONDS)),
    toReceive: {
      all: sumOf('open', day, to),
      today: sumOf('expected', day, day),
      yesterday: sumOf('expected', from, from),
      week: sumOf('open', day, addDays(day, 6)),
    },
  };
}

const wholeDays = ({ from, to }: Days): Period => ({
  from: startOfSaoPauloDay(from),
  before: startOfSaoPauloDay(reachedFrom(to, 1)),
});

/**
 * The same number of days before. If the days have not ended, until the same hour, so that parts of days are
 * compared.
 */
function periodBefore(days: Days, now: Instant): Period {
  const { from, before } = wholeDays(daysBefore(days));
  const whole = wholeDays(days);
  if (now < whole.from || now >= whole.before) return { from, before };
  const today = saoPauloDay(now);
  const sameDay = addDays(today, -countDays(days));
  return { from, before: instant(startOfSaoPauloDay(sameDay) + now - startOfSaoPauloDay(today)) };
}

async function readCharges(
  search: Search,
  merchantId: string,
  days: Days,
  at: Instant,
): Promise<ChargeFigures> {
  const { from, before } = wholeDays(days);
  const period = { from, before: instant(Math.min(before, at)) };
  return {
    at,
    sums: {
      now: await readPeriodSums(search, merchantId, period),
      before: await readPeriodSums(search, merchantId, periodBefore(days, at)),
    },
    sales: await readSaleCounts(search, merchantId, period),
    retries: await patiently(() => search(merchantId, (reader) => countRetries(reader, merchantId, period))),
  };
}

/** Without number and holder, so the read is not audited. */
function storedCardFinder(lookUp: ModuleContext['lookUp']): MerchantPageTools['findStoredCard'] {
  return async (merchantId, vaultId) => {
    if (!isUuid(vaultId)) return null;
    const key = { merchantId, vaultId: vaultId.toLowerCase() };
    const card = await lookUp(merchantId, (reader) => findVaultCard(reader, key));
    if (card === null) return null;
    const { brand, lastFour, expirationMonth, expirationYear } = card;
    return { brand, lastFour, expirationMonth, expirationYear };
  };
}

function receivableTools(
  search: Search,
): Pick<MerchantPageTools, 'sumSold' | 'sumDue' | 'listCoveredDays' | 'listDisputes'> {
  return {
    listCoveredDays: (merchantId, days) =>
      search(merchantId, (reader) => listCoveredDays(reader, merchantId, days)),
    sumSold: (merchantId, wanted) => search(merchantId, (reader) => sumSold(reader, merchantId, wanted)),
    sumDue: (merchantId, wanted) => search(merchantId, (reader) => sumDue(reader, merchantId, wanted)),
    listDisputes: (merchantId, { from, to }) => {
      const period = { from: startOfSaoPauloDay(from), before: startOfSaoPauloDay(reachedFrom(to, 1)) };
      return search(merchantId, (reader) =>
        listDisputes(reader, merchantId, period, MOST_DISPUTES_SHOWN + 1),
      );
    },
  };
}

export type MerchantContext = Pick<ModuleContext, 'database' | 'search' | 'lookUp' | 'clock' | 'log'> &
  Readonly<Record<'acquirers' | 'banks' | 'pixBanks', Pick<ProviderSet<unknown>, 'ofMerchant'>>>;

/** Every process reads the same reports. */
function delayFinder({
  database,
  acquirers,
  banks,
  pixBanks,
}: Pick<MerchantContext, 'database' | 'acquirers' | 'banks' | 'pixBanks'>): MerchantPageTools['listDelays'] {
  const readReports = keptRead(DELAYS_MILLISECONDS, () => listReports(database, MOST_PROCESSES));
  return async (merchantId) => {
    // Only a card is tried elsewhere.
    const onlyFirst = (set: typeof banks) => ({ first: set.ofMerchant(merchantId).first, later: [] });
    return delayedMethods(await readReports(), {
      card: acquirers.ofMerchant(merchantId),
      pix: onlyFirst(pixBanks),
      boleto: onlyFirst(banks),
    });
  };
}

/** Reads of merchant pages that the API does not have, queued and bounded. */
export function openMerchantTools({
  database,
  search,
  lookUp,
  clock,
  log,
  ...context
}: MerchantContext): MerchantPageTools {
  const prepared = <Value>() =>
    preparedReads<Value>({
      ...PREPARED,
      onFailure: (error) => log.warn({ err: error }, 'what a page asked for could not be read on'),
    });
  const charges = prepared<ChargeFigures>();
  const deliveries = prepared<DeliveryCounts | null>();
  const dayReports = prepared<DayReport | null>();
  const ofToday = prepared<TodaySums>();
  const lists = prepared<Asked<unknown>>();
  return {
    ...openBuyerTools({ database, search, lookUp }),
    ...receivableTools(search),
    listDelays: delayFinder({ database, ...context }),
    findMovements: (merchantId, paymentId) =>
      search(merchantId, (reader) => listTransactionMovements(reader, merchantId, paymentId, MOST_MOVEMENTS)),
    findDeliveries: (merchantId, payment) =>
      lookUp(merchantId, (reader) => listDeliveriesOf(reader, merchantId, payment, MOST_DELIVERIES)),
    findChargebacks: (merchantId, paymentId) =>
      lookUp(merchantId, (reader) => listChargebacksOf(reader, merchantId, paymentId)),
    findReceivables: (merchantId, paymentId) =>
      lookUp(merchantId, (reader) => listReceivablesOf(reader, merchantId, paymentId)),
    readList: lists,
    listFilters: (merchantId, userId) =>
      lookUp(merchantId, (reader) => listSavedFilters(reader, merchantId, userId)),
    keepFilter: (merchantId, userId, wanted) => keepFilter(database, merchantId, userId, wanted),
    removeFilter: (merchantId, userId, of) => removeFilter(database, merchantId, userId, of),
    readCharges: (merchantId, days, now) =>
      charges(merchantId, `${days.from} ${days.to} ${saoPauloDay(now)}`, () =>
        readCharges(search, merchantId, days, now),
      ),
    countDeliveries: (merchantId, accountNumber, { from, to }) =>
      deliveries(merchantId, `${accountNumber} ${from} ${to}`, async () => {
        const counts = { waiting: 0, delivered: 0, givenUp: 0 };
        for (const state of DELIVERY_STATES) {
          const order = { field: 'createdAt', isDescending: true } as const;
          const wanted = { accountNumber, states: [state], nsu: null, from, to, page: 1, limit: 1, order };
          const found = await patiently(() => listDeliveries({ search, clock }, merchantId, wanted));
          if (typeof found === 'string') return null;
          counts[state] = found.total;
        }
        return counts;
      }),
    sumToday: (merchantId, accountNumbers, now) =>
      ofToday(merchantId, saoPauloDay(now), () => sumToday(search, merchantId, accountNumbers, now)),
    findMoneyOfFile: (merchantId, ids) =>
      patiently(() => search(merchantId, (reader) => findMoneyOfPayments(reader, merchantId, ids))),
    readPart: unlessRefused,
    listFailing: (merchantId) =>
      search(merchantId, (reader) => listFailingEndpoints(reader, merchantId, ADDRESSES)),
    countLost: (merchantId, accountNumbers, period) =>
      unlessRefused(() => countLost({ search, clock }, merchantId, accountNumbers, period)),
    readDayReport: (merchantId, day) =>
      dayReports(merchantId, day, () => {
        const inTurn: Reader = {
          query: (statement, values) =>
            patiently(() => search(merchantId, (reader) => reader.query(statement, values))),
        };
        return readBoundedDayReport(inTurn, { merchantId, day }, MOST_INSTALLMENTS);
      }),
    findStoredCard: storedCardFinder(lookUp),
    listOpenBillings: (merchantId, ids) =>
      lookUp(merchantId, (reader) => listOpenBillings(reader, merchantId, ids)),
    sumBillingDays: (merchantId, period) =>
      search(merchantId, (reader) => sumBillingDays(reader, merchantId, period)),
  };
}
