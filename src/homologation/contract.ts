import { Type } from 'typebox';
import { contract } from '../platform/http/endpoint.ts';

export const ACQUIRER_CHARGES = contract({
  id: 'listAcquirerCharges',
  method: 'GET',
  path: '/homologation/acquirer/charges',
  api: 'either',
  scope: 'any',
  group: 'Homologation',
  summary: "Read the simulator's own ledger",
  description:
    "What the acquirer's side has booked for your merchant, kept apart from the gateway. `reference` is your " +
    'referenceTransaction; either filter may be left out (newest last, at most 100).',
  homologationOnly: true,
  query: Type.Object({
    reference: Type.Optional(Type.String({ maxLength: 50 })),
    paymentId: Type.Optional(Type.String({ maxLength: 36 })),
  }),
  answers: {
    200: {
      description: 'The charges; status is preauthorized, approved, declined, undone or canceled.',
      schema: Type.Object({
        items: Type.Array(
          Type.Object({
            reference: Type.Union([Type.String(), Type.Null()]),
            paymentId: Type.String(),
            nsu: Type.Union([Type.String(), Type.Null()]),
            authorizationCode: Type.Union([Type.String(), Type.Null()]),
            amount: Type.Union([Type.Integer(), Type.Null()]),
            canceledAmount: Type.Integer(),
            status: Type.Enum(['preauthorized', 'approved', 'declined', 'undone', 'canceled']),
          }),
        ),
      }),
      example: {
        items: [
          {
            reference: 'PEDIDO-1001',
            paymentId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
            nsu: '1000000042',
            authorizationCode: 'A1B2C3',
            amount: 12_990,
            canceledAmount: 0,
            status: 'approved',
          },
        ],
      },
    },
  },
});
