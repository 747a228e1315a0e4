import { type TSchema, Type } from 'typebox';
import { type Instant, saoPauloOffsetText } from '../../values/instant.ts';
import type { DeliveryKind, DeliveryState } from '../deliveries/delivery.ts';
import type { RecordedDelivery, RecordedTry, WholeDelivery } from './recorded-delivery.ts';

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

export const orNull = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

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

export const LISTED = Type.Object({
  ...FIELDS_OF_ALL,
  tries: Type.Integer({ description: 'How many were made.' }),
});

export const WHOLE = Type.Object({
  ...FIELDS_OF_ALL,
  tries: Type.Array(
    Type.Object({
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

export const EXAMPLE = {
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

export const WHOLE_EXAMPLE = {
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
