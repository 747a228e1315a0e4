import { liveOf, type ShopIndex, type ShopInvariant } from './merchant-index.ts';

/**
 * What an answer that is no 200 means: an error means that nothing stays, and no answer means one
 * or none.
 */
export const ANSWER_INVARIANTS: readonly ShopInvariant[] = [
  {
    name: 'an error answer to an enrolment means no subscription and no charge',
    check(index, complain) {
      for (const { made, answers, order } of ordersOf(index)) {
        const may = answers.filter((status) => status === 200 || status === null).length;
        if (made.length > may)
          for (const { subscriptionId } of made)
            complain(subscriptionId, `${order}: answered ${answers.join()}, and there are ${made.length}`);
      }
    },
  },
  {
    name: 'who repeats a 503 as told, without a key, has one subscription in the end',
    check(index, complain) {
      for (const { made, answers, order } of ordersOf(index)) {
        const isSure = answers.includes(200);
        if (made.length > 1 || (isSure && made.length === 0))
          complain(
            made[0]?.subscriptionId ?? '',
            `${order}: answered ${answers.join()}, and there are ${made.length}`,
          );
      }
    },
  },
  {
    name: 'an error answer to a charge by hand means that no charge of it stays',
    check(index, complain) {
      const asked = index.shop.calls.filter(({ what }) => what === 'chargeManually');
      for (const [billingId, calls] of Map.groupBy(asked, ({ id }) => id)) {
        const statuses = calls.map(({ status }) => status);
        if (!statuses.every((status) => status !== null && status >= 400)) continue;
        const byHand = (index.triesOf.get(billingId) ?? []).filter(
          ({ attemptNumber }) => attemptNumber === null,
        );
        const ids = new Set(byHand.map(({ transactionId }) => transactionId));
        if (liveOf(index, billingId).some(({ paymentId }) => ids.has(paymentId)))
          complain(billingId, `charged by hand, answered ${statuses.join()}, and a charge is live`);
      }
    },
  },
];

type Order = {
  readonly order: string;
  /** Of each request that asked for it. */
  readonly answers: readonly (number | null)[];
  readonly made: ShopIndex['subscriptions'];
};

function ordersOf({ shop, subscriptions }: ShopIndex): Order[] {
  const asked = shop.calls.filter(({ what }) => what === 'subscribe');
  return [...Map.groupBy(asked, ({ order = '' }) => order)].map(([order, calls]) => ({
    order,
    answers: calls.map(({ status }) => status),
    made: subscriptions.filter(({ orderNumber }) => orderNumber === order),
  }));
}
