import { Type } from 'typebox';
import type { MerchantActor } from '../../audit/audit-event.ts';
import { answerOnce, type FindRequestTools, identifyRequest } from '../../idempotency/answer-once.ts';
import type { SentRequest } from '../../idempotency/idempotency-key.ts';
import { newId } from '../../platform/chance.ts';
import {
  type Answer,
  callerAt,
  callerOf,
  contract,
  type Endpoint,
  endpoint,
} from '../../platform/http/endpoint.ts';
import { FAILURES, type Once, tooManyAnswer, writeOnce } from '../../platform/http/failures.ts';
import { named } from '../../platform/http/named.ts';
import { conflict, type RefusalShape, refusalAnswer, refusedAnswer } from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import { pageAnswer, pageQuery, readPage, writePage } from '../../platform/pages.ts';
import type { Search } from '../../platform/postgres/searches.ts';
import { idOrUnissued } from '../../values/ids.ts';
import { lookAtUrl } from '../../webhooks/endpoints/endpoints.ts';
import {
  type EndpointRegistry,
  type MoveEndpointResult,
  moveEndpoint,
  type RegisterEndpointResult,
  registerEndpoint,
} from '../../webhooks/endpoints/register-endpoint.ts';
import { type UrlFault, urlRefusals } from '../../webhooks/posting/url-rules.ts';
import { STAMPED, writeStamps } from '../plans/contract.ts';
import { merchantFaults } from '../plans/faults-contract.ts';
import { searchText } from '../plans/plan.ts';
import { ALERT_EVENTS, type AlertEvent } from './alert.ts';
import { ALERT_ENDPOINT_STATES, ALERTS, type AlertEndpointState, eventsOf } from './alert-endpoint.ts';
import { type AlertEndpoint, listAlertEndpointPage } from './alert-endpoints.sql.ts';

export const ALERT_ENDPOINT_REFUSALS: Readonly<Record<UrlFault | 'tooManyActive', RefusalShape>> = {
  ...urlRefusals('callbackUrl'),
  tooManyActive: conflict({
    pt: 'Já existem 20 notificadores ativos; desative um deles antes.',
    en: 'There are 20 active notifiers already; make one of them inactive first.',
  }),
};

type ChangeAlertEndpointTools = EndpointRegistry & {
  /** Wakes the alerts: the endpoint may have cards to be alerted about at once. */
  readonly notifyAlerts: () => void;
};

type RegisterAlertEndpointTools = ChangeAlertEndpointTools & FindRequestTools;

type AlertEndpointToRegister = {
  readonly name: string;
  readonly description: string;
  readonly callbackUrl: string;
  readonly events?: readonly AlertEvent[];
};

type RegisterAlertEndpointResult =
  | { readonly kind: 'registered'; readonly alertEndpointId: string }
  | Exclude<RegisterEndpointResult, { readonly kind: 'registered' | 'keyUsed' }>;

/** A repetition with the same idempotency key returns the same id. `deadlineAt`: monotonic milliseconds. */
function registerAlertEndpoint(
  tools: RegisterAlertEndpointTools,
  registrar: MerchantActor,
  { name, description, callbackUrl: url, events }: AlertEndpointToRegister,
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<RegisterAlertEndpointResult>> {
  const { merchantId } = registrar;
  const request = identifyRequest(tools.keyring, merchantId, sent);
  return answerOnce<RegisterAlertEndpointResult>(tools, merchantId, request, {
    async make(isFirst) {
      // The key is checked before the URL, whose check may take seconds.
      if (!(await isFirst)) return 'keyUsed';
      const alertEndpointId = newId();
      const about = { name, description, searchName: searchText(name), events: eventsOf(events) };
      const wanted = { kind: ALERTS, of: alertEndpointId, url, description: about, request };
      const result = await registerEndpoint(tools, registrar, wanted, deadlineAt);
      if (result.kind === 'keyUsed') return 'keyUsed';
      if (result.kind !== 'registered') return result;
      tools.notifyAlerts();
      return { kind: 'registered', alertEndpointId };
    },
    isRefused: ({ kind }) => kind !== 'registered',
    repeatAnswer: async (alertEndpointId) => ({ kind: 'registered', alertEndpointId }),
  });
}

/** `notFound` also for another merchant's endpoint and for a malformed id. */
async function changeAlertEndpoint(
  tools: ChangeAlertEndpointTools,
  actor: MerchantActor,
  alertEndpointId: string,
  state: AlertEndpointState,
  deadlineAt: number,
): Promise<MoveEndpointResult> {
  const address = { kind: ALERTS, of: idOrUnissued(alertEndpointId) };
  const event = state === 'active' ? 'restore' : 'remove';
  const result = await moveEndpoint(tools, actor, address, event, deadlineAt);
  if (result === 'done' && state === 'active') tools.notifyAlerts();
  return result;
}

const STATE_WORDS = { active: 'Active', removed: 'Inactive' } as const satisfies Record<
  AlertEndpointState,
  string
>;

const OF_NOTICES = { api: 'gateway', scope: 'recurrence', group: 'Notices' } as const;
const PATH = '/v1/recurrences/merchantnotifier';
const EVENTS = Type.Array(Type.Enum([...ALERT_EVENTS]), {
  minItems: 1,
  maxItems: 20,
  description:
    'What it is notified of: `failed` and `paid` of charges; `canceled`, `blocked`, `reactivated` and `completed` of ' +
    'subscriptions; `cardExpiring`; `upcoming`, three days before a due day.',
});

const ALERT_ENDPOINT_ANSWER = named('Notifier', {
  id: Type.String(),
  merchantId: Type.String(),
  name: Type.String(),
  description: Type.String(),
  callbackUrl: Type.String(),
  events: EVENTS,
  status: Type.Enum(Object.values(STATE_WORDS)),
  ...STAMPED,
});

const EXAMPLE = {
  id: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
  merchantId: '01700555550000',
  name: 'Cobranças',
  description: 'Avisa o time de cobrança',
  callbackUrl: 'https://loja.example/avisos',
  events: ['failed', 'paid', 'upcoming'],
  status: 'Active',
  createdBy: 'loja-01',
  createdDate: '2026-11-21T10:00:00.123',
};

const TOO_MANY_ACTIVE = {
  409: refusedAnswer('Twenty are active already.', ALERT_ENDPOINT_REFUSALS.tooManyActive),
};

const REGISTRATION = named('NotifierRequest', {
  merchantId: Type.String({ maxLength: 20, mayHoldCard: true, description: 'Your own.' }),
  name: Type.String({ minLength: 1, maxLength: 255, format: 'filledText' }),
  description: Type.String({ minLength: 1, maxLength: 255, format: 'filledText' }),
  callbackUrl: Type.String({ maxLength: 500, format: 'webAddress', description: 'Where notices are sent.' }),
  events: Type.Optional(EVENTS),
});

export const REGISTER_ALERT_ENDPOINT = contract({
  ...OF_NOTICES,
  id: 'registerNotifier',
  method: 'POST',
  path: PATH,
  summary: 'Be notified of what happens to subscriptions',
  description:
    'A notice of each of its `events` is posted to `callbackUrl`, signed with the secret of the account like every webhook; ' +
    'without `events` it is notified of charges that fail. It is Active at once; at most 20 are.',
  body: REGISTRATION,
  check: merchantFaults,
  isRepeatable: true,
  bodyExample: {
    merchantId: EXAMPLE.merchantId,
    name: EXAMPLE.name,
    description: EXAMPLE.description,
    callbackUrl: EXAMPLE.callbackUrl,
    events: EXAMPLE.events,
  },
  answers: {
    200: {
      links: { changeNotifierStatus: { notifierId: '' } },
      description: 'The id of the new notifier.',
      schema: Type.String({ description: 'The id of the notifier.' }),
      example: EXAMPLE.id,
    },
    ...TOO_MANY_ACTIVE,
  },
});

const ORDERS = {
  id: 'alertEndpointId',
  merchantId: 'merchantId',
  name: 'name',
  description: 'description',
  callbackUrl: 'callbackUrl',
  status: 'state',
  createdBy: 'createdBy',
  createdDate: 'createdAt',
  modifiedBy: 'modifiedBy',
  modifiedDate: 'modifiedAt',
} as const;
const ORDER_FIELDS = Object.keys(ORDERS) as (keyof typeof ORDERS)[];

const LIST_QUERY = Type.Object({
  merchantId: Type.Optional(
    Type.String({ maxLength: 20, description: 'Your own; of another none is seen.' }),
  ),
  name: Type.Optional(
    Type.String({ maxLength: 255, description: 'Part of the name; capitals and accents do not matter.' }),
  ),
  status: Type.Optional(Type.Enum(Object.values(STATE_WORDS))),
  ...pageQuery(ORDER_FIELDS),
});

export const LIST_ALERT_ENDPOINTS = contract({
  ...OF_NOTICES,
  id: 'listNotifiers',
  method: 'GET',
  path: PATH,
  summary: 'Search notifiers',
  description:
    'Items and total are of one moment. Names are put in order without regard to capitals and accents; what was never ' +
    'changed comes last by `modifiedBy` and `modifiedDate`.',
  query: LIST_QUERY,
  answers: {
    200: {
      links: { changeNotifierStatus: { notifierId: '/items/0/id' } },
      ...pageAnswer('NotifierPage', ALERT_ENDPOINT_ANSWER, EXAMPLE),
    },
  },
});

export const CHANGE_ALERT_ENDPOINT = contract({
  ...OF_NOTICES,
  id: 'changeNotifierStatus',
  method: 'POST',
  path: `${PATH}/{notifierId}/status`,
  summary: 'End a notifier, or have it again',
  description:
    'Nothing new is written for an Inactive one; notices that wait for it are still sent, or given up when nobody takes them. An ' +
    'Active one is notified from then on, at once of the cards and due days within reach of which it was not notified yet. Asking for the ' +
    'status that it has changes nothing.',
  parameters: Type.Object({ notifierId: Type.String({ maxLength: 36 }) }),
  body: named('NotifierStatusRequest', { status: Type.Enum(Object.values(STATE_WORDS)) }),
  bodyExample: { status: 'Inactive' },
  answers: {
    200: {
      description: 'It has the status.',
      schema: named('NotifierId', { id: Type.String() }),
      example: { id: EXAMPLE.id },
    },
    ...TOO_MANY_ACTIVE,
  },
});

function writeAlertEndpoint(notifier: AlertEndpoint): object {
  return {
    id: notifier.alertEndpointId,
    merchantId: notifier.merchantId,
    name: notifier.name,
    description: notifier.description,
    callbackUrl: notifier.url,
    events: notifier.events,
    status: STATE_WORDS[notifier.state],
    ...writeStamps(notifier),
  };
}

function readAlertEndpointState(word: string): AlertEndpointState {
  const found = alertEndpointStateOf(word);
  if (found === undefined) throw new Error(`no state of a notifier is shown as ${word}`);
  return found;
}

function alertEndpointStateOf(word: string | undefined): AlertEndpointState | undefined {
  return ALERT_ENDPOINT_STATES.find((state) => STATE_WORDS[state] === word);
}

type ListAlertEndpointsTools = { readonly search: Search };

export type AlertEndpointTools = RegisterAlertEndpointTools & ListAlertEndpointsTools;

export const ALERT_ENDPOINT_ENDPOINTS: readonly Endpoint<AlertEndpointTools>[] = [
  endpoint(
    REGISTER_ALERT_ENDPOINT,
    async (tools: RegisterAlertEndpointTools, call) => {
      const once = await registerAlertEndpoint(tools, callerAt(call), call.body, call, call.deadlineAt);
      return writeOnce(call, once, (result) => writeRegistered(result, call.language));
    },
    { lookBeside: async ({ urlRules }, body) => lookAtUrl(urlRules, 'callbackUrl', body) },
  ),
  endpoint(LIST_ALERT_ENDPOINTS, async ({ search }: ListAlertEndpointsTools, call) => {
    const { merchantId } = callerOf(call);
    const { query } = call;
    const usual = { field: 'createdDate', isDescending: true } as const;
    const { page, limit, order } = readPage(query, ORDER_FIELDS, usual);
    const wanted = { page, limit, order: { ...order, field: ORDERS[order.field] } };
    const filter = { name: query.name ?? '', state: alertEndpointStateOf(query.status) ?? null };
    const isOthers = query.merchantId !== undefined && query.merchantId !== merchantId;
    const found = isOthers
      ? { items: [], total: 0 }
      : await search(merchantId, (database) => listAlertEndpointPage(database, merchantId, filter, wanted));
    return { status: 200, body: writePage(wanted, found, writeAlertEndpoint) };
  }),
  endpoint(CHANGE_ALERT_ENDPOINT, async (tools: ChangeAlertEndpointTools, call) => {
    const { notifierId: alertEndpointId } = call.parameters;
    const state = readAlertEndpointState(call.body.status);
    const result = await changeAlertEndpoint(tools, callerAt(call), alertEndpointId, state, call.deadlineAt);
    return writeMoved(result, alertEndpointId, call.language);
  }),
];

function writeRegistered(result: RegisterAlertEndpointResult, language: Language): Answer {
  if (result.kind === 'registered') return { status: 200, body: result.alertEndpointId };
  if (result.kind === 'tooMany') return tooManyAnswer(result.secondsToWait, language);
  const refusal = result.kind === 'refused' ? result.fault : result.kind;
  return refusalAnswer(ALERT_ENDPOINT_REFUSALS[refusal], language);
}

function writeMoved(result: MoveEndpointResult, alertEndpointId: string, language: Language): Answer {
  if (result === 'done') return { status: 200, body: { id: alertEndpointId.toLowerCase() } };
  const shape = result === 'notFound' ? FAILURES.unknownPath : ALERT_ENDPOINT_REFUSALS[result];
  return refusalAnswer(shape, language);
}
