import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { GET_PLAN_CALENDAR } from '../../recurrence/plans/calendar-endpoints.ts';
import { GET_PLAN, LIST_PLANS } from '../../recurrence/plans/contract.ts';
import { type ListTools, listScreen } from '../filters/list-screens.ts';
import { type Html, html } from '../parts/html.ts';
import { facts, filterForm, link, section, table } from '../parts/page-parts.ts';
import { PLAN, PLANS, pathOf, planPath, SUBSCRIPTIONS, withQuery } from '../parts/paths.ts';
import { ALL_ROLES, type Screen, screen, type Visit } from '../parts/screen.ts';
import { PLAN_STATES, stateBadge, stateChoices } from '../parts/states.ts';
import { PLAN_TYPE_WORDS } from './recurrence-words.ts';

type Plan = AnswerOf<typeof GET_PLAN>;
type Calendar = AnswerOf<typeof GET_PLAN_CALENDAR>;
type Found = { readonly plan: Plan; readonly calendar: Calendar | null };

export const PLAN_SCREENS: readonly Screen<ListTools>[] = [
  listScreen<Plan>({
    path: PLANS,
    roles: ALL_ROLES,
    of: 'merchant',
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
    empty: ['No plan fits.', 'Use fewer filters. A plan appears here as soon as the API has created it.'],
    view: planTable,
  }),
  screen<unknown, Found>({
    path: PLAN,
    roles: ALL_ROLES,
    of: 'merchant',
    title: 'Plan',
    async read({ ask, parameters: { planId = '' }, query: { startOn } }) {
      const asked = await ask(GET_PLAN, { parameters: { planId } });
      if (!asked.ok) return 'notFound';
      const calendar = await ask(GET_PLAN_CALENDAR, { parameters: { planId }, query: { startOn } });
      return { plan: asked.body, calendar: calendar.ok ? calendar.body : null };
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

function planPage({ plan, calendar }: Found, visit: Visit): Html {
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
${section(say('When it charges'), days(calendar, visit))}`;
}

function days(calendar: Calendar | null, visit: Visit): Html {
  const { say, reais, day } = visit.wording;
  const form = filterForm(visit, [
    { name: 'startOn', label: say('Enrolled on'), type: 'date', value: calendar?.startOn ?? '' },
  ]);
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
