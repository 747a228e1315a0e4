import { type Static, Type } from 'typebox';
import {
  type Answer,
  type Call,
  type CUT_CONNECTION,
  callerOf,
  contract,
  type Endpoint,
  endpoint,
} from '../../platform/http/endpoint.ts';
import { FAILURES, unavailableAnswer, writeOnce } from '../../platform/http/failures.ts';
import { named } from '../../platform/http/named.ts';
import {
  conflict,
  passingConflict,
  type RefusalShape,
  refusal,
  refusalAnswer,
  refusedAnswer,
} from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import type { CaptureRefusal } from '../../transactions/capture.ts';
import type { CaptureResult } from '../../transactions/methods/card/capture-transaction.ts';
import { type Cents, MAX_PAYMENT_CENTS } from '../../values/cents.ts';
import { type Instant, saoPauloOffsetText } from '../../values/instant.ts';
import { type CapturePaymentTools, capturePayment } from './capture-payment.ts';

export const CAPTURE_REFUSALS = {
  notResolved: passingConflict(2, {
    pt: 'O pagamento ainda está em processamento; consulte-o e tente de novo.',
    en: 'The payment is still being processed; read it and try again.',
  }),
  notCharged: conflict({
    pt: 'O pagamento foi negado ou desfeito: não há o que capturar.',
    en: 'The payment was declined or voided: there is nothing to capture.',
  }),
  notPreauthorized: conflict({
    pt: 'O pagamento foi capturado na própria autorização (captureType ac).',
    en: 'The payment was captured with its authorization (captureType ac).',
  }),
  alreadyCaptured: refusal(409, 'amount', {
    pt: 'O pagamento já foi capturado, com outro valor: só se captura uma vez.',
    en: 'The payment was captured already, of another amount: it is captured once.',
  }),
  beingCaptured: passingConflict(2, {
    pt: 'Outra captura deste pagamento está em andamento; consulte-o.',
    en: 'Another capture of this payment is under way; read the payment.',
  }),
  timeOver: conflict({
    pt: 'O prazo para capturar este pagamento já passou: ele será desfeito.',
    en: 'The time in which this payment could be captured is over: it will be voided.',
  }),
  exceedsAuthorized: refusal(409, 'amount', {
    pt: 'O valor é maior do que o autorizado.',
    en: 'The amount is more than was authorized.',
  }),
  installmentTooSmall: refusal(409, 'amount', {
    pt: 'O valor é pequeno demais para as parcelas deste pagamento.',
    en: 'The amount is too small for the installments of this payment.',
  }),
  refusedByAcquirer: conflict({
    pt: 'A adquirente recusou a captura: nada foi cobrado.',
    en: 'The acquirer refused the capture: nothing was charged.',
  }),
  /** The service finishes the capture itself; merchants must not request another amount. */
  unresolved: refusal(500, '', {
    pt: 'A captura está em andamento: a adquirente ainda não respondeu e será consultada até responder. Consulte o pagamento.',
    en: 'The capture is under way: the acquirer has not answered yet and is asked until it does. Read the payment.',
  }),
} as const satisfies Record<Exclude<CaptureRefusal, 'notFound'> | 'unresolved', RefusalShape>;

const CAPTURE_REQUEST = named('CaptureRequest', {
  amount: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAYMENT_CENTS,
      description: 'Cents; without it all that is authorized, which is what `{}` and no body ask for.',
    }),
  ),
});

export const CAPTURE_PAYMENT = contract({
  id: 'capturePayment',
  method: 'POST',
  path: '/v1/payments/{paymentId}/capture',
  api: 'gateway',
  scope: 'gateway',
  group: 'Payments',
  summary: 'Capture an authorized payment',
  description:
    'Charges a payment of captureType pa, once: all of it, or less, and then the rest is let go. 200 means that exactly that ' +
    'amount is charged; the same capture again gets the same answer. 409 means that nothing was captured, or that another ' +
    'amount was before. 500 means that the capture is under way: it is finished as soon as the acquirer answers. No answer ' +
    '(a lost connection) means once or not at all. After both read the payment: it is Autorizada once it is captured.',
  parameters: Type.Object({ paymentId: Type.String({ maxLength: 36 }) }),
  isRepeatable: true,
  body: CAPTURE_REQUEST,
  isBodyOptional: true,
  isExact: true,
  bodyExample: { amount: 9_990 },
  answers: {
    200: {
      description: 'The amount is charged.',
      schema: named('Capture', {
        captureAuthorization: named('CaptureAuthorization', {
          returnCode: Type.String(),
          description: Type.String(),
          paymentId: Type.String(),
          authorizationCode: Type.String(),
          amount: Type.Integer(),
          releaseAt: Type.String(),
        }),
      }),
      example: {
        captureAuthorization: {
          returnCode: '0',
          description: 'Sucesso',
          paymentId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
          authorizationCode: 'A1B2C3',
          amount: 9_990,
          releaseAt: '2026-11-23T10:00:00.123-03:00',
        },
      },
    },
    409: refusedAnswer(
      'What is the case forbids it: see the errors of captures.',
      CAPTURE_REFUSALS.exceedsAuthorized,
    ),
    500: refusedAnswer('Under way: the acquirer has not answered yet.', {
      tag: '',
      sentence: { pt: 'A captura está em andamento: a adquirente ainda não respondeu …' },
    }),
  },
});

/** Cents, or null for the authorized amount. */
function readCaptureAmount({ amount }: Static<typeof CAPTURE_REQUEST>): Cents | null {
  return (amount ?? null) as Cents | null;
}

function writeCapture(
  paymentId: string,
  captured: { readonly authorizationCode: string; readonly amount: Cents; readonly moment: Instant },
): object {
  return {
    captureAuthorization: {
      returnCode: '0',
      description: 'Sucesso',
      paymentId: paymentId.toLowerCase(),
      authorizationCode: captured.authorizationCode,
      amount: captured.amount,
      releaseAt: saoPauloOffsetText(captured.moment),
    },
  };
}

export const CAPTURE_ENDPOINTS: readonly Endpoint<CapturePaymentTools>[] = [
  endpoint(CAPTURE_PAYMENT, (tools: CapturePaymentTools, call) =>
    capture(tools, call, readCaptureAmount(call.body)),
  ),
];

async function capture(
  tools: CapturePaymentTools,
  call: Call<unknown, unknown, { readonly paymentId: string }>,
  amount: Cents | null,
): Promise<Answer | typeof CUT_CONNECTION> {
  const { paymentId } = call.parameters;
  const once = await capturePayment(tools, callerOf(call), { paymentId, amount }, call, call.deadlineAt);
  return writeOnce(call, once, (result) => writeResult(paymentId, result, call.language));
}

function writeResult(paymentId: string, result: CaptureResult, language: Language): Answer {
  switch (result.kind) {
    case 'captured':
      return { status: 200, body: writeCapture(paymentId, result) };
    case 'refused':
      return refusalAnswer(shapeOf(result.refusal), language);
    case 'unknown':
      return refusalAnswer(CAPTURE_REFUSALS.unresolved, language);
    case 'notSent':
      return unavailableAnswer('overloaded', language);
    case 'notConnected':
      return unavailableAnswer('acquirerAway', language);
  }
}

function shapeOf(refusal: CaptureRefusal): RefusalShape {
  return refusal === 'notFound' ? FAILURES.unknownPath : CAPTURE_REFUSALS[refusal];
}
