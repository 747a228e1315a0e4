import { Type } from 'typebox';
import { STATUS_WORDS } from '../../src/payments/status/contract.ts';
import { hasValue, isWord, when } from '../../src/platform/http/checked.ts';
import { callerOf, contract, type Endpoint, endpoint, type Fault } from '../../src/platform/http/endpoint.ts';
import { FAILURES } from '../../src/platform/http/failures.ts';
import { named } from '../../src/platform/http/named.ts';
import {
  conflict,
  type RefusalShape,
  refusal,
  refusalAnswer,
  refusedAnswer,
} from '../../src/platform/http/refusal.ts';
import { CHANGE_EVENTS } from '../../src/providers/acquirers/acquirer.ts';
import type { InstallmentState } from '../../src/transactions/transaction.ts';
import { MOST_INSTALLMENTS } from '../../src/values/cents.ts';
import { askForEvent, type EventTools } from './ask-for-event.ts';
import type { EventRefusal, WantedEvent } from './event.ts';

export const EVENT_REFUSALS = {
  forbidden: conflict({
    pt: 'O estado atual da parcela, ou o que resta dela, não permite este evento: nada aconteceu.',
    en: 'The state of the installment, or what is left of it, does not allow this event: nothing happened.',
  }),
} as const satisfies Record<Exclude<EventRefusal, 'notFound'>, RefusalShape>;

const LARGEST_AMOUNT = 9_999_999_999;

export const EVENT_FAULTS = {
  amountOfChargeback: refusal(400, 'amount', {
    pt: 'Só um chargeback pode ter amount.',
    en: 'Only a chargeback can have an amount.',
  }),
} as const satisfies Record<string, RefusalShape>;

/** The body may be malformed in any way: the schema reports wrong types. */
function checkEvent(body: unknown): Fault[] {
  if (typeof body !== 'object' || body === null) return [];
  const { type, amount } = body as Record<string, unknown>;
  return amount === undefined || type === 'chargeback' ? [] : [EVENT_FAULTS.amountOfChargeback];
}

const FORCE_EVENT = contract({
  id: 'forceTransactionEvent',
  method: 'POST',
  path: '/homologation/transactions/{paymentId}/events',
  api: 'either',
  scope: 'any',
  group: 'Homologation',
  summary: 'Make something happen to an installment',
  description:
    'What only time and other people make happen in production: the acquirer pays an installment (`settle`), holds its money ' +
    'back (`block`) and releases it (`unblock`), or the holder of the card takes it, or `amount` of it, back (`chargeback`). It happens now, by ' +
    "your business time, in the simulator's own books, and reaches the gateway as every change does. While a cancel of the " +
    'payment is under way the change waits for it, and the answer shows the state before. By itself the simulator pays ' +
    'installment n at n times 30 days after the sale.',
  homologationOnly: true,
  isExact: true,
  parameters: Type.Object({ paymentId: Type.String({ maxLength: 36 }) }),
  body: named(
    'TransactionEventRequest',
    {
      type: Type.Enum([...CHANGE_EVENTS]),
      installmentNumber: Type.Integer({ minimum: 1, maximum: MOST_INSTALLMENTS }),
      amount: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: LARGEST_AMOUNT,
          description: 'Cents that a chargeback takes back; absent: all that is left of the installment.',
        }),
      ),
    },
    { checked: when(hasValue('amount'), isWord('type', 'chargeback')) },
  ),
  bodyExample: { type: 'settle', installmentNumber: 1 },
  check: checkEvent,
  answers: {
    200: {
      description: 'It happened; `statusDescription` is what the installment is now.',
      schema: named('TransactionEvent', {
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
    409: refusedAnswer(
      'It cannot happen to the installment as it is (docs/states.md), or less than `amount` is left of it; nothing did.',
      EVENT_REFUSALS.forbidden,
    ),
  },
});

function writeEvent(wanted: WantedEvent, state: InstallmentState): object {
  const { paymentId, installmentNumber, event: type } = wanted;
  return { paymentId, installmentNumber, type, statusDescription: STATUS_WORDS[state] };
}

export const EVENT_ENDPOINTS: readonly Endpoint<EventTools>[] = [
  endpoint(FORCE_EVENT, async (tools: EventTools, call) => {
    const { type: event, installmentNumber, amount = null } = call.body;
    const wanted = { paymentId: call.parameters.paymentId, installmentNumber, event, amount };
    const result = await askForEvent(tools, callerOf(call).merchantId, wanted);
    if (result.kind === 'happened') return { status: 200, body: writeEvent(wanted, result.state) };
    const { refusal } = result;
    const shape = refusal === 'notFound' ? FAILURES.unknownPath : EVENT_REFUSALS[refusal];
    return refusalAnswer(shape, call.language);
  }),
];
