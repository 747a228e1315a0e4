import { type Static, Type } from 'typebox';
import type { MerchantActor } from '../../audit/audit-event.ts';
import { hasAccount } from '../../merchants/merchants.sql.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { callerAt, callerOf, contract, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { named, orNull } from '../../platform/http/named.ts';
import {
  conflict,
  endsBeforeItBegins,
  type RefusalShape,
  refusal,
  refusalAnswer,
  refusedAnswer,
} from '../../platform/http/refusal.ts';
import {
  type Page,
  pageAnswer,
  pageFor,
  pageQuery,
  readPage,
  type WantedPage,
  writePage,
} from '../../platform/pages.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { LookUp, Search } from '../../platform/postgres/searches.ts';
import { isUuid } from '../../values/ids.ts';
import { type Day, reachedFrom, saoPauloDay, utcText } from '../../values/instant.ts';
import {
  EXCEPTION_CLASSES,
  EXCEPTION_STATES,
  EXPLANATIONS,
  type ExceptionClass,
  type ExceptionState,
  type ReconciliationException,
} from './exception.ts';
import {
  type ExceptionFilter,
  type ExceptionOrder,
  findOwnException,
  listExceptionPage,
  type WantedResolution,
} from './exceptions.sql.ts';

type ResolveTools = {
  readonly lookUp: LookUp;
  readonly writeResolution: BatchedWrite<WantedResolution, 'done'>;
};

/** `ofFile`: only the operator resolves exceptions of an acquirer's file. */
export type ResolveRefusal = 'notFound' | 'ofFile';

/** An ended exception stays as it is. */
async function resolveUnexpectedPayment(
  { lookUp, writeResolution }: ResolveTools,
  actor: MerchantActor,
  wanted: { readonly exceptionId: string; readonly reason: string },
  deadlineAt: number,
): Promise<ReconciliationException | ResolveRefusal> {
  const { merchantId } = actor;
  const exceptionId = wanted.exceptionId.toLowerCase();
  if (!isUuid(exceptionId)) return 'notFound';
  const find = () => lookUp(merchantId, (database) => findOwnException(database, merchantId, exceptionId));
  const found = await find();
  if (found === null) return 'notFound';
  if (found.class !== 'unexpectedPayment' && found.class !== 'takenBack') return 'ofFile';
  if (found.state !== 'open') return found;
  await writeResolution({ actor, exception: found, reason: wanted.reason }, deadlineAt);
  return (await find()) ?? found;
}

type ListExceptionsTools = { readonly search: Search };

async function listExceptions(
  { search }: ListExceptionsTools,
  merchantId: string,
  filter: ExceptionFilter,
  wanted: WantedPage<ExceptionOrder>,
): Promise<Page<ReconciliationException> | 'notFound'> {
  return search(merchantId, async (database) =>
    (await hasAccount(database, merchantId, filter.accountNumber))
      ? listExceptionPage(database, merchantId, filter, wanted)
      : 'notFound',
  );
}

const textOrNull = (description: string) => orNull(Type.String(), description);

export const EXCEPTION_FIELDS = {
  exceptionId: Type.String(),
  class: Type.Enum([...EXCEPTION_CLASSES], { description: 'What differs.' }),
  state: Type.Enum([...EXCEPTION_STATES], {
    description:
      '`explained`: a rule knows why; `healed`: what came later shows no difference any more; `resolved`: a person found out.',
  }),
  transactionId: Type.String({ description: 'The payment, or the transaction of a billing.' }),
  installmentNumber: Type.Integer(),
  amount: Type.Integer({
    description:
      'Cents that you lack; negative: that you have too much. Of `dateDiffers` what came on another day.',
  }),
  expected: textOrNull('What was expected: cents, a day or a count.'),
  found: textOrNull('What the file says; null: nothing.'),
  day: textOrNull('The day on which the money was expected, or came.'),
  explanation: orNull(Type.Enum([...EXPLANATIONS]), 'Why a rule takes it for known; null: no rule does.'),
};

const EXAMPLE = {
  exceptionId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a48',
  class: 'feeDiffers',
  state: 'open',
  transactionId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
  installmentNumber: 1,
  boletoId: null,
  amount: 100,
  expected: '249',
  found: '349',
  day: '2026-12-14',
  explanation: null,
  ageDays: 3,
  openedAt: '2026-12-15T08:00:00.123Z',
  endedAt: null,
  reason: null,
};

export type ExceptionPeriodFault = 'exceptionPeriodBackwards' | 'exceptionPeriodTooLong';

export const EXCEPTION_PERIOD_FAULTS = {
  exceptionPeriodBackwards: endsBeforeItBegins('to'),
  exceptionPeriodTooLong: refusal(400, 'to', {
    pt: 'O período passa de 93 dias.',
    en: 'The period is longer than 93 days.',
  }),
} as const satisfies Record<ExceptionPeriodFault, RefusalShape>;

const MOST_DAYS = 93;
const ORDERS = ['day'] as const;

const LIST_QUERY = Type.Object({
  accountNumber: Type.String({
    minLength: 1,
    maxLength: 20,
    description: 'An account of your merchant.',
  }),
  from: Type.String({ format: 'day', maxLength: 10, description: 'First day of the money.' }),
  to: Type.String({ format: 'day', maxLength: 10, description: 'Last day, included; 93 days at most.' }),
  state: Type.Optional(Type.Enum([...EXCEPTION_STATES])),
  class: Type.Optional(Type.Enum([...EXCEPTION_CLASSES])),
  ...pageQuery(ORDERS),
});

const SHOWN_EXCEPTION = named('ReconciliationException', {
  ...EXCEPTION_FIELDS,
  transactionId: textOrNull(
    'The payment, by card or Pix, or the transaction of a billing; null: it is of a boleto.',
  ),
  installmentNumber: orNull(Type.Integer()),
  boletoId: textOrNull('Whose payment was not expected; null: it is of an installment.'),
  linkId: Type.Optional(Type.String({ description: 'Its payment link.' })),
  ageDays: Type.Integer({ description: 'Since `day`.' }),
  openedAt: Type.String(),
  endedAt: textOrNull('When it healed or was resolved.'),
  reason: textOrNull('What a person found out.'),
});

const OF_EXCEPTIONS = { api: 'integration', scope: 'integration', group: 'Reconciliation' } as const;

export const LIST_EXCEPTIONS = contract({
  ...OF_EXCEPTIONS,
  id: 'listReconciliationExceptions',
  method: 'GET',
  path: '/api/reconciliation/exceptions',
  summary: 'See where files of the acquirer and your sales differ',
  description:
    'Exceptions of installments and boletos of an account, by the day of their money, the newest first.',
  query: LIST_QUERY,
  answers: {
    200: {
      links: { resolveReconciliationException: { exceptionId: '/items/0/exceptionId' } },
      ...pageAnswer('ReconciliationExceptionPage', SHOWN_EXCEPTION, EXAMPLE),
    },
    404: refusedAnswer('You have no such account.', FAILURES.unknownPath),
  },
});

export const RESOLVE_REFUSALS = {
  ofFile: conflict({
    pt: 'Esta exceção é de um arquivo da adquirente: o operador a apura.',
    en: 'This exception is of a file of the acquirer: the operator finds it out.',
  }),
} as const satisfies Record<string, RefusalShape>;

export const RESOLVE_EXCEPTION = contract({
  ...OF_EXCEPTIONS,
  id: 'resolveReconciliationException',
  method: 'POST',
  path: '/api/reconciliation/exceptions/{exceptionId}/resolve',
  summary: 'Say what became of a payment that was not expected',
  description:
    'Of the class `unexpectedPayment` alone: the money of a boleto is yours. What a file of the acquirer says is for the operator to find out (409). ' +
    'Said again, the first reason stays.',
  parameters: Type.Object({ exceptionId: Type.String({ maxLength: 36 }) }),
  body: named('ExceptionResolutionRequest', {
    reason: Type.String({
      minLength: 1,
      maxLength: 200,
      format: 'filledText',
      description: 'Such as: given back to the payer. It stands with the exception and in the audit log.',
    }),
  }),
  bodyExample: { reason: 'Devolvido ao pagador em 12/12' },
  answers: {
    200: {
      description: 'The exception as it stands.',
      schema: SHOWN_EXCEPTION,
      example: {
        ...EXAMPLE,
        class: 'unexpectedPayment',
        state: 'resolved',
        transactionId: null,
        installmentNumber: null,
        boletoId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
        amount: -14_990,
        expected: null,
        found: '14990',
        endedAt: '2026-12-16T08:00:00.123Z',
        reason: 'Devolvido ao pagador em 12/12',
      },
    },
    409: refusedAnswer('It is of a file of the acquirer.', RESOLVE_REFUSALS.ofFile),
  },
});

export type WantedExceptions = {
  readonly filter: {
    readonly accountNumber: string;
    readonly from: Day;
    readonly to: Day;
    readonly state: ExceptionState | null;
    readonly class: ExceptionClass | null;
  };
  readonly wanted: WantedPage<'day'>;
};

function readExceptionSearch(query: Static<typeof LIST_QUERY>): WantedExceptions | ExceptionPeriodFault {
  const [from, to] = [query.from as Day, query.to as Day];
  if (to < from) return 'exceptionPeriodBackwards';
  if (reachedFrom(from, MOST_DAYS - 1) < to) return 'exceptionPeriodTooLong';
  return {
    filter: {
      accountNumber: query.accountNumber,
      from,
      to,
      state: query.state ?? null,
      class: query.class ?? null,
    },
    wanted: readPage(query, ORDERS, { field: 'day', isDescending: true }),
  };
}

const DAY_MILLISECONDS = 86_400_000;

function writeException(exception: ReconciliationException, today: Day): object {
  const { day } = exception;
  const age = day === null ? 0 : (Date.parse(today) - Date.parse(day)) / DAY_MILLISECONDS;
  return {
    exceptionId: exception.exceptionId,
    class: exception.class,
    state: exception.state,
    transactionId: exception.transactionId,
    installmentNumber: exception.installmentNumber,
    boletoId: exception.boletoId,
    ...(exception.linkId !== null && { linkId: exception.linkId }),
    amount: exception.amount,
    expected: exception.expected,
    found: exception.found,
    day,
    explanation: exception.explanation,
    ageDays: Math.max(0, age),
    openedAt: utcText(exception.openedAt),
    endedAt: exception.endedAt === null ? null : utcText(exception.endedAt),
    reason: exception.reason,
  };
}

export type ExceptionTools = ListExceptionsTools & ResolveTools & { readonly clock: BusinessClock };

export const EXCEPTION_ENDPOINTS: readonly Endpoint<ExceptionTools>[] = [
  endpoint(LIST_EXCEPTIONS, async (tools: ExceptionTools, call) => {
    const { merchantId } = callerOf(call);
    const search = readExceptionSearch(call.query);
    if (typeof search === 'string') return refusalAnswer(EXCEPTION_PERIOD_FAULTS[search], call.language);
    const wanted = pageFor(call, search.wanted);
    const found = await listExceptions(tools, merchantId, search.filter, wanted);
    if (found === 'notFound') return refusalAnswer(FAILURES.unknownPath, call.language);
    const today = saoPauloDay(tools.clock.now(merchantId));
    return {
      status: 200,
      body: writePage(wanted, found, (exception) => writeException(exception, today)),
    };
  }),
  endpoint(RESOLVE_EXCEPTION, async (tools: ExceptionTools, call) => {
    const { merchantId } = callerOf(call);
    const wanted = { ...call.parameters, ...call.body };
    const result = await resolveUnexpectedPayment(tools, callerAt(call), wanted, call.deadlineAt);
    if (result === 'notFound') return refusalAnswer(FAILURES.unknownPath, call.language);
    if (result === 'ofFile') return refusalAnswer(RESOLVE_REFUSALS.ofFile, call.language);
    return { status: 200, body: writeException(result, saoPauloDay(tools.clock.now(merchantId))) };
  }),
];
