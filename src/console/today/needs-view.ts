import type { Contract } from '../../platform/http/endpoint.ts';
import { MOST_COUNTED_FOR_PEOPLE } from '../../platform/pages.ts';
import { LIST_EXCEPTIONS } from '../../reconciliation/exceptions/endpoints.ts';
import { LIST_BILLINGS } from '../../recurrence/billings/contract.ts';
import { LIST_SUBSCRIPTIONS } from '../../recurrence/subscriptions/contract.ts';
import { LIST_BOLETOS } from '../../transactions/methods/boleto/contract.ts';
import { addDays, type Day, instant, reachedFrom, saoPauloDay } from '../../values/instant.ts';
import { MOST_DAYS_OF_PERIOD } from '../../webhooks/history/recorded-delivery.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
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

export type Need = {
  readonly tone: Tone;
  readonly title: string;
  readonly advice: string;
  /** Where the things are listed: in one list, or in one for each account. */
  readonly places: readonly Place[];
};

type Place = {
  /** Null: the list is of the whole merchant. */
  readonly accountNumber: string | null;
  /** Null: the things could not be counted now. */
  readonly count: number | null;
  readonly path: string;
};

/** A list with filters that leave what needs attention. The list itself counts, up to its bound. */
type NarrowedList = Pick<Need, 'tone' | 'title' | 'advice'> & {
  readonly pattern: string;
  readonly contract: Contract;
  readonly isByAccount?: true;
  readonly query: (today: Day) => Readonly<Record<string, string>>;
  /** In this order a count stops at its bound; absent: it does in every order. */
  readonly order?: { readonly orderBy: string };
};

/** How far back billings are looked for: all tries of a billing are within weeks. */
const DAYS_OF_RETRIES = 60;
/** The most days that the list of exceptions shows at once. */
const DAYS_OF_EXCEPTIONS = 90;
const DAYS_AHEAD = 3;
/** The most accounts that are looked at: each takes a search of its own, and those of a list run together. */
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
    order: { orderBy: 'expireAt' },
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
    tone: 'wait',
    title: 'Boletos due within three days',
    advice: 'Remind their payers',
    pattern: BOLETOS,
    contract: LIST_BOLETOS,
    isByAccount: true,
    query: (today) => ({ startDate: today, endDate: addDays(today, DAYS_AHEAD), statusBill: '1' }),
  },
];

export async function listNeeds(visit: Visit, tools: MerchantPageTools): Promise<Need[]> {
  const all = [...(await requestsAndAddresses(visit, tools)), await lostDeliveries(visit, tools)];
  for (const list of LISTS) all.push(await countList(list, visit, tools));
  return all
    .map((need) => ({ ...need, places: need.places.filter(({ count }) => count !== 0) }))
    .filter(({ places }) => places.length > 0);
}

async function countList(list: NarrowedList, visit: Visit, tools: MerchantPageTools): Promise<Need> {
  const { pattern, contract, isByAccount, query, order, ...words } = list;
  const { merchantId, accountNumbers, ask, now } = visit;
  const accounts = isByAccount === true ? accountNumbers.slice(0, MOST_ACCOUNTS) : [undefined];
  const places = accounts.map(async (accountNumber): Promise<Place> => {
    const narrowed = { accountNumber, ...query(saoPauloDay(instant(now))) };
    const asked = await tools.readPart(() =>
      ask(contract, { query: { ...narrowed, ...order, page: '1', limit: '1' } }),
    );
    return {
      accountNumber: accountNumber ?? null,
      count: asked?.ok === true ? (asked.body as { readonly total: number }).total : null,
      path: withQuery(pathOf(pattern, { merchantId }), narrowed),
    };
  });
  return { ...words, places: await Promise.all(places) };
}

/**
 * The deliveries that were given up, of each account: those of the days from the oldest one on, as many as
 * the list and its button reach.
 */
async function lostDeliveries(visit: Visit, { countLost }: MerchantPageTools): Promise<Need> {
  const { merchantId, accountNumbers, realNow } = visit;
  const path = pathOf(DELIVERIES, { merchantId });
  const today = saoPauloDay(instant(realNow));
  const lost = await countLost(merchantId, accountNumbers.slice(0, MOST_ACCOUNTS), null);
  const places = lost?.map(({ accountNumber, count, oldest }): Place => {
    const from = saoPauloDay(oldest);
    const last = reachedFrom(from, MOST_DAYS_OF_PERIOD - 1);
    const narrowed = { accountNumber, from, to: [last, today].toSorted()[0], status: 'GivenUp' };
    return { accountNumber, count, path: withQuery(path, narrowed) };
  });
  return {
    tone: 'bad',
    title: 'Notifications not delivered',
    advice: 'Send them again once the address takes them',
    places: places ?? [{ accountNumber: null, count: null, path: withQuery(path, { status: 'GivenUp' }) }],
  };
}

async function requestsAndAddresses(visit: Visit, tools: MerchantPageTools): Promise<Need[]> {
  const { merchantId } = visit;
  const requests = await tools.readPart(() => countRequests(visit, tools));
  const addresses = await tools.readPart(() => tools.listFailing(merchantId));
  const ofMerchant = (count: number | null, pattern: string) => [
    { accountNumber: null, count, path: pathOf(pattern, { merchantId }) },
  ];
  return [
    {
      tone: 'wait',
      title: 'Requests that wait for your approval',
      advice: 'Approve or decline',
      places: ofMerchant(requests, WAITING.merchant),
    },
    {
      tone: 'bad',
      title: 'Addresses that do not take notifications',
      advice: 'See since when, and send a test',
      places: ofMerchant(addresses?.length ?? null, NOTIFICATIONS),
    },
  ];
}

async function countRequests(
  visit: Visit,
  { isAnythingWaiting, listRequests }: MerchantPageTools,
): Promise<number> {
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
  const items = needs.map(({ tone, title, advice, places }) => {
    const [first] = places;
    const all = places.reduce<number | null>(
      (sum, one) => (sum === null || one.count === null ? null : sum + one.count),
      0,
    );
    const what =
      first === undefined || first.accountNumber === null || accountNumbers.length === 1
        ? link(first?.path ?? '', say(title))
        : html`${say(title)}: ${places.map((one, at) => html`${at > 0 && ', '}${link(one.path, `${one.accountNumber ?? ''} (${counted(one.count)})`)}`)}`;
    return html`<li>${badge(tone, counted(all))} ${what} <small>${say(all === null ? 'It could not be read now.' : advice)}</small></li>\n`;
  });
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
