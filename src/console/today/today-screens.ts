import { instant } from '../../values/instant.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { TODAY } from '../parts/paths.ts';
import { OF_MERCHANT, type Screen, screen } from '../parts/screen.ts';
import { listNeeds } from './needs-view.ts';
import type { FoundToday } from './today-view.ts';
import { todayPage } from './today-view.ts';

const REFRESH_SECONDS = 30;

export const TODAY_SCREENS: readonly Screen<MerchantPageTools>[] = [
  screen<MerchantPageTools, FoundToday>({
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
