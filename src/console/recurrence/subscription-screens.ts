import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { GET_BILLING, LIST_BILLINGS } from '../../recurrence/billings/contract.ts';
import { GET_SUBSCRIPTION, LIST_SUBSCRIPTIONS } from '../../recurrence/subscriptions/contract.ts';
import { type ListTools, listScreen } from '../filters/list-screens.ts';
import { SUBSCRIPTION, SUBSCRIPTIONS } from '../parts/paths.ts';
import { ALL_ROLES, type Screen, screen } from '../parts/screen.ts';
import { SUBSCRIPTION_STATES, stateChoices } from '../parts/states.ts';
import type { WholeBilling } from './billing-why.ts';
import { subscriptionPage, subscriptionTable } from './subscription-view.ts';

export type ListedSubscription = AnswerOf<typeof LIST_SUBSCRIPTIONS>['items'][number];
export type WholeSubscription = AnswerOf<typeof GET_SUBSCRIPTION>;
type ListedBillings = AnswerOf<typeof LIST_BILLINGS>;

export type SubscriptionFound = {
  readonly subscription: WholeSubscription;
  readonly billings: Omit<ListedBillings, 'items'> & { readonly items: readonly WholeBilling[] };
  /** The latest of all; null: there is none. */
  readonly newest: Pick<WholeBilling, 'installment' | 'expireAt'> | null;
};

/** Each of them is read by its id, for why it is where it is. */
const BILLINGS_OF_PAGE = 10;

const LIST: Screen<ListTools> = listScreen<ListedSubscription>({
  path: SUBSCRIPTIONS,
  roles: ALL_ROLES,
  of: 'merchant',
  title: 'Subscriptions',
  place: 20,
  list: 'subscriptions',
  contract: LIST_SUBSCRIPTIONS,
  query: ({ query: { orderNumber, planName, status } }) => ({ orderNumber, planName, status }),
  // A document or an e-mail would stand in the address: the box of the search finds by them.
  filters({ wording }) {
    const { say } = wording;
    return [
      { name: 'orderNumber', label: say('Order number'), mostCharacters: 10 },
      { name: 'planName', label: say('Plan'), mostCharacters: 255 },
      { name: 'status', label: say('Status'), choices: stateChoices(SUBSCRIPTION_STATES, wording) },
    ];
  },
  empty: [
    'No subscription fits.',
    'Use fewer filters. A subscription appears here as soon as the API has enrolled a customer in a plan.',
  ],
  view: subscriptionTable,
});

const ONE: Screen<unknown> = screen<unknown, SubscriptionFound>({
  path: SUBSCRIPTION,
  roles: ALL_ROLES,
  of: 'merchant',
  title: 'Subscription',
  async read({ ask, parameters: { subscriptionId = '' }, query }) {
    const asked = await ask(GET_SUBSCRIPTION, { parameters: { subscriptionId } });
    if (!asked.ok) return 'notFound';
    const listed = await ask(LIST_BILLINGS, {
      query: {
        subscriptionId: asked.body.id,
        orderBy: 'expireAt desc',
        limit: String(BILLINGS_OF_PAGE),
        page: query.page ?? '1',
      },
    });
    const page = listed.ok ? listed.body : { items: [], page: 1, limit: BILLINGS_OF_PAGE, total: 0 };
    const items: WholeBilling[] = [];
    for (const one of page.items) {
      const whole = await ask(GET_BILLING, { parameters: { billingId: one.id } });
      items.push(whole.ok ? whole.body : { ...one, timeline: [] });
    }
    const newest = page.page === 1 ? (items[0] ?? null) : null;
    return { subscription: asked.body, billings: { ...page, items }, newest };
  },
  view: subscriptionPage,
});

export const SUBSCRIPTION_SCREENS: readonly Screen<ListTools>[] = [LIST, ONE];
