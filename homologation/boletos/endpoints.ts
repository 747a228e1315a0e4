import { type Static, Type } from 'typebox';
import { both, isWord, lacks, when, withField } from '../../src/platform/http/checked.ts';
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
import { BANK_EVENTS } from '../../src/providers/banks/bank.ts';
import { STATUS_WORDS, statusBill, statusWord } from '../../src/transactions/methods/boleto/bill-status.ts';
import type { Boleto } from '../../src/transactions/methods/boleto/boleto.ts';
import { findBoleto } from '../../src/transactions/methods/boleto/boletos.sql.ts';
import { type Cents, MAX_PAYMENT_CENTS } from '../../src/values/cents.ts';
import { isUuid } from '../../src/values/ids.ts';
import { type Day, saoPauloDay, utcText } from '../../src/values/instant.ts';
import { askSimulator } from '../ask-simulator.ts';
import type { BankTools, BoletoEventRefusal, BoletoEventResult, WantedBoletoEvent } from './boleto-event.ts';

/** Books an event at the simulated bank and pulls it. If it throws, the event may have happened. */
async function askForBoletoEvent(
  tools: BankTools | null,
  merchantId: string,
  wanted: WantedBoletoEvent,
): Promise<BoletoEventResult> {
  if (tools === null) return { kind: 'refused', refusal: 'noSimulator' };
  const { bankUrl, feed } = tools;
  const { database, clock } = feed;
  const { event, amount, paidOn } = wanted;
  const key = { merchantId, boletoId: wanted.boletoId };
  const before = isUuid(wanted.boletoId) ? await findBoleto(database, key) : null;
  if (before === null) return { kind: 'refused', refusal: 'notFound' };
  const isInTime =
    paidOn === null || (paidOn >= before.issuedOn && paidOn <= saoPauloDay(clock.now(merchantId)));
  if (!isInTime) return { kind: 'refused', refusal: 'notThatDay' };
  const response = await askSimulator(bankUrl, '/changes', {
    body: {
      merchantId,
      ourNumber: before.ourNumber,
      event,
      ...(amount === null ? {} : { amount }),
      ...(paidOn === null ? {} : { paidOn }),
      at: utcText(clock.now(merchantId)),
    },
    refusals: [404, 409],
  });
  if (!response.ok) return { kind: 'refused', refusal: 'forbidden' };
  await feed.pullAndApplyOf(merchantId);
  return { kind: 'happened', boleto: (await findBoleto(database, key)) ?? before };
}

export const BOLETO_EVENT_REFUSALS = {
  forbidden: conflict({
    pt: 'Os livros do banco não permitem este evento: nada aconteceu.',
    en: "The bank's books do not allow this event: nothing happened.",
  }),
  notThatDay: refusal(400, 'paidOn', {
    pt: 'O pagamento não pode ser anterior à emissão, nem depois de hoje.',
    en: 'The payment cannot lie before the issue, nor after today.',
  }),
  noSimulator: conflict({
    pt: 'Aqui não há simulador de banco: nada aconteceu.',
    en: 'There is no simulator of a bank here: nothing happened.',
  }),
} as const satisfies Record<Exclude<BoletoEventRefusal, 'notFound'>, RefusalShape>;

export const BOLETO_EVENT_FAULTS = {
  onlyOfPayment: refusal(400, 'amount', {
    pt: 'Só um pagamento tem amount e paidOn.',
    en: 'Only a payment has amount and paidOn.',
  }),
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

const EVENT_REQUEST = named(
  'BoletoEventRequest',
  {
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
  },
  {
    checked: when(isWord('type', 'paid'), {}, both(withField('amount', { type: 'null' }), lacks('paidOn'))),
  },
);

const FORCE_BOLETO_EVENT = contract({
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
      schema: named('BoletoEvent', {
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
    409: refusedAnswer(
      "The bank's books do not allow it, or there is no simulator of a bank; nothing happened.",
      BOLETO_EVENT_REFUSALS.forbidden,
    ),
  },
});

function readBoletoEvent(
  boletoId: string,
  { type, amount, paidOn }: Static<typeof EVENT_REQUEST>,
): WantedBoletoEvent {
  const paid = { amount: (amount ?? null) as Cents | null, paidOn: (paidOn ?? null) as Day | null };
  return { boletoId, event: type, ...paid };
}

function writeBoletoEvent({ event }: WantedBoletoEvent, boleto: Boleto): object {
  return {
    id: boleto.boletoId,
    type: event,
    statusBill: statusBill(boleto),
    statusDescription: statusWord(boleto),
  };
}

/** Null without a simulated bank. */
export type BoletoEventTools = { readonly bank: BankTools | null };

export const BOLETO_EVENT_ENDPOINTS: readonly Endpoint<BoletoEventTools>[] = [
  endpoint(FORCE_BOLETO_EVENT, async ({ bank }: BoletoEventTools, call) => {
    const wanted = readBoletoEvent(call.parameters.boletoId, call.body);
    const result = await askForBoletoEvent(bank, callerOf(call).merchantId, wanted);
    if (result.kind === 'happened') return { status: 200, body: writeBoletoEvent(wanted, result.boleto) };
    const { refusal } = result;
    const shape = refusal === 'notFound' ? FAILURES.unknownPath : BOLETO_EVENT_REFUSALS[refusal];
    return refusalAnswer(shape, call.language);
  }),
];
