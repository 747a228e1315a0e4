import { type Static, Type } from 'typebox';
import type { BusinessClock } from '../../src/platform/business-clock.ts';
import { callerOf, contract, type Endpoint, endpoint } from '../../src/platform/http/endpoint.ts';
import { named } from '../../src/platform/http/named.ts';
import {
  conflict,
  type RefusalShape,
  refusal,
  refusalAnswer,
  refusedAnswer,
} from '../../src/platform/http/refusal.ts';
import { type Day, saoPauloDay, utcText } from '../../src/values/instant.ts';
import { askSimulator } from '../ask-simulator.ts';
import { boundedText } from '../files/acquirer-file.ts';
import {
  type BankPaper,
  type BankPaperRefusal,
  type LedgerBoleto,
  RETURN_FILE_FAULTS,
  type WantedReturnFile,
} from './bank-paper.ts';

const FILE_TIMEOUT_MILLISECONDS = 10_000;

type BankPaperTools = {
  /** Null without a bank. */
  readonly bankUrl: string | null;
  readonly clock: BusinessClock;
};

/** The simulated bank's return file of a day. Throws when it does not answer. */
async function readReturnFile(
  { bankUrl, clock }: BankPaperTools,
  merchantId: string,
  { day, fault }: WantedReturnFile,
): Promise<BankPaper<string>> {
  if (bankUrl === null) return { kind: 'refused', refusal: 'noSimulator' };
  const now = clock.now(merchantId);
  if (day >= saoPauloDay(now)) return { kind: 'refused', refusal: 'dayNotOver' };
  const response = await askSimulator(bankUrl, '/return-file', {
    query: { merchantId, day, until: utcText(now), fault: fault ?? undefined },
    timeoutMilliseconds: FILE_TIMEOUT_MILLISECONDS,
  });
  const paper = await boundedText(response);
  return paper === null ? { kind: 'refused', refusal: 'tooLarge' } : { kind: 'read', paper };
}

const MOST_BOLETOS = 100;

/** The merchant's newest boletos at the simulated bank. Throws when it does not answer. */
async function readBankLedger(
  bankUrl: string | null,
  merchantId: string,
  { ourNumber }: { readonly ourNumber?: string },
): Promise<BankPaper<readonly LedgerBoleto[]>> {
  if (bankUrl === null) return { kind: 'refused', refusal: 'noSimulator' };
  // The simulator refuses other texts; to the merchant they are unknown boletos.
  if (ourNumber !== undefined && !/^\d{11}$/.test(ourNumber)) return { kind: 'read', paper: [] };
  const query = { merchantId, limit: String(MOST_BOLETOS), ourNumber };
  const response = await askSimulator(bankUrl, '/ledger', { query });
  const { items } = (await response.json()) as { items: LedgerBoleto[] };
  return { kind: 'read', paper: items.map(shownBoleto) };
}

function shownBoleto(boleto: LedgerBoleto): LedgerBoleto {
  const { ourNumber, status, amount, issuedOn, dueOn, payableUntil, barCode, digitableLine } = boleto;
  const payments = boleto.payments.map(({ amount, paidOn }) => ({ amount, paidOn }));
  return { ourNumber, status, amount, issuedOn, dueOn, payableUntil, barCode, digitableLine, payments };
}

export const BANK_PAPER_REFUSALS = {
  noSimulator: conflict({ pt: 'Não há um banco simulado aqui.', en: 'There is no simulated bank here.' }),
  dayNotOver: refusal(409, 'day', {
    pt: 'Este dia ainda não terminou no tempo do seu estabelecimento: adiante o relógio de teste.',
    en: "This day is not over in your merchant's time: move the test clock forward.",
  }),
  tooLarge: conflict({
    pt: 'O arquivo deste dia é grande demais para uma resposta.',
    en: 'The file of this day is too large for one answer.',
  }),
} as const satisfies Record<BankPaperRefusal, RefusalShape>;

const TEXT_OR_NULL = Type.Union([Type.String(), Type.Null()]);

const BANK_BOLETOS = contract({
  id: 'listBankBoletos',
  method: 'GET',
  path: '/homologation/bank/boletos',
  api: 'either',
  scope: 'any',
  group: 'Homologation',
  summary: "Read the ledger of the bank's simulator",
  description:
    "What the bank's side has booked of your merchant's boletos, kept apart from the gateway, with bar codes of its own computing (newest last, " +
    'at most 100).',
  homologationOnly: true,
  query: Type.Object({
    ourNumber: Type.Optional(Type.String({ maxLength: 11, description: 'Of one boleto: eleven digits.' })),
  }),
  answers: {
    200: {
      description: 'The boletos; amounts are cents.',
      schema: named('BankBoletoList', {
        items: Type.Array(
          named('BankBoleto', {
            ourNumber: Type.String(),
            status: Type.Enum(['refused', 'issued', 'paid', 'canceled', 'expired']),
            amount: Type.Integer(),
            issuedOn: Type.String(),
            dueOn: Type.String(),
            payableUntil: Type.String(),
            barCode: TEXT_OR_NULL,
            digitableLine: TEXT_OR_NULL,
            payments: Type.Array(named('BankPayment', { amount: Type.Integer(), paidOn: Type.String() })),
          }),
        ),
      }),
      example: {
        items: [
          {
            ourNumber: '00000001234',
            status: 'paid',
            amount: 25_000,
            issuedOn: '2026-11-02',
            dueOn: '2026-11-10',
            payableUntil: '2026-12-10',
            barCode: '23791162600000250000001090000000123442941450',
            digitableLine: '23790001089000000012634429414500116260000025000',
            payments: [{ amount: 25_000, paidOn: '2026-11-10' }],
          },
        ],
      },
    },
    409: refusedAnswer('There is no simulated bank here.', BANK_PAPER_REFUSALS.noSimulator),
  },
});

const FILE_QUERY = Type.Object({
  day: Type.String({
    format: 'day',
    maxLength: 10,
    description: "A day of your merchant's time that is over, YYYY-MM-DD in São Paulo.",
  }),
  fault: Type.Optional(
    Type.Enum([...RETURN_FILE_FAULTS], {
      description: 'What is to be wrong in it, in the last payment of the day; absent: nothing is.',
    }),
  ),
});

const READ_RETURN_FILE = contract({
  id: 'readReturnFile',
  method: 'GET',
  path: '/homologation/bank/return-file',
  api: 'either',
  scope: 'any',
  group: 'Homologation',
  summary: "Read the bank's return file of a day",
  description:
    "The return file (CNAB 240) of a day of your merchant's boletos, written by the bank's simulator from its own ledger: registrations, payments, " +
    'cancels and what was written off. With `fault` it differs from the ledger.',
  homologationOnly: true,
  query: FILE_QUERY,
  answers: {
    200: {
      description: 'The file, to be saved under the name in Content-Disposition.',
      contentType: 'text/plain; charset=us-ascii',
    },
    409: refusedAnswer(
      'The day is not over, the file is too large for one answer, or there is no simulated bank here.',
      BANK_PAPER_REFUSALS.dayNotOver,
    ),
  },
});

function readReturnFileQuery({ day, fault }: Static<typeof FILE_QUERY>): WantedReturnFile {
  return { day: day as Day, fault: fault ?? null };
}

export const BANK_PAPER_ENDPOINTS: readonly Endpoint<BankPaperTools>[] = [
  endpoint(BANK_BOLETOS, async ({ bankUrl }: BankPaperTools, call) => {
    const read = await readBankLedger(bankUrl, callerOf(call).merchantId, call.query);
    if (read.kind === 'refused') return refusalAnswer(BANK_PAPER_REFUSALS[read.refusal], call.language);
    return { status: 200, body: { items: read.paper } };
  }),
  endpoint(READ_RETURN_FILE, async (tools: BankPaperTools, call) => {
    const wanted = readReturnFileQuery(call.query);
    const read = await readReturnFile(tools, callerOf(call).merchantId, wanted);
    if (read.kind === 'refused') return refusalAnswer(BANK_PAPER_REFUSALS[read.refusal], call.language);
    const name = `CB${wanted.day.replaceAll('-', '')}.RET`;
    return {
      status: 200,
      text: { content: read.paper, type: 'text/plain; charset=us-ascii' },
      headers: { 'content-disposition': `attachment; filename="${name}"` },
    };
  }),
];
