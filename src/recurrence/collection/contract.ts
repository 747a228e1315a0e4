import { type TSchema, Type } from 'typebox';
import { DECLINE_ANSWER, RETRY_LIMIT_ANSWER } from '../../acquirers/contract.ts';
import { readDecline } from '../../acquirers/issuer-code.ts';
import { contract } from '../../platform/http/endpoint.ts';
import { GET_BILLING } from '../billings/contract.ts';
import type { IssuerDecline } from './collect-billing.ts';

export { writeDecline, writeRetryLimit } from '../../acquirers/contract.ts';

const WHOLE_BILLING = GET_BILLING.answers[200];

export const CHARGE_BILLING = contract({
  api: 'gateway',
  scope: 'recurrence',
  group: 'Billings',
  id: 'chargeBilling',
  method: 'POST',
  path: '/v1/recurrences/billing/{billingId}/charge',
  isBodyOptional: true,
  isExact: true,
  summary: 'Charge a billing again by hand',
  description:
    'A billing that is Denied or PaymentInvalid is charged once more, with the card that its subscription has now. It is Paid then, or ' +
    'stays what it is; its schedule is not touched, and only a card that is canceled blocks the subscription. A card whose issuer ' +
    'has said never again, or whose network takes no more tries, is not sent (402, tag retryLimit). Takes no body.',
  isRepeatable: true,
  parameters: Type.Object({ billingId: Type.String({ maxLength: 36 }) }),
  answers: {
    200: { ...WHOLE_BILLING, description: 'Paid.' },
    202: {
      ...WHOLE_BILLING,
      description: 'The acquirer has not answered: the outcome is found out, and then shown by the billing.',
    },
    402: {
      description: 'Declined by the issuer; or not sent, tag `retryLimit`.',
      schema: Type.Union([DECLINE_ANSWER.schema as TSchema, RETRY_LIMIT_ANSWER]),
      example: DECLINE_ANSWER.example,
    },
    409: {
      description: 'It cannot be charged as it is.',
      schema: Type.Array(Type.Object({ tag: Type.String(), description: Type.String() })),
      example: [
        {
          tag: '__general__',
          description: 'Só uma cobrança Denied ou PaymentInvalid pode ser cobrada novamente.',
        },
      ],
    },
  },
});

/** The issuer's no with what it means. */
export function readIssuerDecline({ brand, responseCode, adviceCode, soldAt }: IssuerDecline) {
  const read = readDecline(brand, responseCode, adviceCode);
  return { brand, responseCode, adviceCode, read, soldAt };
}
