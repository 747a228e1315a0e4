import { type Static, Type } from 'typebox';
import { contract, type Fault, GENERAL_TAG, type Sound } from '../../../platform/http/endpoint.ts';
import { named, namedUnion } from '../../../platform/http/named.ts';
import {
  endsBeforeItBegins,
  hasMoreDays,
  type RefusalShape,
  refusal,
  refusedAnswer,
} from '../../../platform/http/refusal.ts';
import type { BoletoPayer } from '../../../providers/banks/bank.ts';
import { daysBetween } from '../../../values/business-day.ts';
import { type Day, isDay } from '../../../values/instant.ts';
import { STATES_OF_BRAZIL } from '../../../values/states-of-brazil.ts';
import {
  type CallRules,
  callbackUrl,
  checkCallback,
  PUBLIC_ONLY,
} from '../../../webhooks/posting/url-rules.ts';
import {
  type Decimal,
  DUE_DAY,
  day,
  decimal,
  readSoundDue,
  readTerms,
  reais,
  TERMS_REQUEST,
} from '../../bill-contract.ts';
import { statesOfStatus } from './bill-status.ts';
import {
  type BoletoTerms,
  MOST_DAYS,
  MOST_DAYS_TO_EXPIRE,
  MOST_IN_ARRAY,
  USUAL_DAYS_TO_EXPIRE,
  type WantedBoletos,
} from './boleto.ts';
import { BOLETO_ANSWER, BOLETO_EXAMPLE } from './boleto-contract.ts';

const line = (maxLength: number, description?: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    format: 'visibleText',
    ...(description === undefined ? {} : { description }),
  });

export const PAYER_REQUEST = named('PayerRequest', {
  name: line(80),
  documentNumber: Type.String({ maxLength: 18, format: 'cpfOrCnpj', reads: 'document' }),
  email: Type.Optional(Type.String({ maxLength: 255, format: 'emailAddress', reads: 'emailAddress' })),
  address: named('PayerAddressRequest', {
    street: line(100),
    number: line(10),
    complement: Type.Optional(line(60)),
    district: line(60),
    city: line(60),
    state: Type.Enum(STATES_OF_BRAZIL, { reads: 'capitals' }),
    zipCode: Type.String({ maxLength: 10, format: 'postalCode', reads: 'postalCode' }),
  }),
});

const BOLETO_REQUEST = named('BoletoRequest', {
  value: decimal(8, true, 'Reais, up to 99999999.99.'),
  dueDate: DUE_DAY,
  payer: PAYER_REQUEST,
  referenceTransaction: Type.Optional(Type.String({ maxLength: 50 })),
  instructions: Type.Optional(
    Type.Array(line(80), { maxItems: 4, description: 'Lines that are printed for who takes the payment.' }),
  ),
  ...TERMS_REQUEST,
  daysToExpire: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MOST_DAYS_TO_EXPIRE,
      description: `Days after the due day on which it can still be paid; default ${USUAL_DAYS_TO_EXPIRE}.`,
    }),
  ),
  urlCallBack: Type.Optional(
    Type.String({
      maxLength: 500,
      format: 'webAddress',
      description: 'A public address, https in production: each change of the boleto is posted there.',
    }),
  ),
});
type BoletoBody = Static<typeof BOLETO_REQUEST>;

const ACCOUNT_QUERY = Type.Object({
  accountNumber: Type.String({ minLength: 1, maxLength: 20, description: 'An account of your merchant.' }),
});

const OF_BOLETOS = { api: 'integration', scope: 'integration', group: 'Boletos' } as const;
const REFUSED_BY_BANK = {
  description: 'The bank registers no such boleto: nothing was made. Its id is in the entry.',
  schema: Type.Array(
    named('BoletoProblem', { tag: Type.String(), description: Type.String(), boletoId: Type.String() }),
  ),
  example: [
    {
      tag: 'payer',
      description: 'O banco recusou o pagador: confira nome, documento e endereço.',
      boletoId: BOLETO_EXAMPLE.id,
    },
  ],
};

const NO_BANK = {
  409: refusedAnswer('The operator has named no bank: there are no boletos here.', {
    tag: GENERAL_TAG,
    sentence: { pt: 'O operador não configurou um banco (PARCELA_BANK_URL): aqui não há boletos.' },
  }),
};

const BEING_ISSUED_ANSWER = {
  description:
    'The bank has not answered yet: statusBill 0. It is asked until it answers; read the boleto, or send the same request again with its Idempotency-Key.',
  schema: BOLETO_ANSWER,
  example: {
    ...BOLETO_EXAMPLE,
    barCode: null,
    digitableLine: null,
    statusBill: 0,
    statusDescription: 'Em emissão',
  },
};

export const BODY_EXAMPLE = {
  value: BOLETO_EXAMPLE.value,
  dueDate: BOLETO_EXAMPLE.dueDate,
  payer: {
    ...BOLETO_EXAMPLE.payer,
    address: {
      street: 'Rua das Flores',
      number: '100',
      district: 'Centro',
      city: 'São Paulo',
      state: 'SP',
      zipCode: '01001000',
    },
  },
  referenceTransaction: BOLETO_EXAMPLE.referenceTransaction,
  instructions: ['Não receber após 30 dias do vencimento.'],
  fine: { percent: 2 },
  interest: { percentPerMonth: 1 },
  discount: { value: 5, until: '2029-12-05' },
  daysToExpire: 30,
};

/** The rules for callback addresses depend on the operator's settings. */
export function checkBoleto(callRules: CallRules): (body: unknown) => Fault[] {
  return (body) => {
    const { urlCallBack } = (body ?? {}) as { readonly urlCallBack?: unknown };
    return typeof urlCallBack === 'string' ? checkCallback(callRules, urlCallBack) : [];
  };
}

export const ISSUE_BOLETO = contract({
  ...OF_BOLETOS,
  id: 'issueBoleto',
  method: 'POST',
  path: '/api/billissuer/new',
  summary: 'Issue a boleto',
  description:
    'Registered at the bank under a number of ours: 200 means that it can be paid. 202 means that the bank has not answered yet; ' +
    'it is asked again, under the same number, until it does, so that one request never makes two boletos. 402 means that the bank refuses it. ' +
    'Repeated with its Idempotency-Key, a request is answered with the same boleto as it stands then.',
  isRepeatable: true,
  query: ACCOUNT_QUERY,
  body: BOLETO_REQUEST,
  bodyExample: BODY_EXAMPLE,
  check: checkBoleto(PUBLIC_ONLY),
  answers: {
    200: {
      links: {
        getBoleto: { boletoId: '/id' },
        cancelBoleto: { boletoId: '/id' },
        forceBoletoEvent: { boletoId: '/id' },
      },
      description: 'Issued.',
      schema: BOLETO_ANSWER,
      example: BOLETO_EXAMPLE,
    },
    202: BEING_ISSUED_ANSWER,
    402: REFUSED_BY_BANK,
    ...NO_BANK,
  },
});

const BOLETO_ID = Type.Object({ boletoId: Type.String({ maxLength: 36 }) });

export const GET_BOLETO = contract({
  ...OF_BOLETOS,
  id: 'getBoleto',
  method: 'GET',
  path: '/api/billissuer/{boletoId}',
  summary: 'Read a boleto',
  description: 'As it stands. One that the bank has refused answers 402, as its request did or would have.',
  parameters: BOLETO_ID,
  answers: {
    200: { description: 'The boleto.', schema: BOLETO_ANSWER, example: BOLETO_EXAMPLE },
    402: REFUSED_BY_BANK,
  },
});

export const CANCEL_BOLETO = contract({
  ...OF_BOLETOS,
  id: 'cancelBoleto',
  method: 'POST',
  path: '/api/billissuer/{boletoId}/cancel',
  summary: 'Cancel a boleto',
  description:
    'Takes a boleto that nobody has paid out of the bank. 200 means that it is canceled; the same again is harmless. 202 means ' +
    'that the bank has not answered yet: it is asked until it does, and what it says counts. 409 means that it is paid or over, or that it cannot be ' +
    'canceled at the moment. Takes no body.',
  parameters: BOLETO_ID,
  answers: {
    200: {
      description: 'Canceled.',
      schema: BOLETO_ANSWER,
      example: { ...BOLETO_EXAMPLE, statusBill: 4, statusDescription: 'Cancelado' },
    },
    202: {
      description: 'On its way: shown as it was until the bank has answered.',
      schema: BOLETO_ANSWER,
      example: BOLETO_EXAMPLE,
    },
    409: refusedAnswer('What is the case forbids it: see the errors of boletos.', {
      tag: GENERAL_TAG,
      sentence: { pt: 'O boleto já foi pago e não pode ser cancelado.' },
    }),
  },
});

export function readPayer({
  name,
  documentNumber,
  email,
  address: { complement, ...address },
}: Static<typeof PAYER_REQUEST>): BoletoPayer {
  return {
    ...{ name, documentNumber, email: email ?? null },
    address: { ...address, complement: complement ?? null },
  };
}
export const CHANGE_DUE_DATE = contract({
  ...OF_BOLETOS,
  id: 'changeBoletoDueDate',
  method: 'POST',
  path: '/api/billissuer/{boletoId}/due-date',
  summary: 'Change the due day of a boleto',
  description:
    'Bar code, fine and interest follow, and it can be paid for as many days after it as before. 200: changed, or it has that day already. 202: the bank has not ' +
    'answered, and it stays as it was until then. 409: it is over, or the bank refuses.',
  parameters: BOLETO_ID,
  body: named('DueDateRequest', { dueDate: DUE_DAY }),
  bodyExample: { dueDate: '2029-12-20' },
  answers: {
    200: { description: 'Changed.', schema: BOLETO_ANSWER, example: BOLETO_EXAMPLE },
    202: { description: 'On its way.', schema: BOLETO_ANSWER, example: BOLETO_EXAMPLE },
    409: refusedAnswer('See the errors of boletos.', {
      tag: GENERAL_TAG,
      sentence: { pt: 'O banco recusou o novo vencimento: o boleto continua como estava.' },
    }),
  },
});

export function readBoletoRequest(body: BoletoBody): BoletoTerms {
  return {
    amount: reais(body.value),
    dueOn: body.dueDate as Day,
    payer: readPayer(body.payer),
    referenceTransaction: body.referenceTransaction ?? null,
    instructions: body.instructions ?? [],
    ...readTerms(body),
    daysToExpire: body.daysToExpire ?? USUAL_DAYS_TO_EXPIRE,
    callbackUrl: callbackUrl(body.urlCallBack ?? null),
  };
}

/** Reads the terms of a malformed request that are checked against each other, as far as readable. */
export function readSoundTerms(
  body: Sound<BoletoBody>,
): Partial<Pick<BoletoTerms, 'amount' | 'dueOn' | 'discount'>> {
  const value = body.value as Decimal | undefined;
  return { ...(value === undefined ? {} : { amount: reais(value) }), ...readSoundDue(body) };
}

const LARGEST_PAGE = 1_000_000;
const MOST_OF_PAGE = 100;
const USUAL_LIMIT = 20;

const LIST_QUERY = Type.Object({
  accountNumber: Type.String({ minLength: 1, maxLength: 20, description: 'An account of your merchant.' }),
  startDate: day('First due day, YYYY-MM-DD.'),
  endDate: day('Last due day, included.'),
  statusBill: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 5,
      description: 'Only these: 0 being issued, 1 issued, 2 paid, 3 overdue, 4 canceled, 5 expired.',
    }),
  ),
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LARGEST_PAGE,
      description: 'From 1; with it the answer is a page with its total, without it an array of all.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MOST_OF_PAGE, description: 'Of a page; default 20.' }),
  ),
});

export const BOLETO_LIST_FAULTS = {
  rangeBackwards: endsBeforeItBegins('endDate'),
  periodTooLong: hasMoreDays('endDate', MOST_DAYS),
  limitWithoutPage: refusal(400, 'limit', {
    pt: 'limit só vale junto com page.',
    en: 'limit needs page beside it.',
  }),
} as const satisfies Record<string, RefusalShape>;

/** Checks the fields against each other; the schema checks each one. */
function checkList(query: Readonly<Record<string, unknown>>): Fault[] {
  const { startDate: from, endDate: to, page, limit } = query;
  const { rangeBackwards, periodTooLong, limitWithoutPage } = BOLETO_LIST_FAULTS;
  const faults: Fault[] = limit !== undefined && page === undefined ? [limitWithoutPage] : [];
  if (typeof from !== 'string' || typeof to !== 'string' || !isDay(from) || !isDay(to)) return faults;
  if (from > to) return [...faults, rangeBackwards];
  return daysBetween(from, to) >= MOST_DAYS ? [...faults, periodTooLong] : faults;
}

export const LIST_BOLETOS = contract({
  id: 'listBoletos',
  method: 'GET',
  path: '/api/billissuer/list/by/due-date',
  api: 'integration',
  scope: 'integration',
  group: 'Boletos',
  summary: 'List boletos by due day',
  description:
    `Of one account, by due day, ${MOST_DAYS} days at most; what the bank has refused is not among them. Without page the answer is an array of all of ` +
    `them, as clients of this family expect it, and more than ${MOST_IN_ARRAY} are refused (400, tag page); with page it is a page, whose total is exact.`,
  query: LIST_QUERY,
  checkQuery: checkList,
  answers: {
    200: {
      description: 'All of them, or a page.',
      schema: namedUnion('BoletosOrPage', [
        Type.Array(BOLETO_ANSWER),
        named('BoletoPage', {
          items: Type.Array(BOLETO_ANSWER),
          page: Type.Integer(),
          limit: Type.Integer(),
          total: Type.Integer(),
        }),
      ]),
      example: [BOLETO_EXAMPLE],
    },
  },
});

export function readBoletosQuery(query: Static<typeof LIST_QUERY>): WantedBoletos {
  const { accountNumber, startDate, endDate, statusBill, page, limit = USUAL_LIMIT } = query;
  const order = { field: 'dueDate', isDescending: false } as const;
  return {
    accountNumber,
    dueFrom: startDate as Day,
    dueTo: endDate as Day,
    states: statusBill === undefined ? null : statesOfStatus(statusBill),
    isArray: page === undefined,
    page: page ?? 1,
    limit: page === undefined ? MOST_IN_ARRAY : limit,
    order,
  };
}
