import type { TestTools } from '../../src/console/parts/homologation-pages.ts';
import { type Html, html, type Shown } from '../../src/console/parts/html.ts';
import { emptyState, facts, link, moment, section, table } from '../../src/console/parts/page-parts.ts';
import { billingPath, boletoPath, deliveryPath, pathOf, TEST_CLOCK } from '../../src/console/parts/paths.ts';
import {
  type Action,
  mayUse,
  OF_MERCHANT,
  type Screen,
  screen,
  shownRequests,
  type Visit,
} from '../../src/console/parts/screen.ts';
import { badge } from '../../src/console/parts/states.ts';
import { LIST_DAYS } from '../../src/reconciliation/days/endpoints.ts';
import { GET_BILLING, LIST_BILLINGS } from '../../src/recurrence/billings/contract.ts';
import { LIST_BOLETOS } from '../../src/transactions/methods/boleto/contract.ts';
import { addDays, instant, saoPauloDay } from '../../src/values/instant.ts';
import { LIST_DELIVERIES } from '../../src/webhooks/history/contract.ts';
import { ADVANCE, goalOf, justAfter, moveForm, moveRequest } from './happening.ts';
import { askHomologation, MAY_TRY, toolLinks, tryForm } from './test-tools.ts';

export type Clock = {
  readonly now: string;
  readonly target?: string | null;
  readonly ran: Readonly<Record<RanKind, number>>;
};
type RanKind = 'changes' | 'preauthorizations' | 'boletos' | 'billings' | 'notices' | 'deliveries';

type Coming = {
  /** A day, or a moment with its offset. */
  readonly at: string;
  readonly what: string;
  readonly about: Shown;
};

type Found = { readonly clock: Clock | null; readonly coming: readonly Coming[] };

const RAN_WORDS: Readonly<Record<RanKind, { readonly text: string }>> = {
  changes: { text: 'Changes by acquirer and bank' },
  billings: { text: 'Charges of billings' },
  boletos: { text: 'Boletos overdue or over' },
  preauthorizations: { text: 'Preauthorizations let go' },
  notices: { text: 'Notices' },
  deliveries: { text: 'Tries of notifications' },
};

const JUMPS = [
  { days: 1, text: 'A day' },
  { days: 7, text: 'A week' },
  { days: 31, text: 'A month' },
] as const;

const SHOWN_OF_KIND = 5;
const DAYS_AHEAD = 60;
const MINUTE_MILLISECONDS = 60_000;

export async function readClock(visit: Visit, tools: Pick<TestTools, 'contractOf'>): Promise<Clock | null> {
  const asked = await askHomologation(visit, tools, 'readTestClock', {});
  return asked.ok ? (asked.body as Clock) : null;
}

/** Nearest first. The acquirer's own acts come from its forecast. */
async function readComing(visit: Visit): Promise<readonly Coming[]> {
  const { ask, accountNumbers, now, merchantId, wording } = visit;
  const { say, reais, count } = wording;
  const today = saoPauloDay(instant(now));
  const accountNumber = accountNumbers[0] ?? '';
  const until = addDays(today, DAYS_AHEAD);
  const limit = String(SHOWN_OF_KIND);
  const [billings, boletos, deliveries, days] = await Promise.all([
    ask(LIST_BILLINGS, { query: { status: 'Opened', orderBy: 'expireAt asc', limit } }),
    ask(LIST_BOLETOS, {
      query: { accountNumber, startDate: today, endDate: until, statusBill: '1', page: '1', limit },
    }),
    ask(LIST_DELIVERIES, { query: { accountNumber, status: 'Waiting', limit } }),
    ask(LIST_DAYS, { query: { accountNumber, from: today, to: until } }),
  ]);
  const found: Coming[] = [];
  // A billing that waits for a retry is charged after its due day.
  const listed = billings.ok ? billings.body.items : [];
  const whole = await Promise.all(
    listed.map(({ id }) => ask(GET_BILLING, { parameters: { billingId: id } })),
  );
  for (const one of whole)
    if (one.ok && one.body.nextChargeOn !== undefined)
      found.push({
        at: one.body.nextChargeOn,
        what: say('A billing is charged'),
        about: link(billingPath(merchantId, one.body.id), reais(one.body.amount)),
      });
  if (boletos.ok)
    for (const { id, dueDate, value } of itemsOf(boletos.body))
      found.push({
        at: dueDate.slice(0, 10),
        what: say('A boleto is due'),
        about: link(boletoPath(merchantId, id), reais(value)),
      });
  if (deliveries.ok)
    for (const { id, nextTryAt, url } of deliveries.body.items)
      if (nextTryAt !== null)
        found.push({
          at: nextTryAt,
          what: say('A notification is tried'),
          about: link(deliveryPath(merchantId, id), url ?? id),
        });
  if (days.ok)
    for (const { day, openInstallments, openValue } of days.body.slice(0, SHOWN_OF_KIND))
      if (openInstallments > 0)
        found.push({
          at: day,
          what: say('The acquirer pays'),
          about: html`${reais(openValue)} <small>(${count(openInstallments)})</small>`,
        });
  return found.toSorted((one, other) => one.at.localeCompare(other.at));
}

type DueBoleto = { readonly id: string; readonly dueDate: string; readonly value: number };

/** One page. Without its number the API would return all. */
function itemsOf(body: unknown): readonly DueBoleto[] {
  return (body as { readonly items?: readonly DueBoleto[] }).items ?? [];
}

export const CLOCK_SCREENS: readonly Screen<TestTools>[] = [
  screen<TestTools, Found>({
    path: TEST_CLOCK,
    ...OF_MERCHANT,
    title: 'Test clock',
    refreshSeconds: 5,
    async read(visit, tools) {
      const [clock, coming] = await Promise.all([readClock(visit, tools), readComing(visit)]);
      return { clock, coming };
    },
    view: ({ clock, coming }, visit) => html`${toolLinks(visit)}
<p>${visit.wording.say('Each merchant has a time of its own here. It goes on by what you add, and everything that falls due on the way happens, in its order.')}</p>
${clockShown(clock, visit)}
${mayUse(MAY_TRY, visit.user) && section(visit.wording.say('Let time pass'), jumps(visit))}
${section(visit.wording.say('What comes next'), comingTable(coming, visit))}`,
  }),
];

/** Without seconds, which would change the page each time. */
export function clockShown(clock: Clock | null, { wording }: Visit): Html {
  const { say, count } = wording;
  if (clock === null) return html`<p>${say('There is nothing to try with here.')}</p>`;
  const at = Date.parse(`${clock.now}-03:00`);
  const target = clock.target ?? null;
  const state =
    target === null
      ? badge('good', say('Stands here'))
      : badge('wait', say('On its way to {time}', { time: wording.moment(target) }));
  const ran = Object.entries(RAN_WORDS).map(
    ([kind, { text }]) => [say(text), count(clock.ran[kind as RanKind])] as const,
  );
  return html`<p class="headline"><strong>${moment(wording, at - (at % MINUTE_MILLISECONDS))}</strong> ${state}</p>
${section(say('What the last jump ran'), facts(ran))}`;
}

function jumps(visit: Visit): Html {
  const { say } = visit.wording;
  const action = `${pathOf(TEST_CLOCK, { merchantId: visit.merchantId })}/clock`;
  const buttons = JUMPS.map(({ days, text }, index) =>
    tryForm(visit, {
      action,
      title: say(text),
      hidden: { advanceDays: String(days) },
      number: index,
      isMain: true,
    }),
  );
  const day = tryForm(visit, {
    action,
    title: say('Go there'),
    fields: [{ name: 'to', label: say('To a day'), type: 'date', isRequired: true }],
    number: JUMPS.length,
  });
  return html`<div class="tries">${buttons}${day}</div>
${shownRequests([moveRequest({ advanceDays: 31 }), { contract: { method: 'GET', path: '/homologation/clock' } }])}`;
}

function comingTable(coming: readonly Coming[], visit: Visit): Html {
  const { wording } = visit;
  const { say, day } = wording;
  if (coming.length === 0)
    return emptyState(
      say('Nothing is known to fall due.'),
      say('Charge a card, enrol a customer or issue a boleto: what becomes due appears here.'),
    );
  const isMoment = (at: string) => at.length > 10;
  return table(say('What comes next'), coming, [
    { title: say('When'), cell: ({ at }) => (isMoment(at) ? moment(wording, at) : day(at)) },
    {
      title: say('Action'),
      cell: ({ at }, index) =>
        moveForm(visit, {
          to: isMoment(at) ? justAfter(at) : at,
          title: say('Go there'),
          number: 10 + index,
        }),
    },
    { title: say('What'), cell: ({ what }) => what },
    { title: say('About'), cell: ({ about }) => about },
  ]);
}

export const CLOCK_ACTIONS: readonly Action<TestTools>[] = [
  {
    ...MAY_TRY,
    path: `${TEST_CLOCK}/clock`,
    title: 'Let time pass',
    operation: ADVANCE,
    perform: (visit, { advanceDays, to }, tools) =>
      askHomologation(visit, tools, ADVANCE, {
        body: to === undefined ? { advanceDays: Number(advanceDays) } : { to: goalOf(to) },
      }),
    done: 'The clock has moved, or is on its way: what it ran stands below.',
    next: ({ merchantId }) => pathOf(TEST_CLOCK, { merchantId }),
  },
];
