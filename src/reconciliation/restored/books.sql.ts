import { findSeals } from '../../audit/audit-entries.sql.ts';
import type { ShippedLine } from '../../audit/shipped-line.ts';
import { type Database, type Row, statement, type Tx } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, firstOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { ListedCharge } from '../../providers/acquirers/listed-charge.ts';
import { BILLING_STATES } from '../../recurrence/billings/billing.ts';
import type { RecordedSplit } from '../../transactions/split.ts';
import { ORIGINS, TRANSACTION_STATES } from '../../transactions/transaction.ts';
import { isUuid } from '../../values/ids.ts';
import type { Instant } from '../../values/instant.ts';
import type { PresentState, RedoableChange } from './lost-change.ts';
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
  isChargingThis: column.boolean('b.is_charging_this'),
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
     select o.billing_id, o.state, o.amount, o.transaction_id is not null as is_charging,
       coalesce(o.transaction_id = i.transaction_id, false) as is_charging_this from billings o
     where o.merchant_id = i.merchant_id and o.billing_id = i.billing_id limit 1
   ) b on true
   left join lateral (
     select o.decision from restored_charges o
     where o.merchant_id = i.merchant_id and o.transaction_id = i.transaction_id limit 1
   ) r on true`,
);

/** Keyed by `bookKey`. References must be UUIDs. */
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
  const { billingId, billingState, billingAmount, isCharging, isChargingThis } = BILLING.parse(row);
  return { billingId, state: billingState, amount: billingAmount, isCharging, isChargingThis };
}

function readSplit(value: unknown): RecordedSplit | undefined {
  return typeof value === 'object' ? (value as RecordedSplit) : undefined;
}

const STATE = rowCodec({ state: column.nullable(column.text()) });

const FIND_STATE = statement(
  'restored.find_state',
  `select case $1
     when 'subscription' then (select state from subscriptions where merchant_id = $2 and subscription_id = $3::uuid)
     when 'card' then (select vault_id::text from subscriptions where merchant_id = $2 and subscription_id = $3::uuid)
     when 'plan' then (select state from plans where merchant_id = $2 and plan_id = $3::uuid)
     when 'billing' then (select state from billings where merchant_id = $2 and billing_id = $3::uuid)
     when 'disabled' then (
       select case when disabled_at is null then 'off' else 'on' end from merchants where merchant_id = $2)
     when 'billingsHeld' then (
       select case when billings_held_at is null or is_held_by_restore then 'off' else 'on' end
       from merchants where merchant_id = $2)
   end as state`,
);

export async function findPresentState(database: Database, change: RedoableChange): Promise<PresentState> {
  const { merchantId } = change;
  const values =
    change.kind === 'standing'
      ? [change.standing, merchantId, null]
      : [change.kind, merchantId, change.id.toLowerCase()];
  return firstOf(await database.query(FIND_STATE, values), STATE.parse)?.state ?? null;
}

const LINES_AT_ONCE = 1_000;

const REDONE = rowCodec({ auditSeal: column.bytes() });

const FIND_REDONE = statement(
  'restore_redone.find',
  `select ${REDONE.columns} from restore_redone where audit_seal = any ($1::bytea[])`,
);

export async function findLost(
  database: Database,
  lines: readonly ShippedLine[],
): Promise<{ readonly line: ShippedLine; readonly isRedone: boolean }[]> {
  const found: { line: ShippedLine; isRedone: boolean }[] = [];
  for (let from = 0; from < lines.length; from += LINES_AT_ONCE) {
    const some = lines.slice(from, from + LINES_AT_ONCE);
    const here = await findSeals(
      database,
      some.map(({ entryNumber }) => entryNumber),
    );
    const lost = some.filter(({ entryNumber, seal }) => here.get(entryNumber)?.toString('hex') !== seal);
    const redone = await database.query(FIND_REDONE, [lost.map(({ seal }) => Buffer.from(seal, 'hex'))]);
    const seals = new Set(redone.map((row) => REDONE.parse(row).auditSeal.toString('hex')));
    found.push(...lost.map((line) => ({ line, isRedone: seals.has(line.seal) })));
  }
  return found;
}

const NOTE = statement(
  'restore_redone.note',
  `insert into restore_redone (audit_seal, audit_entry) values ($1, $2)
   on conflict do nothing returning audit_entry`,
);

/** False if it was recorded before. */
export async function noteRedone(tx: Tx, { seal, entryNumber }: ShippedLine): Promise<boolean> {
  return (await tx.query(NOTE, [Buffer.from(seal, 'hex'), entryNumber])).length === 1;
}

const SINCE = rowCodec({ since: column.instant() });

const LAST_SINCE = statement(
  'restore_runs.last_since',
  `select ${SINCE.columns} from restore_runs order by run_number desc limit 1`,
);

export async function findLastSince(database: Database): Promise<Instant | null> {
  return firstOf(await database.query(LAST_SINCE, []), SINCE.parse)?.since ?? null;
}
