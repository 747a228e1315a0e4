import type { Prepared } from '../../platform/prepared-reads.ts';
import { type Instant, instant } from '../../values/instant.ts';
import { TODAY } from '../parts/paths.ts';
import { OF_MERCHANT, type Screen, screen } from '../parts/screen.ts';
import type { DelayedMethod } from './delayed-method.ts';
import { listNeeds, type NeedTools } from './needs-view.ts';
import type { FoundToday, TodaySums } from './today-view.ts';
import { todayPage } from './today-view.ts';

export type TodayTools = NeedTools & {
  readonly listDelays: (merchantId: string) => Promise<readonly DelayedMethod[]>;
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
      const [sums, needs, delays] = await Promise.all([
        tools.readPart(() => tools.sumToday(merchantId, accountNumbers, instant(now))),
        listNeeds(visit, tools),
        tools.readPart(() => tools.listDelays(merchantId)),
      ]);
      return { sums, needs, delays: delays ?? [] };
    },
    view: todayPage,
  }),
];
