import { Type } from 'typebox';
import { CHANGE_EVENTS } from '../../acquirers/acquirer.ts';
import { STATUS_WORDS } from '../../payments/status/contract.ts';
import { endpoint } from '../../platform/http/endpoint.ts';
import type { InstallmentState } from '../../transactions/transaction.ts';
import type { WantedEvent } from './event.ts';

const ERRORS = Type.Array(Type.Object({ tag: Type.String(), description: Type.String() }));
const MOST_INSTALLMENTS = 99;

export const FORCE_EVENT = endpoint({
  id: 'forceTransactionEvent',
  method: 'POST',
  path: '/homologation/transactions/{paymentId}/events',
  api: 'either',
  scope: 'any',
  group: 'Homologation',
  summary: 'Make something happen to an installment',
  description:
    'What only time and other people make happen in production: the acquirer pays an installment (`settle`), holds its money ' +
    'back (`block`) and releases it (`unblock`), or the holder of the card takes it back (`chargeback`). It happens now, by ' +
    "your business time, in the simulator's own books, and reaches the gateway as every change does. While a cancel of the " +
    'payment is under way the change waits for it, and the answer tells the state before. By itself the simulator pays ' +
    'installment n at n times 30 days after the sale.',
  homologationOnly: true,
  parameters: Type.Object({ paymentId: Type.String({ maxLength: 36 }) }),
  body: Type.Object({
    type: Type.Enum([...CHANGE_EVENTS]),
    installmentNumber: Type.Integer({ minimum: 1, maximum: MOST_INSTALLMENTS }),
  }),
  bodyExample: { type: 'settle', installmentNumber: 1 },
  answers: {
    200: {
      description: 'It happened; `statusDescription` is what the installment is now.',
      schema: Type.Object({
        paymentId: Type.String(),
        installmentNumber: Type.Integer(),
        type: Type.Enum([...CHANGE_EVENTS]),
        statusDescription: Type.String(),
      }),
      example: {
        paymentId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
        installmentNumber: 1,
        type: 'settle',
        statusDescription: 'Paga',
      },
    },
    409: {
      description: 'It cannot happen to the installment as it is (docs/states.md); nothing did.',
      schema: ERRORS,
      example: [
        {
          tag: '__general__',
          description: 'O estado atual da parcela não permite este evento: nada aconteceu.',
        },
      ],
    },
  },
});

export function writeEvent(wanted: WantedEvent, state: InstallmentState): object {
  const { paymentId, installmentNumber, event: type } = wanted;
  return { paymentId, installmentNumber, type, statusDescription: STATUS_WORDS[state] };
}
