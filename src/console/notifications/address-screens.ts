import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { ALERT_EVENTS } from '../../recurrence/alerts/alert.ts';
import {
  CHANGE_ALERT_ENDPOINT,
  LIST_ALERT_ENDPOINTS,
  REGISTER_ALERT_ENDPOINT,
} from '../../recurrence/alerts/endpoints.ts';
import { DELETE_WEBHOOK, GET_WEBHOOK, REGISTER_WEBHOOK } from '../../webhooks/endpoints/endpoints.ts';
import type { ListedEndpoint } from '../../webhooks/endpoints/webhook-endpoints.sql.ts';
import { SEND_TEST_NOTIFICATION } from '../../webhooks/history/contract.ts';
import { CREATE_WEBHOOK_SECRET } from '../../webhooks/secrets/endpoints.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import {
  accountField,
  accountOf,
  actionForm,
  emptyState,
  facts,
  filterForm,
  link,
  long,
  realMoment,
  section,
  table,
} from '../parts/page-parts.ts';
import { DELIVERIES, NOTIFICATIONS, pathOf, withQuery } from '../parts/paths.ts';
import {
  type Action,
  type Form,
  mayUse,
  OF_MERCHANT,
  type Screen,
  screen,
  type Visit,
} from '../parts/screen.ts';
import { badge, NOTIFIER_STATES, stateBadge } from '../parts/states.ts';
import { EVENT_WORDS, failureText } from './delivery-words.ts';

type Notifier = AnswerOf<typeof LIST_ALERT_ENDPOINTS>['items'][number];
type Found = {
  /** Null: none is registered. */
  readonly url: string | null;
  readonly notifiers: readonly Notifier[];
  readonly failing: readonly ListedEndpoint[];
};

/** More than the twenty that may be active, so that removed ones are shown too. */
const MOST_NOTIFIERS = '50';

export const ADDRESS_SCREENS: readonly Screen<MerchantPageTools>[] = [
  screen<MerchantPageTools, Found>({
    path: NOTIFICATIONS,
    ...OF_MERCHANT,
    title: 'Notifications',
    async read(visit, { listFailing }) {
      const registered = await visit.ask(GET_WEBHOOK, { query: { accountNumber: accountOf(visit) } });
      const listed = await visit.ask(LIST_ALERT_ENDPOINTS, { query: { limit: MOST_NOTIFIERS } });
      return {
        url: registered.ok ? registered.body.url : null,
        notifiers: listed.ok ? listed.body.items : [],
        failing: await listFailing(visit.merchantId),
      };
    },
    view: addressPage,
  }),
];

function addressPage({ url, notifiers, failing }: Found, visit: Visit): Html {
  const { say } = visit.wording;
  const accountNumber = accountOf(visit);
  const deliveries = withQuery(pathOf(DELIVERIES, { merchantId: visit.merchantId }), { accountNumber });
  const registered =
    url === null
      ? emptyState(
          say('No address is registered for this account.'),
          say('An administrator registers one here: what happens to payments is sent there.'),
        )
      : facts([[say('Address'), url]]);
  return html`${visit.accountNumbers.length > 1 && filterForm(visit, [accountField(visit)])}
<p>${link(deliveries, say('What was sent, and its tries'))}</p>
${failing.length > 0 && section(say('Addresses that do not take notifications'), failingTable(failing, visit))}
${section(say('Where the account is notified'), html`${registered}${addressForm(visit)}${url !== null && testForm(visit)}${secretForm(visit)}${url !== null && removeForm(visit)}`)}
${section(say('Notifiers of subscriptions'), html`${notifierForm(visit)}${notifierTable(notifiers, visit)}`)}`;
}

const pathHere = ({ merchantId }: Visit) => pathOf(NOTIFICATIONS, { merchantId });

function addressForm(visit: Visit, typed?: Form): Shown {
  const { say } = visit.wording;
  return actionForm(visit, REGISTER, {
    typed,
    about: say(
      'It takes the place of the one before, with its user name and password, and what waits is sent to it at once. Then send a test.',
    ),
    fields: [
      accountField(visit),
      { name: 'url', label: say('Address'), hint: 'https://', isRequired: true, mostCharacters: 500 },
    ],
  });
}

function removeForm(visit: Visit): Shown {
  return actionForm(visit, REMOVE, {
    about: visit.wording.say('The account is notified no more, and what waits is given up.'),
    fields: [accountField(visit)],
    isGrave: true,
  });
}

function notifierForm(visit: Visit, typed?: Form): Shown {
  const { say } = visit.wording;
  return actionForm(visit, ADD_NOTIFIER, {
    typed,
    about: say('It is told what happens to subscriptions, signed with the secret of the account.'),
    fields: [
      { name: 'name', label: say('Name'), isRequired: true, mostCharacters: 255 },
      { name: 'callbackUrl', label: say('Address'), hint: 'https://', isRequired: true, mostCharacters: 500 },
      {
        name: 'events',
        label: say('Of what'),
        choices: [
          ['', say('Everything')],
          ...ALERT_EVENTS.map((event) => [event, say(EVENT_WORDS[event])] as const),
        ],
      },
    ],
  });
}

function notifierStatusForm({ id, status }: Notifier, visit: Visit): Shown {
  const { say } = visit.wording;
  return status === 'Active'
    ? actionForm(visit, END_NOTIFIER, {
        values: { notifierId: id },
        about: say('Nothing new is told to it; what waits is still sent.'),
        isGrave: true,
      })
    : actionForm(visit, START_NOTIFIER, {
        values: { notifierId: id },
        about: say('It is told again from now on.'),
      });
}

function testForm(visit: Visit): Shown {
  return actionForm(visit, TEST, {
    about: visit.wording.say('One notification of the type Teste is sent now, and what came of it is shown.'),
    fields: [accountField(visit)],
  });
}

function secretForm(visit: Visit): Shown {
  return actionForm(visit, ROTATE, {
    about: visit.wording.say(
      'It signs from now on and is shown this once. The one before it signs too for 24 hours; a third within that time ends the oldest at once.',
    ),
    fields: [accountField(visit)],
    isGrave: true,
  });
}

function failingTable(failing: readonly ListedEndpoint[], { wording }: Visit): Html {
  const { say, count } = wording;
  return table(say('Addresses that do not take notifications'), failing, [
    { title: say('Address'), cell: ({ url, endpoint }) => long(url ?? endpoint.replace('origin:', '')) },
    { title: say('Failing since'), cell: ({ failingSince }) => realMoment(wording, failingSince) },
    {
      title: say('Last answer'),
      cell: ({ lastFailure }) =>
        lastFailure === null ? '–' : (lastFailure.status ?? failureText(lastFailure.failure, wording)),
    },
    { title: say('Waiting'), isNumber: true, cell: ({ waiting }) => count(waiting) },
    {
      title: say('What happens'),
      cell: ({ state }) =>
        state === 'disabled'
          ? html`${badge('bad', say('Held'))} ${say('Nothing is sent until a test succeeds or it is registered again.')}`
          : html`${badge('wait', say('Being tried'))} ${say('It is tried now and then; what waits is sent when it answers.')}`,
    },
  ]);
}

function notifierTable(notifiers: readonly Notifier[], visit: Visit): Html {
  const { wording } = visit;
  const { say } = wording;
  if (notifiers.length === 0)
    return emptyState(say('There is no notifier yet.'), say('An administrator registers one here.'));
  return table(say('Notifiers of subscriptions'), notifiers, [
    { title: say('Name'), cell: (one) => one.name },
    { title: say('Address'), cell: (one) => one.callbackUrl },
    { title: say('Of what'), cell: (one) => one.events.map((event) => say(EVENT_WORDS[event])).join(', ') },
    {
      title: say('State'),
      cell: (one) => stateBadge(NOTIFIER_STATES, one.status === 'Active' ? 'Active' : 'Ended', wording),
    },
    ...(mayUse(END_NOTIFIER, visit.user)
      ? [{ title: say('Action'), cell: (one: Notifier) => notifierStatusForm(one, visit) }]
      : []),
  ]);
}

function revealTest(answered: unknown, { wording }: Visit): Html {
  const { say, count } = wording;
  const { delivered, status, failure, milliseconds } = answered as AnswerOf<typeof SEND_TEST_NOTIFICATION>;
  return html`<p class="message ${delivered ? 'good' : 'bad'}">${delivered ? say('The address took it.') : say('The address did not take it.')}</p>
${facts([
  [say('Answered'), status ?? '–'],
  [say('Failed because of'), failureText(failure, wording)],
  [say('Milliseconds'), count(milliseconds)],
])}`;
}

function revealSecret(answered: unknown, { wording }: Visit): Html {
  const { say } = wording;
  const { secret, previousValidUntil } = answered as AnswerOf<typeof CREATE_WEBHOOK_SECRET>;
  return html`<p>${say('Keep it now: it is shown this once.')}</p>
<p><code class="secret">${secret}</code></p>
${previousValidUntil !== null && html`<p>${say('The one before it signs until')} ${realMoment(wording, previousValidUntil)}</p>`}`;
}

const asks = (visit: Visit, { accountNumber }: Readonly<Record<string, string>>) => ({
  query: { accountNumber: accountNumber ?? accountOf(visit) },
});

const TEST: Action = {
  roles: ['support', 'operator', 'admin'],
  of: 'merchant',
  path: `${NOTIFICATIONS}/test`,
  title: 'Send a test',
  contract: SEND_TEST_NOTIFICATION,
  asks,
  done: 'The test was sent.',
  reveal: revealTest,
  next: pathHere,
};

const ROTATE: Action = {
  roles: ['admin'],
  of: 'merchant',
  path: `${NOTIFICATIONS}/secret`,
  title: 'Make a new secret',
  contract: CREATE_WEBHOOK_SECRET,
  asks,
  done: 'There is a new secret.',
  reveal: revealSecret,
  next: pathHere,
};

const ADMIN = { roles: ['admin'], of: 'merchant' } as const satisfies Partial<Action>;

const REGISTER: Action = {
  ...ADMIN,
  path: `${NOTIFICATIONS}/address`,
  title: 'Register an address',
  contract: REGISTER_WEBHOOK,
  asks: (visit, form) => ({ ...asks(visit, form), body: { url: form.url } }),
  again: addressForm,
  done: 'The account is notified there.',
  next: pathHere,
};

const REMOVE: Action = {
  ...ADMIN,
  path: `${NOTIFICATIONS}/address/remove`,
  title: 'Remove the address',
  contract: DELETE_WEBHOOK,
  asks,
  done: 'The account is notified no more.',
  next: pathHere,
};

const ADD_NOTIFIER: Action = {
  ...ADMIN,
  path: `${NOTIFICATIONS}/notifiers/new`,
  title: 'Register a notifier',
  contract: REGISTER_ALERT_ENDPOINT,
  asks: ({ merchantId }, { name, callbackUrl, events }) => ({
    body: {
      merchantId,
      name,
      description: name,
      callbackUrl,
      events: events === undefined ? ALERT_EVENTS : [events],
    },
  }),
  again: notifierForm,
  done: 'The notifier works.',
  next: pathHere,
};

const NOTIFIER = `${NOTIFICATIONS}/notifiers/{notifierId}`;
const changeNotifier = (status: 'Active' | 'Inactive') =>
  ({
    ...ADMIN,
    contract: CHANGE_ALERT_ENDPOINT,
    asks: ({ parameters: { notifierId = '' } }: Visit) => ({ parameters: { notifierId }, body: { status } }),
    next: pathHere,
  }) as const satisfies Partial<Action>;

const END_NOTIFIER: Action = {
  ...changeNotifier('Inactive'),
  path: `${NOTIFIER}/end`,
  title: 'End the notifier',
  done: 'The notifier is told nothing any more.',
};

const START_NOTIFIER: Action = {
  ...changeNotifier('Active'),
  path: `${NOTIFIER}/start`,
  title: 'Let it work again',
  done: 'The notifier works.',
};

export const ADDRESS_ACTIONS: readonly Action[] = [
  TEST,
  ROTATE,
  REGISTER,
  REMOVE,
  ADD_NOTIFIER,
  END_NOTIFIER,
  START_NOTIFIER,
];
