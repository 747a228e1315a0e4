import type { ListedCharge } from '../../acquirers/listed-charge.ts';
import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { BILLING_STATES } from '../../recurrence/billings/billing.ts';
import type { RecordedSplit } from '../../transactions/split.ts';
import { ORIGINS, TRANSACTION_STATES } from '../../transactions/transaction.ts';
import { isUuid } from '../../values/ids.ts';
import { type Books, type KnownTransaction, RESTORED_DECISIONS } from './restored-charge.ts';

const CHARGES = inputRows<ListedCharge>({
  merchant_id: ['text', ({ merchantId }) => merchantId],
  transaction_id: ['uuid', ({ reference }) => reference],
  billing_id: [
    'uuid',
    ({ merchantReference }) => (isUuid(merchantReference ?? '') ? merchantReference : null),
  ],
});

const BOOKS = rowCodec({
  merchantId: column.text('i.merchant_id'),
  transactionId: column.text('i.transaction_id'),
  accounts: column.nullable(column.listOf(column.text('m.accounts'))),
  decision: column.nullable(column.oneOf(RESTORED_DECISIONS, 'r.decision')),
});

const TRANSACTION = rowCodec<KnownTransaction>({
  state: column.oneOf(TRANSACTION_STATES, 't.state'),
  origin: column.oneOf(ORIGINS, 't.origin'),
  fence: column.whole('t.fence'),
  amount: column.money('t.amount'),
  installmentCount: column.whole('t.installment_count'),
  split: column.nullable(column.parsedBy(readSplit, 't.split')),
  cancelIds: column.listOf(column.text("coalesce(c.cancel_ids, '{}')")),
  captureIds: column.listOf(column.text("coalesce(p.capture_ids, '{}')")),
});

const BILLING = rowCodec({
  billingId: column.text('b.billing_id'),
  billingState: column.oneOf(BILLING_STATES, 'b.state'),
  billingAmount: column.money('b.amount'),
  isCharging: column.boolean('b.is_charging'),
});

const FIND = statement(
  'restored_charges.find_books',
  `select ${BOOKS.columns}, ${TRANSACTION.columns}, ${BILLING.columns}
   from ${CHARGES.sql}
   left join lateral (
     select array(select a.account_number from accounts a where a.merchant_id = s.merchant_id order by a.position)
       as accounts
     from merchants s where s.merchant_id = i.merchant_id limit 1
   ) m on true
   left join lateral (
     select o.state, o.origin, o.fence, o.amount, o.installment_count, o.split from transactions o
     where o.merchant_id = i.merchant_id and o.transaction_id = i.transaction_id limit 1
   ) t on true
   left join lateral (
     select array_agg(o.cancel_id::text) as cancel_ids from cancels o
     where o.merchant_id = i.merchant_id and o.transaction_id = i.transaction_id
   ) c on true
   left join lateral (
     select array_agg(o.capture_id::text) as capture_ids from captures o
     where o.merchant_id = i.merchant_id and o.transaction_id = i.transaction_id
   ) p on true
   left join lateral (
     select o.billing_id, o.state, o.amount, o.transaction_id is not null as is_charging from billings o
     where o.merchant_id = i.merchant_id and o.billing_id = i.billing_id limit 1
   ) b on true
   left join lateral (
     select o.decision from restored_charges o
     where o.merchant_id = i.merchant_id and o.transaction_id = i.transaction_id limit 1
   ) r on true`,
);

/** By `bookKey`. References are UUIDs. */
export async function findBooks(
  database: Database,
  charges: readonly ListedCharge[],
): Promise<ReadonlyMap<string, Books>> {
  const rows = await database.query(FIND, CHARGES.values(charges));
  return new Map(rows.map(parseBooks));
}

export async function findBooksOf(database: Database, charge: ListedCharge): Promise<Books> {
  const books = (await findBooks(database, [charge])).get(bookKey(charge));
  if (books === undefined) throw new Error(`the books gave no answer on the charge ${charge.reference}`);
  return books;
}

export function bookKey({ merchantId, reference }: Pick<ListedCharge, 'merchantId' | 'reference'>): string {
  return `${merchantId}|${reference.toLowerCase()}`;
}

function parseBooks(row: Row): [string, Books] {
  const { merchantId, transactionId, accounts, decision } = BOOKS.parse(row);
  const transaction = row.state === null ? null : TRANSACTION.parse(row);
  return [
    bookKey({ merchantId, reference: transactionId }),
    { accounts, transaction, billing: row.billing_id === null ? null : parseBilling(row), decision },
  ];
}

function parseBilling(row: Row): NonNullable<Books['billing']> {
  const { billingId, billingState, billingAmount, isCharging } = BILLING.parse(row);
  return { billingId, state: billingState, amount: billingAmount, isCharging };
}

function readSplit(value: unknown): RecordedSplit | undefined {
  return typeof value === 'object' ? (value as RecordedSplit) : undefined;
}
