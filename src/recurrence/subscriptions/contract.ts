import { type Static, Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import { named, namedUnion } from '../../platform/http/named.ts';
import { refusedAnswer } from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import { pageAnswer, pageQuery, readPage, type WantedPage } from '../../platform/pages.ts';
import { saoPauloText } from '../../values/instant.ts';
import { AUTHORIZATION_ANSWER, PIX_AUTOMATIC_REQUEST } from '../automatic/contract.ts';
import { PLAN_ANSWER, PLAN_EXAMPLE, STAMPED, writePlan, writeStamps } from '../plans/contract.ts';
import { REASON_SENTENCES, REASON_WORDS, SUBSCRIPTION_STATE_WORDS } from './reasons.ts';
import {
  SUBSCRIPTION_FIELDS,
  SUBSCRIPTION_STATES,
  type Subscription,
  type SubscriptionEntry,
  type SubscriptionField,
  type SubscriptionFilter,
  type SubscriptionWithEvents,
  subscriptionTimeline,
} from './subscription.ts';

const ENTRY_WORDS = {
  created: 'Created',
  activated: 'Activated',
  canceled: 'Canceled',
  blocked: 'Blocked',
  completed: 'Completed',
  cardChanged: 'VaultChanged',
  customerChanged: 'CustomerChanged',
  rejected: 'Rejected',
  expired: 'Expired',
} as const satisfies Record<SubscriptionEntry['type'], string>;

const SHOWN_STATES = [...new Set(Object.values(SUBSCRIPTION_STATE_WORDS))];

const REASON = Type.Enum(Object.values(REASON_WORDS));

const CUSTOMER_ANSWER = named('Customer', {
  name: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  documentNumber: Type.Optional(Type.String()),
  phone: Type.Optional(Type.String()),
});

export const SUBSCRIPTION_ANSWER = named('Subscription', {
  id: Type.String(),
  vaultId: Type.Optional(Type.String({ description: 'Absent: it is paid by Pix Automático.' })),
  orderNumber: Type.String(),
  customer: Type.Optional(CUSTOMER_ANSWER),
  status: Type.Enum(SHOWN_STATES),
  statusReason: Type.Optional(
    Type.Enum(Object.values(REASON_WORDS), {
      description: 'Why it is not Active; absent while it is, or is Pending.',
    }),
  ),
  plan: PLAN_ANSWER,
  ...STAMPED,
});

const WHOLE_SUBSCRIPTION = named('SubscriptionDetail', {
  ...SUBSCRIPTION_ANSWER.properties,
  authorization: Type.Optional(AUTHORIZATION_ANSWER),
  timeline: Type.Array(
    named('SubscriptionEvent', {
      at: Type.String(),
      type: Type.Enum(Object.values(ENTRY_WORDS)),
      by: Type.String(),
      reason: Type.Optional(REASON),
      description: Type.Optional(Type.String({ description: 'The reason as a sentence.' })),
      billingId: Type.Optional(
        Type.String({ description: 'The billing that did it, by its charge or its cancel.' }),
      ),
    }),
    {
      description:
        'What happened to it, in order: its creation and the newest hundred others. Times in São Paulo, `by` a user name or `system`.',
    },
  ),
});

export const SUBSCRIPTION_EXAMPLE = {
  id: '0199c1f3-0b1c-7d22-8b4f-6e2a1d8c3b55',
  vaultId: '0199c1f1-5f0a-7b00-8a2d-4c0e9b6a1933',
  orderNumber: 'P-1001',
  customer: {
    name: 'Ana Souza',
    email: 'ana@cliente.example',
    documentNumber: '52998224725',
    phone: '+55 11 99999-0000',
  },
  status: 'Active',
  plan: PLAN_EXAMPLE,
  createdBy: 'loja-01',
  createdDate: '2026-11-21T10:05:00.456',
};

const WHOLE_EXAMPLE = {
  ...SUBSCRIPTION_EXAMPLE,
  status: 'Blocked',
  statusReason: 'CardCanceled',
  modifiedBy: 'system',
  modifiedDate: '2026-12-01T00:00:03.950',
  timeline: [
    { at: '2026-11-21T10:05:00.456', type: 'Created', by: 'loja-01' },
    {
      at: '2026-12-01T00:00:03.950',
      type: 'Blocked',
      by: 'system',
      reason: 'CardCanceled',
      description: REASON_SENTENCES.cardCanceled.pt,
      billingId: '0199c1f4-7e3d-7a10-9c2b-8f1e6d5a4c33',
    },
  ],
};

/** The terms are the subscription's own, not the plan's. */
export function writeSubscription(subscription: Subscription): object {
  return {
    id: subscription.subscriptionId,
    ...(subscription.vaultId !== null && { vaultId: subscription.vaultId }),
    orderNumber: subscription.orderNumber,
    ...(subscription.customer !== null && { customer: subscription.customer }),
    status: SUBSCRIPTION_STATE_WORDS[subscription.state],
    ...(subscription.reason !== null && { statusReason: REASON_WORDS[subscription.reason] }),
    plan: writePlan({ ...subscription.plan, terms: subscription.terms }),
    ...writeStamps(subscription),
  };
}

export function writeWholeSubscription(
  whole: SubscriptionWithEvents,
  authorization: object | null,
  language: Language,
): object {
  const timeline = subscriptionTimeline(whole).map((entry) => writeEntry(entry, language));
  return { ...writeSubscription(whole.subscription), ...(authorization && { authorization }), timeline };
}

function writeEntry({ type, stamp, reason, billingId }: SubscriptionEntry, language: Language): object {
  const common = { at: saoPauloText(stamp.at), type: ENTRY_WORDS[type], by: stamp.by };
  const why = reason && { reason: REASON_WORDS[reason], description: REASON_SENTENCES[reason][language] };
  return { ...common, ...why, ...(billingId !== null && { billingId }) };
}

const OF_GROUP = { api: 'gateway', scope: 'recurrence', group: 'Subscriptions' } as const;
const PATH = '/v1/recurrences/subscriptions';
const SUBSCRIPTION_ID = Type.Object({ subscriptionId: Type.String({ maxLength: 36 }) });
const VAULT_ID = Type.String({ minLength: 1, maxLength: 36, description: 'A stored card of yours.' });
const CUSTOMER = named('CustomerRequest', {
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 120, format: 'visibleText' })),
  email: Type.Optional(Type.String({ maxLength: 255, format: 'emailAddress', reads: 'emailAddress' })),
  documentNumber: Type.Optional(Type.String({ maxLength: 18, format: 'cpfOrCnpj', reads: 'document' })),
  phone: Type.Optional(Type.String({ maxLength: 25, format: 'telephone' })),
});
const ID_ANSWER = {
  schema: named('SubscriptionId', { id: Type.String() }),
  example: { id: SUBSCRIPTION_EXAMPLE.id },
};

export const CREATE_SUBSCRIPTION = contract({
  ...OF_GROUP,
  id: 'createSubscription',
  method: 'POST',
  path: PATH,
  summary: 'Enrol a customer in a plan',
  description:
    'The subscription is Active at once and keeps the terms of the plan as they are now, whatever becomes of the plan; only ' +
    'name and description follow it. Its first billing is due on `firstDueOn`, or `trialDays` after today in São Paulo. A plan or stored card ' +
    'that you do not have is 400 with its tag; a plan that is not Active is 409. The answer is the id, a bare JSON string.',
  isRepeatable: true,
  body: named('SubscriptionRequest', {
    vaultId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 36,
        description: 'A stored card of yours; needed unless the plan is paid by Pix Automático.',
      }),
    ),
    orderNumber: Type.String({
      minLength: 1,
      maxLength: 10,
      format: 'visibleText',
      description: 'Your number of the order or service.',
    }),
    planId: Type.String({ minLength: 1, maxLength: 36, description: 'A plan of yours that is Active.' }),
    firstDueOn: Type.Optional(
      Type.String({
        maxLength: 10,
        format: 'day',
        description:
          'The day of the first charge, YYYY-MM-DD in São Paulo, from today on and up to two years ahead, instead of the trial of the plan; of a subscription that began elsewhere. By card only.',
      }),
    ),
    customer: Type.Optional(CUSTOMER),
    pixAutomatic: Type.Optional(PIX_AUTOMATIC_REQUEST),
  }),
  query: Type.Object({
    expand: Type.Optional(
      Type.Literal('authorization', {
        description: 'The answer is `{ id, status, authorization }` in place of the bare id.',
      }),
    ),
  }),
  bodyExample: {
    vaultId: SUBSCRIPTION_EXAMPLE.vaultId,
    orderNumber: SUBSCRIPTION_EXAMPLE.orderNumber,
    planId: PLAN_EXAMPLE.id,
    customer: SUBSCRIPTION_EXAMPLE.customer,
  },
  answers: {
    200: {
      links: {
        getSubscription: { subscriptionId: '' },
        changeSubscriptionStatus: { subscriptionId: '' },
        changeSubscriptionVault: { subscriptionId: '' },
        changeSubscriptionCustomer: { subscriptionId: '' },
        listBillings: { subscriptionId: '' },
      },
      description: 'Its id.',
      schema: namedUnion('SubscriptionIdOrNew', [
        Type.String(),
        named('NewSubscription', {
          id: Type.String(),
          status: Type.Enum(SHOWN_STATES),
          authorization: Type.Optional(AUTHORIZATION_ANSWER),
        }),
      ]),
      example: SUBSCRIPTION_EXAMPLE.id,
    },
    409: refusedAnswer('The plan is not Active.', {
      tag: 'planId',
      sentence: { pt: 'O plano não está ativo e não aceita novas assinaturas.' },
    }),
  },
});

const LIST_QUERY = Type.Object({
  planName: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'A part of the name of its plan; capitals and accents make no difference.',
    }),
  ),
  status: Type.Optional(Type.Enum(SHOWN_STATES)),
  orderNumber: Type.Optional(Type.String({ minLength: 1, maxLength: 10, description: 'Exactly this one.' })),
  vaultId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 36, description: 'Paid with this stored card.' }),
  ),
  documentNumber: Type.Optional(
    Type.String({
      maxLength: 18,
      format: 'cpfOrCnpj',
      reads: 'document',
      description: 'Of a customer with this CPF or CNPJ.',
    }),
  ),
  email: Type.Optional(
    Type.String({
      maxLength: 255,
      format: 'emailAddress',
      reads: 'emailAddress',
      description: 'Of a customer with this e-mail address; capitals make no difference.',
    }),
  ),
  ...pageQuery(SUBSCRIPTION_FIELDS),
});

export const LIST_SUBSCRIPTIONS = contract({
  ...OF_GROUP,
  id: 'listSubscriptions',
  method: 'GET',
  path: PATH,
  summary: 'Search subscriptions',
  description:
    'All filters together; items and total are of one moment. What was never changed comes last when modifiedBy or ' +
    'modifiedDate orders the list.',
  query: LIST_QUERY,
  answers: {
    200: {
      links: {
        getSubscription: { subscriptionId: '/items/0/id' },
        listBillings: { subscriptionId: '/items/0/id' },
      },
      ...pageAnswer('SubscriptionPage', SUBSCRIPTION_ANSWER, SUBSCRIPTION_EXAMPLE),
    },
  },
});

export const GET_SUBSCRIPTION = contract({
  ...OF_GROUP,
  id: 'getSubscription',
  method: 'GET',
  path: `${PATH}/{subscriptionId}`,
  summary: 'Read a subscription',
  description:
    'With its plan, whose amount, type, interval, installments, attempts and trial are those of the enrolment, and with what ' +
    'happened to it: who canceled, blocked or activated it, when and why.',
  parameters: SUBSCRIPTION_ID,
  answers: {
    200: {
      description: 'The subscription as it stands.',
      schema: WHOLE_SUBSCRIPTION,
      example: WHOLE_EXAMPLE,
    },
  },
});

/** `Actived` is the first clients' spelling. */
export const STATUS_EVENTS = { Actived: 'activate', Active: 'activate', Canceled: 'cancel' } as const;

export const CHANGE_SUBSCRIPTION_STATUS = contract({
  ...OF_GROUP,
  id: 'changeSubscriptionStatus',
  method: 'POST',
  path: `${PATH}/{subscriptionId}/status`,
  summary: 'Cancel a subscription, or activate it again',
  description:
    'Canceled cancels its open billing too; one whose charge is under way takes its outcome first. Actived (or Active) goes on ' +
    'with the next due day of the series that is not before today (before its first charge: with today, if its first due day is past): ' +
    'the past is never charged, and skipped days use up no installment. It works whatever the status of the plan. A subscription whose installments are over cannot be activated ' +
    '(409). Asking for the status that it has changes nothing.',
  parameters: SUBSCRIPTION_ID,
  body: named('SubscriptionStatusRequest', { status: Type.Enum(['Actived', 'Active', 'Canceled']) }),
  bodyExample: { status: 'Actived' },
  answers: {
    200: { description: 'It has the status.', ...ID_ANSWER },
    409: refusedAnswer('Its installments are over.', {
      tag: 'status',
      sentence: { pt: 'Todas as parcelas da assinatura já foram encerradas; ela não pode ser reativada.' },
    }),
  },
});

export const CHANGE_SUBSCRIPTION_CARD = contract({
  ...OF_GROUP,
  id: 'changeSubscriptionVault',
  method: 'POST',
  path: `${PATH}/{subscriptionId}/vault`,
  summary: 'Pay a subscription with another stored card',
  description: 'From its next charge on. The status does not change.',
  parameters: SUBSCRIPTION_ID,
  body: named('SubscriptionVaultRequest', { vaultId: VAULT_ID }),
  bodyExample: { vaultId: SUBSCRIPTION_EXAMPLE.vaultId },
  answers: { 200: { description: 'It has the card.', ...ID_ANSWER } },
});

export const CHANGE_SUBSCRIPTION_CUSTOMER = contract({
  ...OF_GROUP,
  id: 'changeSubscriptionCustomer',
  method: 'POST',
  path: `${PATH}/{subscriptionId}/customer`,
  summary: 'Say whom a subscription is for',
  description:
    'The customer becomes what is sent: a field that is left out is removed, and `{}` removes the customer. It is shown with the ' +
    'subscription, and subscriptions are found by `documentNumber` and `email`. Nothing else changes.',
  parameters: SUBSCRIPTION_ID,
  body: CUSTOMER,
  bodyExample: SUBSCRIPTION_EXAMPLE.customer,
  answers: { 200: { description: 'It is for this customer.', ...ID_ANSWER } },
});

export function readListQuery(query: Static<typeof LIST_QUERY>): {
  filter: SubscriptionFilter;
  wanted: WantedPage<SubscriptionField>;
} {
  const { planName = null, status, orderNumber = null, vaultId = null } = query;
  const { documentNumber = null, email = null } = query;
  const states = SUBSCRIPTION_STATES.filter(
    (state) => status === undefined || SUBSCRIPTION_STATE_WORDS[state] === status,
  );
  const wanted = readPage(query, SUBSCRIPTION_FIELDS, { field: 'createdDate', isDescending: true });
  return { filter: { planName, states, orderNumber, vaultId, documentNumber, email }, wanted };
}
