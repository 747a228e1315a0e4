import { LIST_VAULT_CARDS } from '../../cards/vault/contract.ts';
import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { GET_PLAN_CALENDAR } from '../../recurrence/plans/calendar-endpoints.ts';
import { GET_PLAN, LIST_PLANS } from '../../recurrence/plans/contract.ts';
import { listScreen } from '../filters/list-screens.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { Html, html, type Shown } from '../parts/html.ts';
import { emptyState, errorsOf, facts, filterForm, link, section, table } from '../parts/page-parts.ts';
import { PLAN, PLANS, pathOf, planPath, SUBSCRIPTIONS, withQuery } from '../parts/paths.ts';
import { type Asked, mayUse, OF_MERCHANT, type Screen, screen, type Visit } from '../parts/screen.ts';
import { PLAN_STATES, stateBadge, stateChoices } from '../parts/states.ts';
import { MAY_ENROL, type Plan, planForm, subscriptionForm } from './plan-actions.ts';
import { PLAN_TYPE_WORDS } from './recurrence-words.ts';

type Calendar = AnswerOf<typeof GET_PLAN_CALENDAR>;
type Found = {
  readonly plan: Plan;
  readonly calendar: Calendar | null;
  /** Stored cards to choose from. Null: none were looked for. */
  readonly cards: Asked<AnswerOf<typeof LIST_VAULT_CARDS>> | null;
};

const MOST_CARDS = '50';

const LISTED = listScreen<Plan>({
  path: PLANS,
  ...OF_MERCHANT,
  title: 'Plans',
  contract: LIST_PLANS,
  query: ({ query: { name, status } }) => ({ name, status }),
  filters({ wording }) {
    const { say } = wording;
    return [
      { name: 'name', label: say('Name'), mostCharacters: 255 },
      { name: 'status', label: say('Status'), choices: stateChoices(PLAN_STATES, wording) },
    ];
  },
  empty: [
    'No plan fits.',
    'Use fewer filters. A plan appears here as soon as it is created, on this page or by the API.',
  ],
  view: planTable,
});

const LIST: Screen<MerchantPageTools> = {
  ...LISTED,
  async show(visit, tools) {
    const shown = await LISTED.show(visit, tools);
    return shown instanceof Html ? html`${planForm(visit)}${shown}` : shown;
  },
};

export const PLAN_SCREENS: readonly Screen<MerchantPageTools>[] = [
  LIST,
  screen<unknown, Found>({
    path: PLAN,
    ...OF_MERCHANT,
    title: 'Plan',
    async read({ ask, parameters: { planId = '' }, query: { startOn, lastFour }, user }) {
      const asked = await ask(GET_PLAN, { parameters: { planId } });
      if (!asked.ok) return 'notFound';
      const calendar = await ask(GET_PLAN_CALENDAR, { parameters: { planId }, query: { startOn } });
      // Cards are looked for by their last four digits: all are too many to choose from, and to count.
      const isToChoose = mayUse(MAY_ENROL, user) && lastFour !== undefined;
      const cards = isToChoose
        ? await ask(LIST_VAULT_CARDS, { query: { lastFour, limit: MOST_CARDS } })
        : null;
      return {
        plan: asked.body,
        calendar: calendar.ok ? calendar.body : null,
        cards,
      };
    },
    view: planPage,
  }),
];

function planTable(items: readonly Plan[], { wording, merchantId }: Visit): Html {
  const { say, reais, count } = wording;
  return table(say('Plans'), items, [
    { title: say('Name'), cell: (one) => link(planPath(merchantId, one.id), one.name) },
    { title: say('Amount'), isNumber: true, cell: (one) => reais(one.amount) },
    { title: say('Every'), cell: (one) => say('{days} days', { days: count(one.interval) }) },
    {
      title: say('Installments'),
      isNumber: true,
      cell: (one) => (one.installments === 0 ? say('No end') : one.installments),
    },
    { title: say('Status'), cell: (one) => stateBadge(PLAN_STATES, one.status, wording) },
  ]);
}

function planPage({ plan, calendar, cards }: Found, visit: Visit): Html {
  const { wording, merchantId } = visit;
  const { say, reais, count } = wording;
  const subscriptions = withQuery(pathOf(SUBSCRIPTIONS, { merchantId }), {
    planName: plan.name,
  });
  return html`<p class="headline"><strong>${reais(plan.amount)}</strong> ${stateBadge(PLAN_STATES, plan.status, wording)}</p>
${facts([
  [say('Name'), plan.name],
  [say('Description'), plan.description],
  [say('Rhythm'), say(PLAN_TYPE_WORDS[plan.planType])],
  [say('Every'), say('{days} days', { days: count(plan.interval) })],
  [say('Installments'), plan.installments === 0 ? say('No end') : plan.installments],
  [say('Days of trial'), plan.trialDays],
  [say('Retries for lack of funds'), plan.attempts],
  [say('On statements'), plan.softDescriptor ?? '–'],
  [say('Plan id'), html`<code>${plan.id}</code>`],
])}
<p>${link(subscriptions, say('Its subscriptions'))}</p>
${plan.status === 'Active' && mayUse(MAY_ENROL, visit.user) && section(say('Subscribe a customer'), enrol(plan, cards, visit))}
${section(say('When it charges'), days(calendar, visit))}`;
}

function enrol(plan: Plan, cards: Found['cards'], visit: Visit): Shown {
  const { say, count } = visit.wording;
  const isByCard = plan.paymentMethod === 'CreditCard';
  const choose =
    isByCard &&
    filterForm(visit, [{ name: 'lastFour', label: say('Last four of the card'), mostCharacters: 4 }], {
      label: say('Stored card'),
      kept: ['startOn'],
    });
  if (!isByCard) return subscriptionForm(plan, [], visit);
  if (cards === null)
    return html`${choose}<p class="note">${say('The last four find the stored card that is charged.')}</p>`;
  if (!cards.ok) return html`${choose}${errorsOf(cards.errors)}`;
  const { items, total } = cards.body;
  const active = items.filter(({ status }) => status === 'Active');
  const more =
    total > items.length &&
    html`<p class="note">${say('More cards fit than are shown: the newest {count}. Enrol by the API with another one.', { count: count(items.length) })}</p>`;
  if (active.length === 0)
    return html`${choose}${more}${emptyState(
      say('No stored card fits.'),
      say('A card is stored by the API, or by the buyer at your shop: its number is never typed here.'),
    )}`;
  return html`${choose}${more}${subscriptionForm(plan, active, visit)}`;
}

function days(calendar: Calendar | null, visit: Visit): Html {
  const { say, reais, day } = visit.wording;
  const form = filterForm(
    visit,
    [{ name: 'startOn', label: say('Enrolled on'), type: 'date', value: calendar?.startOn ?? '' }],
    { kept: ['lastFour'] },
  );
  if (calendar === null) return form;
  const list = table(say('When it charges'), calendar.items, [
    { title: say('Installment'), isNumber: true, cell: (one) => one.installment },
    { title: say('Due'), cell: (one) => day(one.expireAt) },
    { title: say('Amount'), isNumber: true, cell: (one) => reais(one.amount) },
    {
      title: say('Retried while funds are lacking'),
      cell: (one) => html`<span class="why">${one.retriesOn.map((on) => day(on)).join(' · ') || '–'}</span>`,
    },
  ]);
  return html`${form}${list}`;
}
