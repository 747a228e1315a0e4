import { type Static, Type } from 'typebox';
import { hasAccount } from '../../merchants/merchants.sql.ts';
import { callerOf, contract, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES, RETRY_AFTER_SECONDS } from '../../platform/http/failures.ts';
import { named, orNull } from '../../platform/http/named.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import type { LookUp } from '../../platform/postgres/searches.ts';
import { INSTALLMENT_WORDS } from '../../transactions/transaction.ts';
import { cents } from '../../values/cents.ts';
import { type CsvCell, csvLine } from '../../values/csv.ts';
import { ExactNumber } from '../../values/exact-json.ts';
import { type Day, instant, saoPauloText } from '../../values/instant.ts';
import { ACCOUNT, exampleOf, RECEIVABLE_REFUSALS, reais } from '../period-contract.ts';
import type { Follower } from './open-follower.ts';
import { type Receivable, receiptOf } from './receivable.ts';
import { findReceivablesByCode } from './receivables.sql.ts';

type FindReceivablesTools = Pick<Follower, 'isUpToDate'> & { readonly lookUp: LookUp };

type WantedCode = {
  readonly accountNumber: string;
  readonly nsu: string;
  readonly authorizationCode: string;
};

/** null: the merchant has no such account. `receivablesBehind`: not all movements are in receivables yet. */
async function findReceivables(
  { lookUp, isUpToDate }: FindReceivablesTools,
  merchantId: string,
  wanted: WantedCode,
): Promise<Receivable[] | 'receivablesBehind' | null> {
  const isOwn = await lookUp(merchantId, (database) =>
    hasAccount(database, merchantId, wanted.accountNumber),
  );
  if (!isOwn) return null;
  if (!(await isUpToDate(merchantId))) return 'receivablesBehind';
  return lookUp(merchantId, (database) => findReceivablesByCode(database, merchantId, wanted));
}

const money = (description: string) => Type.Number({ description });
const moneyOrNull = (description: string) => orNull(Type.Number(), description);
const dayOrNull = (description: string) => orNull(Type.String(), description);

export const RECEIVABLE = named('Receivable', {
  transactionDate: Type.String({ description: 'When it was sold, in São Paulo, without zone.' }),
  terminal: Type.String({ description: 'Always empty: it was sold online.' }),
  cardNumber: Type.String({ description: 'The first six and the last four digits.' }),
  cardType: Type.String({ description: 'Always Crédito.' }),
  cardName: Type.String({ description: 'The brand of the card.' }),
  codAuth: Type.String(),
  nsu: Type.String(),
  installmentNumber: Type.Integer(),
  installmentsCount: Type.Integer({ description: 'Installments of the sale.' }),
  installmentValue: money('Reais of the installment, as it was sold.'),
  transactionTotalValue: money('Reais of the whole sale.'),
  installmentStatus: Type.String({ description: 'Autorizada, Paga, Cancelada or Bloqueada.' }),
  discountMdrValue: money(
    "Reais of the acquirer's fee: what it kept; until it has said so, what is expected.",
  ),
  discountMdrTax: money('The same in percent.'),
  discountAntecipationValue: money('Reais that the acquirer kept because it paid earlier.'),
  discountAntecipationTax: money('The same in percent.'),
  receivedValue: moneyOrNull(
    'Reais that came; 0 while nothing did, null where the acquirer did not say how much.',
  ),
  receivedDateForeast: Type.String({ description: 'The day on which the money is expected.' }),
  receivedDateForecast: Type.String({ description: 'The same, under the right name.' }),
  receivedDateEffective: dayOrNull('The day on which the money came; null: not yet.'),
  receivedType: Type.String({ description: 'Liquidação or Antecipação; empty while nothing came.' }),
  receivedStatus: Type.String({ description: 'Previsto, Recebido, Bloqueado or Cancelado.' }),
  transactionReference: orNull(Type.String(), 'Your own reference of the sale.'),
  transactionPaymentIdWeb: Type.String({ description: 'The id of the payment.' }),
});

const COLUMNS = Object.keys(RECEIVABLE.properties) as (keyof Static<typeof RECEIVABLE>)[];

const percent = (part: number, whole: number): ExactNumber =>
  new ExactNumber((whole === 0 ? 0 : (part * 100) / whole).toFixed(4));

const NOTHING = cents(0);

/** The acquirer's fee in reais and in percent: the expected one, until the acquirer has said fee and net. */
function writeFee({ feePortion, expected }: Receivable, receipt: ReturnType<typeof receiptOf>) {
  if (receipt === null || receipt.fee === null || receipt.net === null)
    return {
      value: reais(receipt?.fee ?? expected.fee),
      tax: new ExactNumber((feePortion / 100).toFixed(4)),
    };
  const whole = receipt.fee + receipt.net + (receipt.anticipation ?? 0);
  return { value: reais(receipt.fee), tax: percent(receipt.fee, whole) };
}

function statusOf({ state }: Receivable, receipt: ReturnType<typeof receiptOf>): string {
  if (receipt !== null) return 'Recebido';
  if (state === 'canceled') return 'Cancelado';
  return state === 'blocked' ? 'Bloqueado' : 'Previsto';
}

export function writeReceivable(receivable: Receivable): Record<keyof Static<typeof RECEIVABLE>, unknown> {
  const receipt = receiptOf(receivable);
  const fee = writeFee(receivable, receipt);
  const anticipation = receipt?.anticipation ?? NOTHING;
  const paid = (receipt?.fee ?? 0) + (receipt?.net ?? 0) + anticipation;
  return {
    transactionDate: saoPauloText(receivable.soldAt).slice(0, 19),
    terminal: '',
    cardNumber: `${receivable.cardFirstSix}******${receivable.cardLastFour}`,
    cardType: 'Crédito',
    cardName: receivable.brand,
    codAuth: receivable.authorizationCode,
    nsu: receivable.nsu,
    installmentNumber: receivable.installmentNumber,
    installmentsCount: receivable.installmentCount,
    installmentValue: reais(receivable.gross),
    transactionTotalValue: reais(receivable.saleAmount),
    installmentStatus: INSTALLMENT_WORDS[receivable.state],
    discountMdrValue: fee.value,
    discountMdrTax: fee.tax,
    discountAntecipationValue: reais(anticipation),
    discountAntecipationTax: percent(anticipation, paid),
    receivedValue: receipt === null ? reais(NOTHING) : receipt.net === null ? null : reais(receipt.net),
    receivedDateForeast: receivable.expected.on,
    receivedDateForecast: receivable.expected.on,
    receivedDateEffective: receipt?.on ?? null,
    receivedType: receipt === null ? '' : anticipation > 0 ? 'Antecipação' : 'Liquidação',
    receivedStatus: statusOf(receivable, receipt),
    transactionReference: receivable.referenceTransaction,
    transactionPaymentIdWeb: receivable.transactionId,
  };
}

export const CSV_HEAD = csvLine(COLUMNS);

/** A line of a CSV file, with the decimal comma of Brazilian spreadsheets. */
export function writeReceivableLine(receivable: Receivable): string {
  const written = writeReceivable(receivable);
  return csvLine(COLUMNS.map((name) => csvCellOf(written[name])));
}

function csvCellOf(value: unknown): CsvCell {
  return value instanceof ExactNumber ? value.source.replace('.', ',') : (value as CsvCell);
}

export const RECEIVABLE_SAMPLE: Receivable = {
  transactionId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
  installmentNumber: 1,
  installmentCount: 2,
  accountNumber: '1000001',
  referenceTransaction: 'PEDIDO-1001',
  nsu: '1000000042',
  authorizationCode: 'A1B2C3',
  tid: null,
  brand: 'visa',
  cardFirstSix: '411111',
  cardLastFour: '1111',
  soldAt: instant(Date.UTC(2026, 10, 21, 13)),
  saleAmount: cents(12_990),
  gross: cents(6_495),
  canceled: NOTHING,
  state: 'paid',
  feePortion: 249,
  expected: { fee: cents(162), net: cents(6_333), on: '2026-12-21' as Day },
  paidOn: '2026-12-21' as Day,
  reported: { fee: cents(162), net: cents(6_333), bankOn: '2026-12-21' as Day },
  filed: { fee: null, net: null, anticipation: null, bankOn: null },
};

export const OF_RECONCILIATION = {
  api: 'integration',
  scope: 'integration',
  group: 'Reconciliation',
} as const;

const SEARCH_BY_CODE = contract({
  ...OF_RECONCILIATION,
  id: 'searchReceivablesByCode',
  method: 'POST',
  path: '/api/transaction/concil/search-by-code',
  makesNothingUnanswered: true,
  summary: 'Find the installments of a sale',
  description:
    'By the numbers that a notification or a receipt brings: an element for each installment of the sale, with what the acquirer ' +
    'owes for it, when, and what came. An empty list: nothing was sold in this account under both.',
  query: Type.Object({ accountNumber: ACCOUNT }),
  body: named('ReceivableSearchRequest', {
    nsu: Type.String({ minLength: 1, maxLength: 100, description: "The acquirer's number of the sale." }),
    codAuth: Type.String({
      minLength: 1,
      maxLength: 30,
      description: 'The authorization code of the issuer.',
    }),
  }),
  bodyExample: { nsu: '1000000042', codAuth: 'A1B2C3' },
  answers: {
    200: {
      description: 'The installments, in order.',
      schema: Type.Array(RECEIVABLE),
      example: exampleOf([writeReceivable(RECEIVABLE_SAMPLE)]),
    },
  },
});

function readCode(
  { accountNumber }: { readonly accountNumber: string },
  { nsu, codAuth }: { readonly nsu: string; readonly codAuth: string },
): WantedCode {
  return { accountNumber, nsu, authorizationCode: codAuth };
}

const RETRY = { 'retry-after': RETRY_AFTER_SECONDS };

export const RECEIVABLE_ENDPOINTS: readonly Endpoint<FindReceivablesTools>[] = [
  endpoint(SEARCH_BY_CODE, async (tools: FindReceivablesTools, call) => {
    const found = await findReceivables(tools, callerOf(call).merchantId, readCode(call.query, call.body));
    if (found === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    if (typeof found === 'string') return refusalAnswer(RECEIVABLE_REFUSALS[found], call.language, RETRY);
    return { status: 200, body: found.map(writeReceivable) };
  }),
];
