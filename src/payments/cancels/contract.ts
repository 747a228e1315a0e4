import { type Static, Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import type { Language, Sentence } from '../../platform/http/sentence.ts';
import { type Cents, MAX_PAYMENT_CENTS } from '../../values/cents.ts';
import { type Instant, saoPauloOffsetText } from '../../values/instant.ts';

const CANCEL_REQUEST = Type.Object({
  amount: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAYMENT_CENTS,
      description: 'Cents; without it all that is left, which is what `{}` and no body ask for.',
    }),
  ),
});

const PENDING: Sentence = {
  pt: 'A adquirente aceitou o cancelamento e decidirá depois: nada foi devolvido ainda, e o valor está reservado.',
  en: 'The acquirer accepted the cancel and decides later: nothing was given back yet, and the amount is held.',
};

const ERRORS = Type.Array(Type.Object({ tag: Type.String(), description: Type.String() }));

export const CANCEL_PAYMENT = contract({
  id: 'cancelPayment',
  method: 'POST',
  path: '/v1/payments/{paymentId}/cancel',
  api: 'gateway',
  scope: 'gateway',
  group: 'Payments',
  summary: 'Give a payment back, whole or in parts',
  description:
    '200 means that exactly that amount was given back. A part comes off the last installments first, and beneficiaries ' +
    'give back in proportion. Parts may be canceled at the same time, as long as they fit into what is left. 202 means that the acquirer accepted ' +
    'it and decides later: the amount is held, nothing is given back yet, and notifications and callback report the end. ' +
    '409 means that nothing was given back. 500 means that the cancel is under way: its amount ' +
    'stays held and it is sent again until the acquirer answers. No answer (a lost connection) means once or not at all. ' +
    'After both read the payment (canceledAmount, cancelingAmount) before you ask for another.',
  parameters: Type.Object({ paymentId: Type.String({ maxLength: 36 }) }),
  isRepeatable: true,
  body: CANCEL_REQUEST,
  isBodyOptional: true,
  isExact: true,
  bodyExample: { amount: 4_330 },
  answers: {
    200: {
      description: 'The amount was given back.',
      schema: Type.Object({
        returnCode: Type.String(),
        description: Type.String(),
        paymentId: Type.String(),
        authorizationCode: Type.String(),
        amount: Type.Integer(),
        releaseAt: Type.String(),
      }),
      example: {
        returnCode: '0',
        description: 'Sucesso',
        paymentId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
        authorizationCode: 'A1B2C3',
        amount: 4_330,
        releaseAt: '2026-11-21T10:00:00.123-03:00',
      },
    },
    202: {
      description:
        'The acquirer accepted it and decides later: nothing is given back yet, and the amount is held.',
      schema: Type.Object({
        returnCode: Type.Enum(['pending']),
        description: Type.String(),
        paymentId: Type.String(),
        authorizationCode: Type.String(),
        amount: Type.Integer({ description: 'Cents that are held.' }),
      }),
      example: {
        returnCode: 'pending',
        description: PENDING.pt,
        paymentId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
        authorizationCode: 'A1B2C3',
        amount: 4_330,
      },
    },
    409: {
      description: 'What is the case forbids it: see the errors of cancels.',
      schema: ERRORS,
      example: [{ tag: 'amount', description: 'O valor é maior do que resta do pagamento.' }],
    },
    500: {
      description: 'Under way: the acquirer has not answered yet.',
      schema: ERRORS,
      example: [
        { tag: '', description: 'O cancelamento está em andamento: a adquirente ainda não respondeu …' },
      ],
    },
  },
});

/** Cents, or null for all that is left. */
export function readCancelAmount({ amount }: Static<typeof CANCEL_REQUEST>): Cents | null {
  return (amount ?? null) as Cents | null;
}

export function writePendingCancel(
  paymentId: string,
  pending: { readonly authorizationCode: string; readonly amount: Cents },
  language: Language,
): object {
  return {
    returnCode: 'pending',
    description: PENDING[language],
    paymentId: paymentId.toLowerCase(),
    authorizationCode: pending.authorizationCode,
    amount: pending.amount,
  };
}

export function writeCancel(
  paymentId: string,
  canceled: { readonly authorizationCode: string; readonly amount: Cents; readonly moment: Instant },
): object {
  return {
    returnCode: '0',
    description: 'Sucesso',
    paymentId: paymentId.toLowerCase(),
    authorizationCode: canceled.authorizationCode,
    amount: canceled.amount,
    releaseAt: saoPauloOffsetText(canceled.moment),
  };
}
