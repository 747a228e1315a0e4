import type { Prepared } from '../../platform/prepared-reads.ts';
import type { PeriodSums } from '../../transactions/sale-sums.ts';
import type { Cents } from '../../values/cents.ts';
import { type Instant, instant } from '../../values/instant.ts';
import { TODAY } from '../parts/paths.ts';
import { OF_MERCHANT, type Screen, screen } from '../parts/screen.ts';
import { listNeeds, type Need, type NeedTools } from './needs-view.ts';
import { todayPage } from './today-view.ts';

/** Read together. */
export type TodaySums = {
  readonly at: Instant;
  readonly today: PeriodSums;
  /** Yesterday until the same hour. */
  readonly yesterday: PeriodSums;
  /** Expected from acquirers, after their fees. `all`: from today on. */
  readonly toReceive: {
    readonly all: Cents;
    readonly today: Cents;
    readonly yesterday: Cents;
    readonly week: Cents;
  };
};

export type TodayTools = NeedTools & {
  readonly sumToday: (
    merchantId: string,
    accountNumbers: readonly string[],
    now: Instant,
  ) => Promise<Prepared<TodaySums>>;
};

export type FoundToday = {
  /** Null: they could not be read now. */
  readonly sums: Prepared<TodaySums> | null;
  readonly needs: readonly Need[];
};

const REFRESH_SECONDS = 30;

export const TODAY_SCREENS: readonly Screen<TodayTools>[] = [
  screen<TodayTools, FoundToday>({
    path: TODAY,
    ...OF_MERCHANT,
    title: 'Today',
    refreshSeconds: REFRESH_SECONDS,
    async read(visit, tools) {
      const { merchantId, accountNumbers, now } = visit;
      const [sums, needs] = await Promise.all([
        tools.readPart(() => tools.sumToday(merchantId, accountNumbers, instant(now))),
        listNeeds(visit, tools),
      ]);
      return { sums, needs };
    },
    view: todayPage,
  }),
];
