import type { Audit } from '../../audit/audit-event.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { newPageKey } from '../../platform/chance.ts';
import { callerAt, callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import type { LookUp } from '../../platform/postgres/searches.ts';
import { endOfLife, LIFE_REFUSALS, lifeRefusal } from '../../transactions/payers/page-life.ts';
import { idOrUnissued } from '../../values/ids.ts';
import { GET_PAGE, PUT_PAGE, REMOVE_PAGE, writePage } from './contract.ts';
import { findPage, putPage, removePage } from './subscriber-pages.sql.ts';

export type SubscriberPageTools = {
  readonly audit: Audit;
  readonly clock: BusinessClock;
  readonly lookUp: LookUp;
  /** null: the service has no cells. */
  readonly cell: string | null;
};

export const SUBSCRIBER_PAGE_ENDPOINTS: readonly Endpoint<SubscriberPageTools>[] = [
  endpoint(
    PUT_PAGE,
    async ({ audit, clock, cell }: SubscriberPageTools, call) => {
      const actor = callerAt(call);
      const { merchantId } = actor;
      const { allowCancel = false, expirationDate } = call.body;
      const now = clock.now(merchantId);
      const wrong = lifeRefusal(expirationDate, now);
      if (wrong !== null) return refusalAnswer(LIFE_REFUSALS[wrong], call.language);
      const wanted = {
        merchantId,
        subscriptionId: idOrUnissued(call.parameters.subscriptionId),
        pageKey: newPageKey(),
        mayCancel: allowCancel,
        expiresAt: endOfLife(expirationDate, now),
      };
      const page = await putPage(audit, wanted, actor, now);
      if (page === null) return refusalAnswer(FAILURES.unknownPath, call.language);
      return { status: 200, body: writePage(page, call.pagesOrigin(), cell) };
    },
    {
      lookBeside: async ({ clock }, { expirationDate }, { merchantId }) => {
        const wrong = lifeRefusal(expirationDate, clock.now(merchantId));
        return wrong === null ? [] : [LIFE_REFUSALS[wrong]];
      },
    },
  ),
  endpoint(GET_PAGE, async ({ clock, lookUp, cell }: SubscriberPageTools, call) => {
    const { merchantId } = callerOf(call);
    const key = { merchantId, subscriptionId: idOrUnissued(call.parameters.subscriptionId) };
    const page = await lookUp(merchantId, (database) => findPage(database, key));
    if (page === null || page.expiresAt <= clock.now(merchantId))
      return refusalAnswer(FAILURES.unknownPath, call.language);
    return { status: 200, body: writePage(page, call.pagesOrigin(), cell) };
  }),
  endpoint(REMOVE_PAGE, async ({ audit }: SubscriberPageTools, call) => {
    const actor = callerAt(call);
    const subscriptionId = idOrUnissued(call.parameters.subscriptionId);
    const isRemoved = await removePage(audit, { ...actor, subscriptionId }, actor);
    if (!isRemoved) return refusalAnswer(FAILURES.unknownPath, call.language);
    return { status: 200, body: { id: subscriptionId } };
  }),
];
