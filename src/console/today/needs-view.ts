import type { Contract } from '../../platform/http/endpoint.ts';
import { MOST_COUNTED_FOR_PEOPLE } from '../../platform/pages.ts';
import { LIST_EXCEPTIONS } from '../../reconciliation/exceptions/endpoints.ts';
import { LIST_BILLINGS } from '../../recurrence/billings/contract.ts';
import { LIST_SUBSCRIPTIONS } from '../../recurrence/subscriptions/contract.ts';
import { LIST_BOLETOS } from '../../transactions/methods/boleto/contract.ts';
import { addDays, type Day, instant, saoPauloDay } from '../../values/instant.ts';
import { LIST_DELIVERIES } from '../../webhooks/history/contract.ts';
import type { AddressTools } from '../notifications/address-screens.ts';
import { type Html, html } from '../parts/html.ts';
import { emptyState, link, section } from '../parts/page-parts.ts';
import {
  BILLINGS,
  BOLETOS,
  DELIVERIES,
  MERCHANT_EXCEPTIONS,
  NOTIFICATIONS,
  pathOf,
  SUBSCRIPTIONS,
  WAITING,
  withQuery,
} from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import { badge, type Tone } from '../parts/states.ts';
import { stateOf } from '../second-person/second-person.ts';
import type { WaitingTools } from '../second-person/waiting-screens.ts';

export type Need = {
  readonly tone: Tone;
  readonly title: string;
  readonly advice: string;
  /** Null: they could not be counted now. */
  readonly count: number | null;
  readonly path: string;
  /** Null: the whole merchant. */
  readonly accountNumber: string | null;
};

export type PartTools = {
  /** Null: refused now. The rest of the page is still shown. */
  readonly readPart: <Part>(read: () => Promise<Part>) => Promise<Part | null>;
};

export type NeedTools = PartTools & Pick<WaitingTools, 'listRequests' | 'isAnythingWaiting'> & AddressTools;

/** A list filtered to what needs attention. The list itself counts, up to its bound. */
type NarrowedList = Pick<Need, 'tone' | 'title' | 'advice'> & {
  readonly pattern: string;
  readonly contract: Contract;
  readonly isByAccount?: true;
  readonly query: (today: Day, realToday: Day) => Readonly<Record<string, string>>;
};

/** A billing is tried again within weeks. */
const DAYS_OF_RETRIES = 60;
/** The most days that the list of exceptions shows at once. */
const DAYS_OF_EXCEPTIONS = 90;
const DAYS_AHEAD = 3;
/** As the list of deliveries shows by itself. */
const DAYS_OF_DELIVERIES = 7;
/** Each is counted by a search of its own. */
const MOST_ACCOUNTS = 5;

const LISTS: readonly NarrowedList[] = [
  {
    tone: 'wait',
    title: 'Billings past their day, being tried again',
    advice: 'See why each was declined',
    pattern: BILLINGS,
    contract: LIST_BILLINGS,
    query: (today) => ({
      status: 'Opened',
      expirationDateRangeStartDate: addDays(today, -DAYS_OF_RETRIES),
      expirationDateRangeEndDate: addDays(today, -1),
    }),
  },
  {
    tone: 'bad',
    title: 'Blocked subscriptions',
    advice: 'See the reason, and activate them again',
    pattern: SUBSCRIPTIONS,
    contract: LIST_SUBSCRIPTIONS,
    query: () => ({ status: 'Blocked' }),
  },
  {
    tone: 'bad',
    title: 'Open exceptions of reconciliation',
    advice: 'See what differs, and by how much',
    pattern: MERCHANT_EXCEPTIONS,
    contract: LIST_EXCEPTIONS,
    isByAccount: true,
    query: (today) => ({ from: addDays(today, -DAYS_OF_EXCEPTIONS), to: today, state: 'open' }),
  },
  {
    tone: 'bad',
    title: 'Notifications not delivered',
    advice: 'Send them again once the address takes them',
    pattern: DELIVERIES,
    contract: LIST_DELIVERIES,
    isByAccount: true,
    query: (_, realToday) => ({
      from: addDays(realToday, 1 - DAYS_OF_DELIVERIES),
      to: realToday,
      status: 'GivenUp',
    }),
  },
  {
    tone: 'wait',
    title: 'Boletos due within three days',
    advice: 'Remind their payers',
    pattern: BOLETOS,
    contract: LIST_BOLETOS,
    isByAccount: true,
    query: (today) => ({ startDate: today, endDate: addDays(today, DAYS_AHEAD), statusBill: '1' }),
  },
];

export async function listNeeds(visit: Visit, tools: NeedTools): Promise<Need[]> {
  const { merchantId, accountNumbers, ask, now, realNow } = visit;
  const [today, realToday] = [saoPauloDay(instant(now)), saoPauloDay(instant(realNow))];
  const all: Need[] = await requestsAndAddresses(visit, tools);
  for (const { pattern, contract, isByAccount, query, ...words } of LISTS) {
    const accounts = isByAccount === true ? accountNumbers.slice(0, MOST_ACCOUNTS) : [undefined];
    for (const accountNumber of accounts) {
      const narrowed = { accountNumber, ...query(today, realToday) };
      const asked = await tools.readPart(() =>
        ask(contract, { query: { ...narrowed, page: '1', limit: '1' } }),
      );
      all.push({
        ...words,
        count: asked?.ok === true ? (asked.body as { readonly total: number }).total : null,
        path: withQuery(pathOf(pattern, { merchantId }), narrowed),
        accountNumber: accountNumbers.length > 1 ? (accountNumber ?? null) : null,
      });
    }
  }
  return all.filter(({ count }) => count !== 0);
}

async function requestsAndAddresses(visit: Visit, tools: NeedTools): Promise<Need[]> {
  const { merchantId } = visit;
  const requests = await tools.readPart(() => countRequests(visit, tools));
  const addresses = await tools.readPart(() => tools.listFailing(merchantId));
  return [
    {
      tone: 'wait',
      title: 'Requests that wait for your approval',
      advice: 'Approve or decline',
      count: requests,
      path: pathOf(WAITING.merchant, { merchantId }),
      accountNumber: null,
    },
    {
      tone: 'bad',
      title: 'Addresses that do not take notifications',
      advice: 'See since when, and send a test',
      count: addresses?.length ?? null,
      path: pathOf(NOTIFICATIONS, { merchantId }),
      accountNumber: null,
    },
  ];
}

async function countRequests(visit: Visit, { isAnythingWaiting, listRequests }: NeedTools): Promise<number> {
  if (!(await isAnythingWaiting(visit.merchantId))) return 0;
  const requests = await listRequests(visit);
  return requests.filter((one) => stateOf(one) === 'waiting' && one.mayApprove).length;
}

export function needsShown(needs: readonly Need[], { wording, accountNumbers }: Visit): Html {
  const { say, count } = wording;
  const counted = (many: number | null) =>
    many === null
      ? '?'
      : many > MOST_COUNTED_FOR_PEOPLE
        ? say('more than {count}', { count: count(MOST_COUNTED_FOR_PEOPLE) })
        : count(many);
  const titleText = (title: string, account: string | null) =>
    account === null ? say(title) : `${say(title)} (${say('Account')} ${account})`;
  const items = needs.map(
    ({ tone, title, advice, path, accountNumber, count: many }) =>
      html`<li>${badge(tone, counted(many))} ${link(path, titleText(title, accountNumber))} <small>${say(many === null ? 'It could not be read now.' : advice)}</small></li>\n`,
  );
  const isCut = accountNumbers.length > MOST_ACCOUNTS;
  const list =
    items.length === 0
      ? emptyState(
          say('Nothing waits for you.'),
          say(
            'Billings in retry, blocked subscriptions, failing addresses, notifications not delivered, differences, boletos due soon and requests to approve appear here.',
          ),
        )
      : html`<ul class="needs">${items}</ul>`;
  return section(
    say('What needs you'),
    html`${list}${
      isCut &&
      html`<p class="note">${say(
        'Differences, boletos and notifications were looked for in the first {count} accounts only.',
        {
          count: count(MOST_ACCOUNTS),
        },
      )}</p>`
    }`,
  );
}
