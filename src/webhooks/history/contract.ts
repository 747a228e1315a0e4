import { type Static, Type } from 'typebox';
import { contract, type Fault, GENERAL_TAG } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { named, orNull } from '../../platform/http/named.ts';
import { type RefusalShape, refusal, refusedAnswer } from '../../platform/http/refusal.ts';
import { pageAnswer, pageQuery, readPage, tooManyToOrder } from '../../platform/pages.ts';
import { type Day, type Instant, parseOffsetText, saoPauloOffsetText } from '../../values/instant.ts';
import { DELIVERY_STATES, type DeliveryKind, type DeliveryState } from '../deliveries/delivery.ts';
import {
  DELIVERY_FIELDS,
  type Period,
  type PeriodFault,
  parsePlace,
  periodFault,
  placeText,
  type RecordedDelivery,
  type RecordedTry,
  type ResendPlace,
  type Resent,
  type SentTest,
  type WantedDeliveries,
  type WantedResend,
  type WholeDelivery,
} from './recorded-delivery.ts';

const KIND_WORDS = {
  movement: 'Movement',
  callback: 'Callback',
  test: 'Test',
  notice: 'Notice',
} as const satisfies Record<DeliveryKind, string>;
export const STATUS_WORDS = {
  waiting: 'Waiting',
  delivered: 'Delivered',
  givenUp: 'GivenUp',
} as const satisfies Record<DeliveryState, string>;

const FIELDS_OF_ALL = {
  id: Type.String({ description: 'The `webhook-id` of every try.' }),
  kind: Type.Enum(Object.values(KIND_WORDS), {
    description:
      'Movement: to the webhook of the account. Callback: to the `urlCallBack` of a payment. Notice: to a notifier.',
  }),
  movementId: orNull(Type.Integer(), 'null: a callback, or a notice.'),
  nsu: orNull(Type.String()),
  installmentNumber: orNull(Type.Integer(), 'Movements only.'),
  paymentId: orNull(Type.String(), 'Of a boleto its id; null: a test, or a notice.'),
  noticeOf: orNull(
    Type.String(),
    'Notices only: the id of the billing or of the subscription that it is about.',
  ),
  url: orNull(
    Type.String(),
    'Where it goes: what is registered now, or the address of the callback or of the notifier.',
  ),
  status: Type.Enum(Object.values(STATUS_WORDS)),
  createdAt: Type.String(),
  nextTryAt: orNull(Type.String(), 'null: it is over. By the clock of your merchant.'),
  endedAt: orNull(Type.String(), 'When it was delivered or given up; null: it waits.'),
};

const LISTED = named('Delivery', {
  ...FIELDS_OF_ALL,
  tries: Type.Integer({ description: 'How many were made.' }),
});

const WHOLE = named('DeliveryDetail', {
  ...FIELDS_OF_ALL,
  tries: Type.Array(
    named('DeliveryTry', {
      number: Type.Integer(),
      at: Type.String(),
      milliseconds: Type.Integer(),
      status: orNull(Type.Integer(), 'What your server answered; null: nothing.'),
      failure: orNull(Type.String(), 'Why it failed, in a word; null: it was delivered.'),
      answer: orNull(Type.String(), 'The beginning of your answer.'),
    }),
    { description: 'The newest hundred, in order.' },
  ),
  body: Type.String({ description: 'The very text that is sent.' }),
});

const EXAMPLE = {
  id: '019aa6f8-1b7b-7000-8000-00000000002a',
  kind: 'Movement',
  movementId: 42,
  nsu: '1000000042',
  installmentNumber: 1,
  paymentId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
  noticeOf: null,
  url: 'https://loja.example/webhooks',
  status: 'GivenUp',
  createdAt: '2026-11-21T10:00:00.123-03:00',
  nextTryAt: null,
  endedAt: '2026-11-24T13:42:00.456-03:00',
};

const WHOLE_EXAMPLE = {
  ...EXAMPLE,
  tries: [
    {
      number: 1,
      at: '2026-11-21T10:00:00.130-03:00',
      milliseconds: 212,
      status: 500,
      failure: 'serverError',
      answer: 'Internal Server Error',
    },
  ],
  body: '{"movementId":42,"nsu":"1000000042","codAuth":"A1B2C3","installmentNumber":1,…}',
};

const notifiedMoment = (at: Instant | null): string | null => at && saoPauloOffsetText(at);

function writeNotifiedOfAll(delivery: RecordedDelivery): object {
  const { kind, installmentNumber, transactionId } = delivery;
  const isNumbered = kind === 'movement' || kind === 'test';
  return {
    id: delivery.deliveryId,
    kind: KIND_WORDS[kind],
    movementId: isNumbered ? delivery.deliveryNumber : null,
    nsu: delivery.nsu,
    installmentNumber: kind === 'movement' ? installmentNumber : null,
    paymentId: kind === 'notice' ? null : transactionId,
    noticeOf: kind === 'notice' ? transactionId : null,
    url: delivery.url,
    status: STATUS_WORDS[delivery.state],
    createdAt: notifiedMoment(delivery.createdAt),
    nextTryAt: notifiedMoment(delivery.dueAt),
    endedAt: notifiedMoment(delivery.endedAt),
  };
}

export function writeListed(delivery: RecordedDelivery): object {
  return { ...writeNotifiedOfAll(delivery), tries: delivery.tries };
}

export function writeWhole(delivery: WholeDelivery): object {
  return { ...writeNotifiedOfAll(delivery), tries: delivery.history.map(writeTry), body: delivery.body };
}

function writeTry({ tryNumber, triedAt, milliseconds, status, failure, answer }: RecordedTry): object {
  return { number: tryNumber, at: notifiedMoment(triedAt), milliseconds, status, failure, answer };
}

const OF_ACCOUNT = Type.String({
  minLength: 1,
  maxLength: 20,
  description: 'An account of your merchant.',
});

export const PERIOD_FAULTS = {
  periodBackwards: refusal(400, 'to', {
    pt: 'O fim do período não vem depois do começo.',
    en: 'The period does not end behind its beginning.',
  }),
  periodTooLong: refusal(400, 'to', {
    pt: 'O período passa de 31 dias.',
    en: 'The period is longer than 31 days.',
  }),
  periodTooFull: refusal(400, 'to', {
    pt: 'O período tem mais de um milhão de entregas; escolha um menor ou um status.',
    en: 'The period holds more than a million deliveries; choose a shorter one, or a status.',
  }),
  tooManyToOrder: tooManyToOrder(
    'São mais de cem mil entregas para ordenar assim; escolha um período menor, um status, ou a ordem por createdAt.',
    'More than a hundred thousand deliveries are to be put in this order; choose a shorter period, a status, or the order by createdAt.',
  ),
  unknownPlace: refusal(400, 'after', {
    pt: 'Use exatamente o que veio em next, com o mesmo status.',
    en: 'Use exactly what came in next, with the same status.',
  }),
} as const satisfies Record<PeriodFault | 'unknownPlace', RefusalShape>;

const COMMON = { api: 'integration', scope: 'integration', group: 'Webhooks' } as const;

const UNKNOWN_ACCOUNT = refusedAnswer(
  'You have no such account, or it has no registered webhook where one is needed.',
  FAILURES.unknownPath,
);

const day = (description: string) =>
  Type.Optional(Type.String({ format: 'day', maxLength: 10, description }));

const LIST_QUERY = Type.Object({
  accountNumber: OF_ACCOUNT,
  status: Type.Optional(Type.Enum(Object.values(STATUS_WORDS))),
  nsu: Type.Optional(Type.String({ minLength: 1, maxLength: 50 })),
  from: day('First day of writing in São Paulo; alone it reaches 31 days.'),
  to: day('Last day, included; alone it reaches back 31 days. Without both: the last 31 days.'),
  ...pageQuery(DELIVERY_FIELDS),
});

export const LIST_DELIVERIES = contract({
  ...COMMON,
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: '/api/webhooks/deliveries',
  summary: 'See what was sent to you',
  description:
    'The notifications and callbacks of an account, newest first by default, whether delivered, waiting or given up. A period has 31 days ' +
    'and a million deliveries at most; with `nsu` it may have any length.',
  query: LIST_QUERY,
  answers: {
    200: {
      links: {
        getWebhookDelivery: { deliveryId: '/items/0/id' },
        resendWebhookDelivery: { deliveryId: '/items/0/id' },
      },
      ...pageAnswer('DeliveryPage', LISTED, { ...EXAMPLE, tries: 12 }),
    },
    404: UNKNOWN_ACCOUNT,
  },
});

const PARAMETERS = Type.Object({ deliveryId: Type.String({ maxLength: 36 }) });

export const GET_DELIVERY = contract({
  ...COMMON,
  id: 'getWebhookDelivery',
  method: 'GET',
  path: '/api/webhooks/deliveries/{deliveryId}',
  summary: 'Read a delivery, its tries and what is sent',
  description: 'Each try with what your server answered, and the body as it is signed.',
  parameters: PARAMETERS,
  answers: { 200: { description: 'The delivery as it stands.', schema: WHOLE, example: WHOLE_EXAMPLE } },
});

export const RESEND_DELIVERY = contract({
  ...COMMON,
  id: 'resendWebhookDelivery',
  method: 'POST',
  path: '/api/webhooks/deliveries/{deliveryId}/resend',
  summary: 'Send a delivery again',
  description:
    'What was delivered or given up in the last 30 days waits again and is sent as soon as its endpoint takes something, with the ' +
    'whole schedule of tries before it. The `webhook-id` stays the same: it identifies what was processed already.',
  parameters: PARAMETERS,
  answers: {
    200: {
      description: 'It waits.',
      schema: WHOLE,
      example: {
        ...WHOLE_EXAMPLE,
        status: 'Waiting',
        nextTryAt: '2026-11-25T09:00:00.000-03:00',
        endedAt: null,
      },
    },
    409: refusedAnswer('It is not sent again: see the errors of webhooks.', {
      tag: GENERAL_TAG,
      sentence: { pt: 'Um teste não é reenviado; peça outro.' },
    }),
  },
});

/**
 * Nine decimals of a second and an offset look like a card number. It may stay: `format` accepts only
 * moments.
 */
const moment = (description: string) =>
  Type.String({ format: 'moment', maxLength: 35, mayHoldCard: true, description });

const RESEND_BODY = named('ResendRequest', {
  from: moment('The first moment of writing, with its offset.'),
  to: moment('The first moment behind the period, which has 31 days at most.'),
  status: Type.Optional(
    Type.Enum(['GivenUp', 'All'], {
      description: 'GivenUp, which is the default, or what was delivered too.',
    }),
  ),
  after: Type.Optional(Type.String({ maxLength: 40, description: '`next` of the call before.' })),
});

export const RESEND_DELIVERIES = contract({
  ...COMMON,
  id: 'resendWebhookDeliveries',
  method: 'POST',
  path: '/api/webhooks/resend',
  summary: 'Send the deliveries of a period again',
  description:
    'Makes what ended in a period wait again, under the same ids, as one by one. A call looks at up to 10,000: while `next` is ' +
    'no null, call again with the same body and `after` = `next`. Tests, what ended more than 30 days ago, what was tried too ' +
    'often and what has no address any more is passed over. Your calls take their turns, and so do the messages.',
  query: Type.Object({ accountNumber: OF_ACCOUNT }),
  body: RESEND_BODY,
  bodyExample: { from: '2026-11-21T10:00:00-03:00', to: '2026-11-21T12:30:00-03:00' },
  check: resendFaults,
  answers: {
    200: {
      description: 'So many wait again.',
      schema: named('ResentDeliveries', {
        resent: Type.Integer(),
        next: orNull(Type.String(), 'null: nothing more of the period.'),
      }),
      example: { resent: 10_000, next: 'g-1763730000123456-42' },
    },
    404: UNKNOWN_ACCOUNT,
  },
});

export const SEND_TEST_NOTIFICATION = contract({
  ...COMMON,
  id: 'sendTestNotification',
  method: 'POST',
  path: '/api/webhooks/subscriptions/test',
  summary: 'Try the registered webhook now',
  description:
    'Sends one notification of type `Teste` with a `movementId` of its own, also while nothing else is sent to your server, and ' +
    'answers what came of it. It is not tried again. A success releases a webhook that was held, and what waits for it is sent. ' +
    'Ten a minute, or as the operator has set.',
  query: Type.Object({ accountNumber: OF_ACCOUNT }),
  answers: {
    200: {
      links: { getWebhookDelivery: { deliveryId: '/id' } },
      description: 'It was tried; `delivered` says whether your server took it.',
      schema: named('TestDelivery', {
        id: Type.String(),
        delivered: Type.Boolean(),
        status: orNull(Type.Integer(), 'What your server answered; null: nothing.'),
        failure: orNull(Type.String(), 'Why it failed, in a word.'),
        milliseconds: Type.Integer(),
      }),
      example: {
        id: '019aa6f8-1b7b-7000-8000-00000000002b',
        delivered: true,
        status: 200,
        failure: null,
        milliseconds: 187,
      },
    },
    404: UNKNOWN_ACCOUNT,
  },
});

export function readListQuery(query: Static<typeof LIST_QUERY>): WantedDeliveries {
  const { accountNumber, status, nsu = null, from, to } = query;
  const states = DELIVERY_STATES.filter((state) => status === undefined || STATUS_WORDS[state] === status);
  return {
    accountNumber,
    states,
    nsu,
    from: (from ?? null) as Day | null,
    to: (to ?? null) as Day | null,
    ...readPage(query, DELIVERY_FIELDS, { field: 'createdAt', isDescending: true }),
  };
}

/** Finds moments that form no period, and an `after` that no call with this `status` returned. */
function resendFaults(body: unknown): Fault[] {
  const { from, to, status, after } = (body ?? {}) as Record<string, unknown>;
  const period = { from: momentOf(from), to: momentOf(to) };
  const faults: RefusalShape[] = [];
  const fault = period.from === null || period.to === null ? null : periodFault(period as Period);
  if (fault !== null) faults.push(PERIOD_FAULTS[fault]);
  const place = typeof after === 'string' ? parsePlace(after) : undefined;
  const isOfOther = place?.state === 'delivered' && status !== 'All';
  if (place === null || isOfOther) faults.push(PERIOD_FAULTS.unknownPlace);
  return faults;
}

const momentOf = (value: unknown): Instant | null =>
  typeof value === 'string' ? parseOffsetText(value) : null;

export function readResend(accountNumber: string, body: Static<typeof RESEND_BODY>): WantedResend {
  return {
    accountNumber,
    period: { from: momentOf(body.from), to: momentOf(body.to) } as Period,
    states: body.status === 'All' ? ['delivered', 'givenUp'] : ['givenUp'],
    behind: body.after === undefined ? null : (parsePlace(body.after) as ResendPlace),
  };
}

export function writeResent({ resent, next }: Resent): object {
  return { resent, next: next && placeText(next) };
}

export function writeSentTest({ deliveryId, delivered, status, failure, milliseconds }: SentTest): object {
  return { id: deliveryId, delivered, status, failure, milliseconds: Math.round(milliseconds) };
}
