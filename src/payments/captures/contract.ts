import { type Static, Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import { type Cents, MAX_PAYMENT_CENTS } from '../../values/cents.ts';
import { type Instant, saoPauloOffsetText } from '../../values/instant.ts';

const CAPTURE_REQUEST = Type.Object({
  amount: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAYMENT_CENTS,
      description: 'Cents; without it all that is authorized, which is what `{}` and no body ask for.',
    }),
  ),
});

const ERRORS = Type.Array(Type.Object({ tag: Type.String(), description: Type.String() }));

const CAPTURE = {
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
      schema: Type.Object({
        captureAuthorization: Type.Object({
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
    409: {
      description: 'What is the case forbids it: see the errors of captures.',
      schema: ERRORS,
      example: [{ tag: 'amount', description: 'O valor é maior do que o autorizado.' }],
    },
    500: {
      description: 'Under way: the acquirer has not answered yet.',
      schema: ERRORS,
      example: [{ tag: '', description: 'A captura está em andamento: a adquirente ainda não respondeu …' }],
    },
  },
} as const;

export const CAPTURE_PAYMENT = contract({ ...CAPTURE, id: 'capturePayment', method: 'POST' });
/** The same, as clients of this family send it. */
export const PUT_CAPTURE = contract({ ...CAPTURE, id: 'putCapture', method: 'PUT' });

/** Cents, or null for all that is authorized. */
export function readCaptureAmount({ amount }: Static<typeof CAPTURE_REQUEST>): Cents | null {
  return (amount ?? null) as Cents | null;
}

export function writeCapture(
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
