import type { Prepared } from '../../platform/prepared-reads.ts';
import { type Instant, instant } from '../../values/instant.ts';
import { TODAY } from '../parts/paths.ts';
import { OF_MERCHANT, type Screen, screen } from '../parts/screen.ts';
import { listNeeds, type NeedTools } from './needs-view.ts';
import type { FoundToday, TodaySums } from './today-view.ts';
import { todayPage } from './today-view.ts';

export type TodayTools = NeedTools & {
  readonly sumToday: (
    merchantId: string,
    accountNumbers: readonly string[],
    now: Instant,
  ) => Promise<Prepared<TodaySums>>;
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
