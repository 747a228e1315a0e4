import { readReasons } from '../antifraud/anti-fraud.ts';
import { type Reader, type Row, statement } from '../platform/postgres/database.ts';
import { inputRows } from '../platform/postgres/input-rows.ts';
import { column, firstOf, listsCodec, type RowOf, rowCodec } from '../platform/postgres/row-codec.ts';
import { readAuthenticationSummary } from '../providers/acquirers/authentication.ts';
import { CARD_BRANDS } from '../values/card-number.ts';
import { MOST_INSTALLMENTS } from '../values/cents.ts';
import type { Instant } from '../values/instant.ts';
import { CANCEL_STATES, type ListedCancel, type TransactionWithCancels } from './cancels/cancel.ts';
import { beneficiariesOfPage, readSplit, type Share } from './split.ts';
import {
  type Attempt,
  INSTALLMENT_STATES,
  type Installment,
  ORIGINS,
  type Preauthorization,
  TRANSACTION_STATES,
  type Transaction,
} from './transaction.ts';

/**
 * The indexes of searches hold decided transactions only, so that a sale is written to them once. Those under
 * way stand in the index transactions_under_way. A search reads both, each branch by its own index.
 */
export const DECIDED = 'due_at is null';
export const UNDER_WAY = 'due_at is not null';

export type TransactionKey = { readonly merchantId: string; readonly transactionId: string };

const KEYS = inputRows<TransactionKey>({
  merchant_id: ['text', (key) => key.merchantId],
  transaction_id: ['uuid', (key) => key.transactionId],
});

const STATE = rowCodec(
  { transactionId: column.text(), state: column.oneOf(TRANSACTION_STATES), fence: column.whole() },
  't',
);

const FIND_STATES = statement(
  'transactions.find_states',
  `select ${STATE.columns}
   from ${KEYS.sql}
   join transactions t on t.merchant_id = i.merchant_id and t.transaction_id = i.transaction_id`,
);

/** Leaves out transactions that do not exist. Without keys no query is made. */
export async function findStates(
  database: Reader,
  keys: readonly TransactionKey[],
): Promise<RowOf<typeof STATE>[]> {
  return keys.length === 0 ? [] : (await database.query(FIND_STATES, KEYS.values(keys))).map(STATE.parse);
}

/**
 * The intent was taken back. Fence 0 says that nobody has resolved the charge: resolving raises the fence
 * before it voids anything.
 */
export const NEVER_SENT = `t.state = 'voided' and t.fence = 0 and starts_with(t.unknown_reason, 'not sent')`;

const OWN = rowCodec<Omit<Transaction, 'shares' | 'installments' | 'preauthorization'>>(
  {
    transactionId: column.text(),
    acquirer: column.text(),
    state: column.oneOf(TRANSACTION_STATES),
    amount: column.money(),
    origin: column.oneOf(ORIGINS),
    heldAmount: column.money('t.canceled_amount'),
    referenceTransaction: column.nullable(column.text()),
    soldAt: column.instant(),
    authorizationCode: column.nullable(column.text()),
    nsu: column.nullable(column.text()),
    approvedAt: column.nullable(
      column.instant(`case when t.state = 'approved' then coalesce(t.approved_at, t.decided_at) end`),
    ),
    brand: column.oneOf(CARD_BRANDS, 't.card_brand'),
    cardFirstSix: column.text(),
    cardLastFour: column.text(),
    responseCode: column.nullable(column.text()),
    adviceCode: column.nullable(column.text()),
    wasNeverSent: column.boolean(`coalesce(${NEVER_SENT}, false)`),
    verdict: column.nullable(column.oneOf(['accept', 'review'], 't.anti_fraud_verdict')),
    verdictReasons: column.parsedBy(
      (kept) => (typeof kept === 'string' ? readReasons(kept) : undefined),
      `coalesce(t.anti_fraud_reasons, '')`,
    ),
    authentication: column.nullable(
      column.parsedBy(readAuthenticationSummary, `t.eci || ' ' || t.three_d_secure_version`),
    ),
    split: column.nullable(column.parsedBy(readSplit)),
  },
  't',
);

const PARTS = listsCodec<Installment>(
  {
    number: column.whole(),
    amount: column.money(),
    canceledAmount: column.money(),
    state: column.oneOf(INSTALLMENT_STATES),
  },
  'part',
  'i',
);

const PREAUTHORIZATION = rowCodec<Preauthorization>(
  {
    authorizedAmount: column.money(),
    authorizedAt: column.instant(),
    captureUntil: column.instant(),
    releasedAt: column.nullable(column.instant()),
  },
  'p',
);

export const OWN_COLUMNS = `${OWN.columns}, ${PARTS.columns}, ${PREAUTHORIZATION.columns}`;

export const INSTALLMENTS = `lateral (
     select array_agg(installment_number order by installment_number) as part_number,
       array_agg(amount order by installment_number) as part_amount,
       array_agg(canceled_amount order by installment_number) as part_canceled_amount,
       array_agg(state order by installment_number) as part_state
     from installments where merchant_id = t.merchant_id and transaction_id = t.transaction_id
   ) i left join lateral (
     select authorized_amount, authorized_at, capture_until, released_at from preauthorizations
     where merchant_id = t.merchant_id and transaction_id = t.transaction_id limit 1
   ) p on true`;

/** `beneficiariesOfPage` by number of installments, as a PostgreSQL array. */
const BENEFICIARIES_OF_PAGE = `{${Array.from({ length: MOST_INSTALLMENTS }, (_, at) => beneficiariesOfPage(at + 1))}}`;

const SHARES = listsCodec<Share>(
  {
    installmentNumber: column.whole(),
    position: column.whole(),
    beneficiary: column.text(),
    amount: column.money(),
    canceledAmount: column.money(),
  },
  'share',
  's',
);

const WHOLE = `${OWN_COLUMNS}, ${SHARES.columns}`;

const OF_WHOLE = `transactions t, ${INSTALLMENTS}, lateral (
     select array_agg(installment_number order by installment_number, position) as share_installment_number,
       array_agg(position order by installment_number, position) as share_position,
       array_agg(beneficiary order by installment_number, position) as share_beneficiary,
       array_agg(amount order by installment_number, position) as share_amount,
       array_agg(canceled_amount order by installment_number, position) as share_canceled_amount
     from shares where merchant_id = t.merchant_id and transaction_id = t.transaction_id
       and position > ($3::integer - 1) * ($4::integer[])[t.installment_count]
       and position <= $3::integer * ($4::integer[])[t.installment_count]
   ) s`;

const FIND = statement(
  'transactions.find',
  `select ${WHOLE} from ${OF_WHOLE} where t.merchant_id = $1 and t.transaction_id = $2`,
);

export async function findTransaction(
  database: Reader,
  merchantId: string,
  transactionId: string,
  splitPage = 1,
): Promise<Transaction | null> {
  const [row] = await database.query(FIND, [merchantId, transactionId, splitPage, BENEFICIARIES_OF_PAGE]);
  return row === undefined ? null : parseTransaction(row);
}

const CANCEL = rowCodec<ListedCancel>({
  cancelId: column.text(),
  amount: column.money(),
  state: column.oneOf(CANCEL_STATES),
  requestedAt: column.instant(),
  decidedAt: column.nullable(column.instant()),
});

const CAPTURING_AMOUNT = `(
     select amount from captures where merchant_id = t.merchant_id and transaction_id = t.transaction_id
       and state <> 'refused' and state = 'capturing' limit 1
   )`;

const ATTEMPT = rowCodec<Attempt>({
  transactionId: column.text(),
  acquirer: column.text(),
  notSentReason: column.nullable(column.text()),
});

const ATTEMPTS = `lateral (
     select case when count(f.next_attempt_id) > 0 then json_agg(json_build_object('transaction_id', a.transaction_id,
       'acquirer', a.acquirer,
       'not_sent_reason', case when a.state = 'voided' and a.fence = 0 and starts_with(a.unknown_reason, 'not sent')
         then a.unknown_reason end) order by a.transaction_id = f.next_attempt_id) end as attempts
     from transactions f cross join unnest(array[f.transaction_id, f.next_attempt_id]) i (id) cross join lateral (
       select * from transactions where merchant_id = f.merchant_id and transaction_id = i.id limit 1
     ) a
     where f.merchant_id = t.merchant_id
       and f.transaction_id = coalesce((
         select p.transaction_id from transactions p
         where p.merchant_id = t.merchant_id and p.next_attempt_id = t.transaction_id
       ), t.transaction_id)
   ) a`;

const BESIDE = rowCodec({
  cancels: column.nullable(
    column.listOf(column.parsedBy((cancel) => CANCEL.parse(cancel as Row), 'c.cancels')),
  ),
  capturingAmount: column.nullable(column.money(CAPTURING_AMOUNT)),
  attempts: column.nullable(
    column.listOf(column.parsedBy((attempt) => ATTEMPT.parse(attempt as Row), 'a.attempts')),
  ),
});

/** In the JSON cents are numbers and moments are milliseconds. Cancels that were never sent are left out. */
const FIND_WITH_CANCELS = statement(
  'transactions.find_with_cancels',
  `select ${WHOLE}, ${BESIDE.columns} from ${OF_WHOLE}, lateral (
     select json_agg(json_build_object('cancel_id', cancel_id, 'amount', amount, 'state', state,
       'requested_at', floor(extract(epoch from requested_at) * 1000)::bigint,
       'decided_at', floor(extract(epoch from coalesce(canceled_at, decided_at)) * 1000)::bigint)
         order by requested_at, cancel_id) as cancels
     from (
       select * from cancels where merchant_id = t.merchant_id and transaction_id = t.transaction_id
         and refusal_reason is distinct from 'notSent'
       order by requested_at desc, cancel_id desc limit $5
     ) newest
   ) c, ${ATTEMPTS}
   where t.merchant_id = $1 and t.transaction_id = $2`,
);

const MOST_CANCELS = 100;

/**
 * Adds the newest hundred cancels, oldest first, the capture under way and the attempts, all of one snapshot.
 */
export async function findTransactionWithCancels(
  database: Reader,
  merchantId: string,
  transactionId: string,
  splitPage: number,
): Promise<TransactionWithCancels | null> {
  const values = [merchantId, transactionId, splitPage, BENEFICIARIES_OF_PAGE, MOST_CANCELS];
  const [row] = await database.query(FIND_WITH_CANCELS, values);
  if (row === undefined) return null;
  const { cancels, capturingAmount, attempts } = BESIDE.parse(row);
  return { ...parseTransaction(row), cancels: cancels ?? [], capturingAmount, attempts: attempts ?? [] };
}

function parseTransaction(row: Row): Transaction {
  return { ...parseOwn(row), shares: SHARES.parse(row) };
}

export function parseOwn(row: Row): Omit<Transaction, 'shares'> {
  return {
    ...OWN.parse(row),
    installments: PARTS.parse(row),
    preauthorization: row.authorized_amount === null ? null : PREAUTHORIZATION.parse(row),
  };
}

const ID = rowCodec({ transactionId: column.text('t.transaction_id') });
const MADE = rowCodec({ createdAt: column.instant() });

const OF_REFERENCE =
  'select transaction_id, sold_at from transactions where merchant_id = $1 and reference_transaction = $2';
const NEWEST = 'order by sold_at desc, transaction_id desc limit $3';

const FIND_IDS = statement(
  'transactions.find_ids_of_reference',
  `select ${ID.columns} from (
     (${OF_REFERENCE} and ${DECIDED} ${NEWEST}) union all (${OF_REFERENCE} and ${UNDER_WAY} ${NEWEST})
   ) t ${NEWEST}`,
);

const FIND_MADE_AT = statement(
  'transactions.find_made_at',
  `select ${MADE.columns} from transactions where merchant_id = $1 and transaction_id = $2
   union all
   select ${MADE.columns} from cancels where merchant_id = $1 and cancel_id = $2
   limit 1`,
);

/** When a transaction or a cancel was written, in real time; null if there is none. */
export async function findMadeAt(database: Reader, merchantId: string, id: string): Promise<Instant | null> {
  return firstOf(await database.query(FIND_MADE_AT, [merchantId, id]), MADE.parse)?.createdAt ?? null;
}

export async function findIdsOfReference(
  database: Reader,
  merchantId: string,
  reference: string,
  limit: number,
): Promise<string[]> {
  const rows = await database.query(FIND_IDS, [merchantId, reference, limit]);
  return rows.map((row) => ID.parse(row).transactionId);
}
