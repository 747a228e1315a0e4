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
import { countRetries, type RetryCounts } from '../recurrence/billings/billing-sums.sql.ts';
import { sumBillingDays } from '../recurrence/billings/billings.sql.ts';
import { listOpenBillings } from '../recurrence/billings/open-billings.sql.ts';
import { listChargebacksOf, listDisputes } from '../transactions/changes/chargebacks.sql.ts';
import { listTransactionMovements } from '../transactions/movements/movements.sql.ts';
import { type AllSales, readPeriodSums, readSaleCounts } from '../transactions/read-sale-counts.ts';
import type { Period } from '../transactions/sale-sums.sql.ts';
import type { PeriodSums } from '../transactions/sale-sums.ts';
import { type Cents, cents } from '../values/cents.ts';
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
import { DELIVERY_STATES, type DeliveryState } from '../webhooks/deliveries/delivery.ts';
import { listFailingEndpoints } from '../webhooks/endpoints/webhook-endpoints.sql.ts';
import { countLost, listDeliveries } from '../webhooks/history/list-deliveries.ts';
import { listDeliveriesOf } from '../webhooks/history/messages-of-payments.sql.ts';
import type { Period as DeliveryPeriod } from '../webhooks/history/recorded-delivery.ts';
import { type ChargeSums, countDays, type Days, daysBefore } from './charts/sales-charts.ts';
import type { SavedFilter } from './filters/saved-filter.ts';
import { keepFilter, listSavedFilters, removeFilter } from './filters/saved-filters.sql.ts';
import { openBuyerTools } from './open-buyer-tools.ts';
import type { Asked } from './parts/screen.ts';
import { MOST_DELIVERIES, MOST_MOVEMENTS } from './payments/payment-story.ts';
import { MOST_DISPUTES_SHOWN } from './reconciliation/dispute.ts';
import type { ShownStoredCard } from './recurrence/recurrence-words.ts';
import { delayedMethods } from './today/delayed-method.ts';

/** The most installments in the report of a day. Reading so many takes about a hundred queries. */
const MOST_INSTALLMENTS = 100_000;
/**
 * Bounds for each kind of prepared read. `freshTimes`: a page that is left open keeps at most a twentieth of
 * a core busy.
 */
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

/** Bounds of the list of failing addresses: callbacks may go to any number of servers. */
const ADDRESSES = { limit: 200, mostCounted: 1_000 };
/** No receivable is due later: 99 installments, a month apart. */
const DAYS_TO_RECEIVE = 3_100;
const ACCOUNTS_OF_SEARCH = 100;
const DELAYS_MILLISECONDS = 5_000;
const MOST_PROCESSES = 100;
const DAY_MILLISECONDS = 86_400_000;

/** The figures of the page Today, read together. */
export type TodaySums = {
  readonly at: Instant;
  readonly today: PeriodSums;
  /** Yesterday until the same hour. */
  readonly yesterday: PeriodSums;
  /**
   * What acquirers are to pay, after their fees. `all`, `week`: still open, due today or later, or within
   * seven days. `today`, `yesterday`: all that was due on the day.
   */
  readonly toReceive: {
    readonly all: Cents;
    readonly today: Cents;
    readonly yesterday: Cents;
    readonly week: Cents;
  };
};

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

/** The figures of the page Charts, read together. */
export type ChargeFigures = {
  readonly at: Instant;
  readonly sums: ChargeSums;
  readonly sales: AllSales;
  readonly retries: RetryCounts;
};

export type DeliveryCounts = Readonly<Record<DeliveryState, number>>;

const wholeDays = ({ from, to }: Days): Period => ({
  from: startOfSaoPauloDay(from),
  before: startOfSaoPauloDay(reachedFrom(to, 1)),
});

/**
 * As many days before as `days` has. If `days` is not over, the period before ends likewise: on the day that
 * corresponds to today, at the same hour, so that equal parts are compared.
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

/**
 * Reads a stored card without number and holder, so the read is not audited. Null: the merchant has no card
 * of this id.
 */
function storedCardFinder(lookUp: ModuleContext['lookUp']) {
  return async (merchantId: string, vaultId: string): Promise<ShownStoredCard | null> => {
    if (!isUuid(vaultId)) return null;
    const key = { merchantId, vaultId: vaultId.toLowerCase() };
    const card = await lookUp(merchantId, (reader) => findVaultCard(reader, key));
    if (card === null) return null;
    const { brand, lastFour, expirationMonth, expirationYear } = card;
    return { brand, lastFour, expirationMonth, expirationYear };
  };
}

function receivableTools(search: Search) {
  return {
    /** Those of `days` that settlement files cover. */
    listCoveredDays: (merchantId: string, days: readonly Day[]) =>
      search(merchantId, (reader) => listCoveredDays(reader, merchantId, days)),
    sumSold: (merchantId: string, wanted: Parameters<typeof sumSold>[2]) =>
      search(merchantId, (reader) => sumSold(reader, merchantId, wanted)),
    sumDue: (merchantId: string, wanted: Parameters<typeof sumDue>[2]) =>
      search(merchantId, (reader) => sumDue(reader, merchantId, wanted)),
    /** Chargebacks of these days, both included, newest first, up to one more than are shown. */
    listDisputes: (merchantId: string, { from, to }: Days) => {
      const period = { from: startOfSaoPauloDay(from), before: startOfSaoPauloDay(reachedFrom(to, 1)) };
      return search(merchantId, (reader) =>
        listDisputes(reader, merchantId, period, MOST_DISPUTES_SHOWN + 1),
      );
    },
  };
}

export type MerchantContext = Pick<ModuleContext, 'database' | 'search' | 'lookUp' | 'clock' | 'log'> &
  Readonly<Record<'acquirers' | 'banks' | 'pixBanks', Pick<ProviderSet<unknown>, 'ofMerchant'>>>;

/** One read of the processes' reports serves all merchants. */
function delayFinder({
  database,
  acquirers,
  banks,
  pixBanks,
}: Pick<MerchantContext, 'database' | 'acquirers' | 'banks' | 'pixBanks'>) {
  const readReports = keptRead(DELAYS_MILLISECONDS, () => listReports(database, MOST_PROCESSES));
  return async (merchantId: string) => {
    // Only card charges are tried at a second provider.
    const onlyFirst = (set: typeof banks) => ({ first: set.ofMerchant(merchantId).first, later: [] });
    return delayedMethods(await readReports(), {
      card: acquirers.ofMerchant(merchantId),
      pix: onlyFirst(pixBanks),
      boleto: onlyFirst(banks),
    });
  };
}

/** Reads of merchant pages that the API does not have, queued and bounded. */
export function openMerchantTools({ database, search, lookUp, clock, log, ...context }: MerchantContext) {
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
    findMovements: (merchantId: string, paymentId: string) =>
      search(merchantId, (reader) => listTransactionMovements(reader, merchantId, paymentId, MOST_MOVEMENTS)),
    /** Only payments with an NSU have notifications. */
    findDeliveries: (merchantId: string, payment: Parameters<typeof listDeliveriesOf>[2]) =>
      lookUp(merchantId, (reader) => listDeliveriesOf(reader, merchantId, payment, MOST_DELIVERIES)),
    findChargebacks: (merchantId: string, paymentId: string) =>
      lookUp(merchantId, (reader) => listChargebacksOf(reader, merchantId, paymentId)),
    /** By installment. Empty until receivables have followed the payment's movements. */
    findReceivables: (merchantId: string, paymentId: string) =>
      lookUp(merchantId, (reader) => listReceivablesOf(reader, merchantId, paymentId)),
    readList: lists,
    listFilters: (merchantId: string, userId: string) =>
      lookUp(merchantId, (reader) => listSavedFilters(reader, merchantId, userId)),
    keepFilter: (merchantId: string, userId: string, wanted: Omit<SavedFilter, 'place'>) =>
      keepFilter(database, merchantId, userId, wanted),
    removeFilter: (merchantId: string, userId: string, of: Pick<SavedFilter, 'place' | 'name'>) =>
      removeFilter(database, merchantId, userId, of),
    /** The figures of these days until now, and of as many days before. */
    readCharges: (merchantId: string, days: Days, now: Instant) =>
      charges(merchantId, `${days.from} ${days.to} ${saoPauloDay(now)}`, () =>
        readCharges(search, merchantId, days, now),
      ),
    /** Null: too many deliveries, or no such days. */
    countDeliveries: (merchantId: string, accountNumber: string, { from, to }: Days) =>
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
    sumToday: (merchantId: string, accountNumbers: readonly string[], now: Instant) =>
      ofToday(merchantId, saoPauloDay(now), () => sumToday(search, merchantId, accountNumbers, now)),
    findMoneyOfFile: (merchantId: string, ids: readonly string[]) =>
      patiently(() => search(merchantId, (reader) => findMoneyOfPayments(reader, merchantId, ids))),
    /** Null: refused now. The rest of the page is still shown. */
    readPart: unlessRefused,
    listFailing: (merchantId: string) =>
      search(merchantId, (reader) => listFailingEndpoints(reader, merchantId, ADDRESSES)),
    /** Given-up deliveries of each account that can be sent again. No period: ever. Null: refused now. */
    countLost: (merchantId: string, accountNumbers: readonly string[], period: DeliveryPeriod | null) =>
      unlessRefused(() => countLost({ search, clock }, merchantId, accountNumbers, period)),
    /** The value is null if the day has too many installments. */
    readDayReport: (merchantId: string, day: Day) =>
      dayReports(merchantId, day, () => {
        const inTurn: Reader = {
          query: (statement, values) =>
            patiently(() => search(merchantId, (reader) => reader.query(statement, values))),
        };
        return readBoundedDayReport(inTurn, { merchantId, day }, MOST_INSTALLMENTS);
      }),
    findStoredCard: storedCardFinder(lookUp),
    /** The open billings of these subscriptions: at most one of each. */
    listOpenBillings: (merchantId: string, ids: readonly string[]) =>
      lookUp(merchantId, (reader) => listOpenBillings(reader, merchantId, ids)),
    sumBillingDays: (merchantId: string, period: Days) =>
      search(merchantId, (reader) => sumBillingDays(reader, merchantId, period)),
  };
}
