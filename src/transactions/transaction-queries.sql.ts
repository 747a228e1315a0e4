import { readReasons } from '../antifraud/anti-fraud.ts';
import { type Database, type Reader, type Row, statement } from '../platform/postgres/database.ts';
import { inputRows } from '../platform/postgres/input-rows.ts';
import type { CardBrand } from '../values/card-number.ts';
import { type Cents, MOST_INSTALLMENTS } from '../values/cents.ts';
import type { Instant } from '../values/instant.ts';
import type { ListedCancel, TransactionWithCancels } from './cancels/cancel.ts';
import { beneficiariesOfPage, type RecordedSplit, type Share } from './split.ts';
import type { Installment, Origin, Preauthorization, Transaction, TransactionState } from './transaction.ts';

export type TransactionKey = { readonly merchantId: string; readonly transactionId: string };

const KEYS = inputRows<TransactionKey>({
  merchant_id: ['text', (key) => key.merchantId],
  transaction_id: ['uuid', (key) => key.transactionId],
});

const FIND_STATES = statement(
  'transactions.find_states',
  `select t.transaction_id, t.state, t.fence
   from ${KEYS.sql}
   join transactions t on t.merchant_id = i.merchant_id and t.transaction_id = i.transaction_id`,
);

/** Rows with transaction_id, state and fence; none for what is not there. */
export function findStates(database: Database, keys: readonly TransactionKey[]): Promise<Row[]> {
  return database.query(FIND_STATES, KEYS.values(keys));
}

/** Its intent was taken back: resolving raises the fence before it voids anything. */
export const NEVER_SENT = `t.state = 'voided' and t.fence = 0 and starts_with(t.unknown_reason, 'not sent')`;

/** Of a transaction `t` with its `INSTALLMENTS`, and what a pre-authorized one has beside. */
export const OWN_COLUMNS = `t.transaction_id, t.state, t.amount, t.origin, t.canceled_amount, t.reference_transaction, t.sold_at,
     t.authorization_code, t.nsu, coalesce(t.approved_at, t.decided_at) as approved_at, t.card_brand,
     t.card_first_six, t.card_last_four, t.response_code, t.advice_code, ${NEVER_SENT} as was_never_sent, t.anti_fraud_verdict, t.anti_fraud_reasons, t.split, i.numbers, i.amounts, i.canceled_amounts, i.states,
     p.authorized_amount, p.authorized_at, p.capture_until, p.released_at`;

export const INSTALLMENTS = `lateral (
     select array_agg(installment_number order by installment_number) as numbers,
       array_agg(amount order by installment_number) as amounts,
       array_agg(canceled_amount order by installment_number) as canceled_amounts,
       array_agg(state order by installment_number) as states
     from installments where merchant_id = t.merchant_id and transaction_id = t.transaction_id
   ) i left join lateral (
     select authorized_amount, authorized_at, capture_until, released_at from preauthorizations
     where merchant_id = t.merchant_id and transaction_id = t.transaction_id limit 1
   ) p on true`;

/** `beneficiariesOfPage` by the number of installments, as a list of PostgreSQL. */
const BENEFICIARIES_OF_PAGE = `{${Array.from({ length: MOST_INSTALLMENTS }, (_, at) => beneficiariesOfPage(at + 1))}}`;

const WHOLE = `${OWN_COLUMNS},
     s.share_numbers, s.positions, s.beneficiaries, s.share_amounts, s.share_canceled_amounts`;

const OF_WHOLE = `transactions t, ${INSTALLMENTS}, lateral (
     select array_agg(installment_number order by installment_number, position) as share_numbers,
       array_agg(position order by installment_number, position) as positions,
       array_agg(beneficiary order by installment_number, position) as beneficiaries,
       array_agg(amount order by installment_number, position) as share_amounts,
       array_agg(canceled_amount order by installment_number, position) as share_canceled_amounts
     from shares where merchant_id = t.merchant_id and transaction_id = t.transaction_id
       and position > ($3::integer - 1) * ($4::integer[])[t.installment_count]
       and position <= $3::integer * ($4::integer[])[t.installment_count]
   ) s`;

const FIND = statement(
  'transactions.find',
  `select ${WHOLE} from ${OF_WHOLE} where t.merchant_id = $1 and t.transaction_id = $2`,
);

/** With its installments and a page of its shares, or null. */
export async function findTransaction(
  database: Reader,
  merchantId: string,
  transactionId: string,
  splitPage = 1,
): Promise<Transaction | null> {
  const [row] = await database.query(FIND, [merchantId, transactionId, splitPage, BENEFICIARIES_OF_PAGE]);
  return row === undefined ? null : parseTransaction(row);
}

/** Cents come as numbers of JSON, moments as milliseconds. What was never sent was no cancel. */
const FIND_WITH_CANCELS = statement(
  'transactions.find_with_cancels',
  `select ${WHOLE}, c.cancels, (
     select amount from captures where merchant_id = t.merchant_id and transaction_id = t.transaction_id
       and state <> 'refused' and state = 'capturing' limit 1
   ) as capturing_amount from ${OF_WHOLE}, lateral (
     select json_agg(json_build_object('cancelId', cancel_id, 'amount', amount, 'state', state,
       'requestedAt', floor(extract(epoch from requested_at) * 1000)::bigint,
       'decidedAt', floor(extract(epoch from coalesce(canceled_at, decided_at)) * 1000)::bigint)
         order by requested_at, cancel_id) as cancels
     from (
       select * from cancels where merchant_id = t.merchant_id and transaction_id = t.transaction_id
         and refusal_reason is distinct from 'notSent'
       order by requested_at desc, cancel_id desc limit $5
     ) newest
   ) c
   where t.merchant_id = $1 and t.transaction_id = $2`,
);

const MOST_CANCELS = 100;

/** The same with its newest hundred cancels, oldest first, and the capture under way, of one moment. */
export async function findTransactionWithCancels(
  database: Reader,
  merchantId: string,
  transactionId: string,
  splitPage: number,
): Promise<TransactionWithCancels | null> {
  const values = [merchantId, transactionId, splitPage, BENEFICIARIES_OF_PAGE, MOST_CANCELS];
  const [row] = await database.query(FIND_WITH_CANCELS, values);
  if (row === undefined) return null;
  return {
    ...parseTransaction(row),
    cancels: (row.cancels ?? []) as ListedCancel[],
    capturingAmount: row.capturing_amount as Cents | null,
  };
}

function parseTransaction(row: Row): Transaction {
  return { ...parseOwn(row), shares: parseShares(row) };
}

/** What `OWN_COLUMNS` and `INSTALLMENTS` give. */
export function parseOwn(row: Row): Omit<Transaction, 'shares'> {
  return {
    transactionId: row.transaction_id as string,
    state: row.state as TransactionState,
    wasNeverSent: row.was_never_sent === true,
    amount: row.amount as Cents,
    referenceTransaction: row.reference_transaction as string | null,
    soldAt: row.sold_at as Instant,
    authorizationCode: row.authorization_code as string | null,
    nsu: row.nsu as string | null,
    approvedAt: row.state === 'approved' ? (row.approved_at as Instant) : null,
    origin: row.origin as Origin,
    brand: row.card_brand as CardBrand,
    cardFirstSix: row.card_first_six as string,
    cardLastFour: row.card_last_four as string,
    responseCode: row.response_code as string | null,
    adviceCode: row.advice_code as string | null,
    installments: parseInstallments(row),
    preauthorization: parsePreauthorization(row),
    heldAmount: row.canceled_amount as Cents,
    verdict: row.anti_fraud_verdict as Transaction['verdict'],
    verdictReasons: readReasons((row.anti_fraud_reasons ?? '') as string),
    split: row.split as RecordedSplit | null,
  };
}

function parsePreauthorization(row: Row): Preauthorization | null {
  if (row.authorized_amount === null) return null;
  return {
    authorizedAmount: row.authorized_amount as Cents,
    authorizedAt: row.authorized_at as Instant,
    captureUntil: row.capture_until as Instant,
    releasedAt: row.released_at as Instant | null,
  };
}

function parseInstallments(row: Row): Installment[] {
  const amounts = (row.amounts ?? []) as Cents[];
  const canceledAmounts = (row.canceled_amounts ?? []) as Cents[];
  const states = (row.states ?? []) as Installment['state'][];
  return ((row.numbers ?? []) as number[]).map((number, index) => ({
    number,
    amount: amounts[index] as Cents,
    canceledAmount: canceledAmounts[index] as Cents,
    state: states[index] as Installment['state'],
  }));
}

function parseShares(row: Row): Share[] {
  const positions = (row.positions ?? []) as number[];
  const beneficiaries = (row.beneficiaries ?? []) as string[];
  const amounts = (row.share_amounts ?? []) as Cents[];
  const canceledAmounts = (row.share_canceled_amounts ?? []) as Cents[];
  return ((row.share_numbers ?? []) as number[]).map((installmentNumber, index) => ({
    installmentNumber,
    position: positions[index] as number,
    beneficiary: beneficiaries[index] as string,
    amount: amounts[index] as Cents,
    canceledAmount: canceledAmounts[index] as Cents,
  }));
}
