import { type Static, Type } from 'typebox';
import { type Answer, callerOf, contract, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES, RETRY_AFTER_SECONDS, unavailableAnswer, writeOnce } from '../../platform/http/failures.ts';
import { named } from '../../platform/http/named.ts';
import {
  conflict,
  passingConflict,
  type RefusalShape,
  refusal,
  refusalAnswer,
  refusedAnswer,
} from '../../platform/http/refusal.ts';
import type { Language, Sentence } from '../../platform/http/sentence.ts';
import type { CancelRefusal } from '../../transactions/cancels/cancel.ts';
import type { CancelPixRefusal } from '../../transactions/methods/pix/cancel-pix.ts';
import { PIX_REFUSALS } from '../../transactions/methods/pix/endpoints.ts';
import { type Cents, MAX_PAYMENT_CENTS } from '../../values/cents.ts';
import { type Instant, saoPauloOffsetText } from '../../values/instant.ts';
import { type CancelPaymentTools, cancelPayment, type PaymentCanceled } from './cancel-payment.ts';

export const CANCEL_REFUSALS = {
  notResolved: passingConflict(2, {
    pt: 'O pagamento ainda está em processamento; consulte-o e tente de novo.',
    en: 'The payment is still being processed; read it and try again.',
  }),
  notCharged: conflict({
    pt: 'O pagamento foi negado ou desfeito: não há o que cancelar.',
    en: 'The payment was declined or voided: there is nothing to cancel.',
  }),
  windowOver: conflict({
    pt: 'O prazo para cancelar este pagamento já passou.',
    en: 'The time in which this payment could be canceled is over.',
  }),
  alreadyCanceled: conflict({
    pt: 'O pagamento já foi cancelado por inteiro.',
    en: 'The payment is canceled already, all of it.',
  }),
  beingCanceled: conflict({
    pt: 'O valor que resta está reservado por um cancelamento em andamento; consulte o pagamento.',
    en: 'What is left is held by a cancel that is under way; read the payment.',
  }),
  beingCaptured: passingConflict(2, {
    pt: 'O pagamento está sendo capturado; consulte-o e tente de novo.',
    en: 'The payment is being captured; read it and try again.',
  }),
  wholeOnly: refusal(409, 'amount', {
    pt: 'Uma pré-autorização só se cancela por inteiro; para cobrar menos, capture menos.',
    en: 'What is only authorized is canceled whole; to charge less, capture less.',
  }),
  exceedsRest: refusal(409, 'amount', {
    pt: 'O valor é maior do que resta do pagamento.',
    en: 'The amount is more than is left of the payment.',
  }),
  partNotOffered: refusal(409, 'amount', {
    pt: 'A adquirente não devolve parte de um pagamento: cancele-o por inteiro.',
    en: 'The acquirer gives back no part of a payment: cancel all of it.',
  }),
  refusedByAcquirer: conflict({
    pt: 'A adquirente recusou o cancelamento: nada foi devolvido.',
    en: 'The acquirer refused the cancel: nothing was given back.',
  }),
  refusedByBank: conflict({
    pt: 'O banco recusou a devolução do Pix: nada foi devolvido.',
    en: 'The bank refused to give the Pix back: nothing was given back.',
  }),
  paidAtBank: conflict({
    pt: 'O banco informa que o Pix foi pago: ele não foi cancelado, e o pagamento aparecerá em breve.',
    en: 'The bank says that the Pix is paid: it was not canceled, and the payment will appear shortly.',
  }),
  expired: conflict({
    pt: 'O prazo do Pix terminou e ninguém o pagou: não há o que cancelar.',
    en: 'The time of the Pix is over and nobody paid it: there is nothing to cancel.',
  }),
  isBoleto: conflict({
    pt: 'O pagamento é um boleto: cancele-o em POST /api/billissuer/{id}/cancel.',
    en: 'The payment is a boleto: cancel it by POST /api/billissuer/{id}/cancel.',
  }),
  noPayment: refusal(400, 'endToEndId', {
    pt: 'O Pix não tem esse pagamento.',
    en: 'The Pix has no such payment.',
  }),
  notPaidYet: refusal(409, 'amount', {
    pt: 'Ninguém pagou o Pix ainda: ele só se cancela por inteiro.',
    en: 'Nobody has paid the Pix yet: it is canceled whole.',
  }),
  /** The service repeats the cancel itself; merchants must not. */
  unresolved: refusal(500, '', {
    pt: 'O cancelamento está em andamento: a adquirente ainda não respondeu e será consultada até responder. Consulte o pagamento antes de pedir outro.',
    en: 'The cancel is under way: the acquirer has not answered yet and is asked until it does. Read the payment before you ask for another.',
  }),
} as const satisfies Record<
  Exclude<CancelRefusal | CancelPixRefusal, 'notFound'> | 'isBoleto' | 'notPaidYet' | 'unresolved',
  RefusalShape
>;

const CANCEL_REQUEST = named('CancelRequest', {
  amount: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAYMENT_CENTS,
      description: 'Cents; without it all that is left, which is what `{}` and no body ask for.',
    }),
  ),
  endToEndId: Type.Optional(
    Type.String({
      maxLength: 32,
      checked: { pattern: '\\S' },
      description: 'Of a Pix: which of its payments is given back; without it the one that paid it.',
    }),
  ),
});

const PENDING: Sentence = {
  pt: 'A adquirente aceitou o cancelamento e decidirá depois: nada foi devolvido ainda, e o valor está reservado.',
  en: 'The acquirer accepted the cancel and decides later: nothing was given back yet, and the amount is held.',
};

const PENDING_PIX: Sentence = {
  pt: 'O banco aceitou a devolução e a está executando: o valor está reservado.',
  en: 'The bank accepted the devolution and is carrying it out: the amount is held.',
};

export const CANCEL_PAYMENT = contract({
  id: 'cancelPayment',
  method: 'POST',
  path: '/v1/payments/{paymentId}/cancel',
  api: 'gateway',
  scope: 'gateway',
  group: 'Payments',
  summary: 'Give a payment back, whole or in parts',
  description:
    '200 means that exactly that amount was given back; a Pix that nobody has paid was taken away from its bank. A part comes off the last installments first, and beneficiaries ' +
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
      schema: named('Cancel', {
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
      schema: named('PendingCancel', {
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
    409: refusedAnswer(
      'What is the case forbids it: see the errors of cancels.',
      CANCEL_REFUSALS.exceedsRest,
    ),
    500: refusedAnswer('Under way: the acquirer has not answered yet.', {
      tag: '',
      sentence: { pt: 'O cancelamento está em andamento: a adquirente ainda não respondeu …' },
    }),
  },
});

/** Cents, or null for the rest. */
function readCancelAmount({ amount }: Static<typeof CANCEL_REQUEST>): Cents | null {
  return (amount ?? null) as Cents | null;
}

function writePendingCancel(
  paymentId: string,
  pending: { readonly authorizationCode: string; readonly amount: Cents },
  description: string,
): object {
  return {
    returnCode: 'pending',
    description,
    paymentId: paymentId.toLowerCase(),
    authorizationCode: pending.authorizationCode,
    amount: pending.amount,
  };
}

function writeCancel(
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

export const CANCEL_ENDPOINTS: readonly Endpoint<CancelPaymentTools>[] = [
  endpoint(CANCEL_PAYMENT, async (tools: CancelPaymentTools, call) => {
    const { paymentId } = call.parameters;
    const { endToEndId = null } = call.body;
    const wanted = { paymentId, amount: readCancelAmount(call.body), endToEndId };
    const once = await cancelPayment(tools, callerOf(call), wanted, call, call.deadlineAt);
    return writeOnce(call, once, (result) => writeResult(paymentId, result, call.language));
  }),
];

function writeResult(paymentId: string, canceled: PaymentCanceled, language: Language): Answer {
  if (canceled.kind !== 'pix') return writeCanceled(paymentId, canceled, language);
  const { result } = canceled;
  const ofPix = { authorizationCode: '' };
  switch (result.kind) {
    case 'canceled':
      return writeCanceled(paymentId, { ...result, ...ofPix }, language);
    case 'pending': {
      const body = writePendingCancel(paymentId, { ...result, ...ofPix }, PENDING_PIX[language]);
      return { status: 202, body };
    }
    case 'refused':
      return refusalAnswer(shapeOfPix(result.refusal), language);
    case 'unknown':
    case 'notSent':
      return writeCanceled(paymentId, { kind: result.kind }, language);
    case 'notConnected':
      return refusalAnswer(PIX_REFUSALS.bankAway, language, { 'retry-after': RETRY_AFTER_SECONDS });
  }
}

function shapeOfPix(refusal: CancelPixRefusal): RefusalShape {
  if (refusal === 'notFound') return FAILURES.unknownPath;
  return CANCEL_REFUSALS[refusal === 'wholeOnly' ? 'notPaidYet' : refusal];
}

function writeCanceled(
  paymentId: string,
  result: Exclude<PaymentCanceled, { readonly kind: 'pix' }>,
  language: Language,
): Answer {
  switch (result.kind) {
    case 'canceled':
      return { status: 200, body: writeCancel(paymentId, result) };
    case 'pending':
      return { status: 202, body: writePendingCancel(paymentId, result, PENDING[language]) };
    case 'refused':
      return refusalAnswer(shapeOf(result.refusal), language);
    case 'unknown':
      return refusalAnswer(CANCEL_REFUSALS.unresolved, language);
    case 'notSent':
      return unavailableAnswer('overloaded', language);
    case 'notConnected':
      return unavailableAnswer('acquirerAway', language);
  }
}

function shapeOf(refusal: CancelRefusal | 'isBoleto'): RefusalShape {
  return refusal === 'notFound' ? FAILURES.unknownPath : CANCEL_REFUSALS[refusal];
}
