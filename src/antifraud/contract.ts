import { Type } from 'typebox';
import { contract } from '../platform/http/endpoint.ts';

export const CREATE_ANTI_FRAUD_CODE = contract({
  id: 'createAntiFraudCode',
  method: 'POST',
  path: '/v1/antifraud/sessions',
  api: 'gateway',
  scope: 'gateway',
  group: 'Anti-fraud',
  summary: 'Ask for an anti-fraud code',
  description:
    "Your server asks on behalf of its page. The code goes into `sellerInfo.codeAntiFraud` of the buyer's payment: within " +
    'an hour and for one approval; a declined payment gives it back. Production takes no other codes, homologation any ' +
    'GUID. What you send of the buyer is kept for a day as keyed fingerprints, which cannot be read, and only counted.',
  body: Type.Object({
    ipAddress: Type.Optional(
      Type.String({ maxLength: 48, description: "The buyer's address, never your server's." }),
    ),
    deviceId: Type.Optional(
      Type.String({ maxLength: 128, description: "Whatever names the buyer's device to you." }),
    ),
  }),
  isBodyOptional: true,
  isRepeatable: true,
  bodyExample: { ipAddress: '203.0.113.7', deviceId: '4f6c1b9e-aparelho' },
  answers: {
    200: {
      description: 'A new code.',
      schema: Type.Object({ codeAntiFraud: Type.String() }),
      example: { codeAntiFraud: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44' },
    },
  },
});
