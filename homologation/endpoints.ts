import { Type } from 'typebox';
import { callerOf, contract, type Endpoint, endpoint } from '../src/platform/http/endpoint.ts';
import { named } from '../src/platform/http/named.ts';
import { isUuid } from '../src/values/ids.ts';
import { askSimulator } from './ask-simulator.ts';

export type LedgerCharge = {
  readonly reference: string | null;
  readonly paymentId: string;
  readonly nsu: string | null;
  readonly authorizationCode: string | null;
  /** Cents; null for a void of an unknown reference. */
  readonly amount: number | null;
  /** Cents. */
  readonly canceledAmount: number;
  readonly status: 'preauthorized' | 'approved' | 'declined' | 'undone' | 'canceled';
};

const MOST_CHARGES = 100;

/** Throws when the simulator does not answer. */
async function readAcquirerLedger(
  simulatorUrl: string,
  merchantId: string,
  filter: { readonly reference?: string; readonly paymentId?: string },
): Promise<LedgerCharge[]> {
  // The simulator refuses other texts; to the merchant they are unknown payments.
  if (filter.paymentId !== undefined && !isUuid(filter.paymentId)) return [];
  const { reference: merchantReference, paymentId: reference } = filter;
  const query = { merchantId, limit: String(MOST_CHARGES), merchantReference, reference };
  const response = await askSimulator(simulatorUrl, '/ledger', { query });
  const { items } = (await response.json()) as { items: LedgerCharge[] };
  return items.map(({ reference, paymentId, nsu, authorizationCode, amount, canceledAmount, status }) => ({
    reference,
    paymentId,
    nsu,
    authorizationCode,
    amount,
    canceledAmount,
    status,
  }));
}

const ACQUIRER_CHARGES = contract({
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
      schema: named('AcquirerChargeList', {
        items: Type.Array(
          named('AcquirerCharge', {
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

type LedgerTools = { readonly simulatorUrl: string };

export const LEDGER_ENDPOINTS: readonly Endpoint<LedgerTools>[] = [
  endpoint(ACQUIRER_CHARGES, async ({ simulatorUrl }: LedgerTools, call) => ({
    status: 200,
    body: { items: await readAcquirerLedger(simulatorUrl, callerOf(call).merchantId, call.query) },
  })),
];
