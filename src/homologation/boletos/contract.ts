import { type Static, Type } from 'typebox';
import { BANK_EVENTS } from '../../banks/bank.ts';
import { STATUS_WORDS, statusBill, statusWord } from '../../boletos/bill-status.ts';
import type { Boleto } from '../../boletos/boleto.ts';
import { contract, type Fault } from '../../platform/http/endpoint.ts';
import type { RefusalShape } from '../../platform/http/refusal.ts';
import { type Cents, MAX_PAYMENT_CENTS } from '../../values/cents.ts';
import type { Day } from '../../values/instant.ts';
import type { WantedBoletoEvent } from './boleto-event.ts';

const ERRORS = Type.Array(Type.Object({ tag: Type.String(), description: Type.String() }));

/** Rules between the fields of an event of a boleto. */
export const BOLETO_EVENT_FAULTS = {
  onlyOfPayment: {
    status: 400,
    tag: 'amount',
    sentence: {
      pt: 'Só um pagamento tem amount e paidOn.',
      en: 'Only a payment has amount and paidOn.',
    },
  },
} as const satisfies Record<string, RefusalShape>;

/** The body may be malformed in any way: the schema reports wrong types. */
function checkEvent(body: unknown): Fault[] {
  if (typeof body !== 'object' || body === null) return [];
  const given = body as Record<string, unknown>;
  if (given.type === 'paid') return [];
  return (['amount', 'paidOn'] as const)
    .filter((tag) => given[tag] !== undefined)
    .map((tag) => ({ ...BOLETO_EVENT_FAULTS.onlyOfPayment, tag }));
}

const EVENT_REQUEST = Type.Object({
  type: Type.Enum([...BANK_EVENTS]),
  amount: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAYMENT_CENTS,
      description: 'Cents that are paid; absent: what is to be paid on the day.',
    }),
  ),
  paidOn: Type.Optional(
    Type.String({ format: 'day', maxLength: 10, description: 'Day of the payment; absent: today.' }),
  ),
});

export const FORCE_BOLETO_EVENT = contract({
  id: 'forceBoletoEvent',
  method: 'POST',
  path: '/homologation/boletos/{boletoId}/events',
  api: 'either',
  scope: 'any',
  group: 'Homologation',
  summary: 'Make something happen to a boleto',
  description:
    'What payers and the bank make happen in production: it is paid, of whatever amount, also a second time or after its end; ' +
    "the bank cancels it, or ends it after its last day. It happens now, by your business time, in the books of the bank's simulator, and reaches the gateway as every change does.",
  homologationOnly: true,
  parameters: Type.Object({ boletoId: Type.String({ maxLength: 36 }) }),
  body: EVENT_REQUEST,
  bodyExample: { type: 'paid' },
  check: checkEvent,
  answers: {
    200: {
      description: 'It happened; status and description are those of the boleto now.',
      schema: Type.Object({
        id: Type.String({ description: 'Of the boleto.' }),
        type: Type.Enum([...BANK_EVENTS]),
        statusBill: Type.Integer(),
        statusDescription: Type.String(),
      }),
      example: {
        id: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
        type: 'paid',
        statusBill: 2,
        statusDescription: STATUS_WORDS.paid,
      },
    },
    409: {
      description: "The bank's books do not allow it, or there is no simulator of a bank; nothing happened.",
      schema: ERRORS,
      example: [
        { tag: '__general__', description: 'Os livros do banco não permitem este evento: nada aconteceu.' },
      ],
    },
  },
});

export function readBoletoEvent(
  boletoId: string,
  { type, amount, paidOn }: Static<typeof EVENT_REQUEST>,
): WantedBoletoEvent {
  const paid = { amount: (amount ?? null) as Cents | null, paidOn: (paidOn ?? null) as Day | null };
  return { boletoId, event: type, ...paid };
}

export function writeBoletoEvent({ event }: WantedBoletoEvent, boleto: Boleto): object {
  return {
    id: boleto.boletoId,
    type: event,
    statusBill: statusBill(boleto),
    statusDescription: statusWord(boleto),
  };
}
