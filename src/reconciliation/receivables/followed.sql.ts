import { type Reader, type Row, statement, type Tx } from '../../platform/postgres/database.ts';
import { inputRows, own } from '../../platform/postgres/input-rows.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { RecordedSplit } from '../../transactions/split.ts';
import { INSTALLMENT_STATES } from '../../transactions/transaction.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import { type Day, type Instant, utcText } from '../../values/instant.ts';
import type { FollowedInstallment, FollowedReceivable, FollowedSale } from './receivable.ts';
import { FOLLOWED, parseFollowed, saidMoney } from './receivables.sql.ts';

const BEHIND = rowCodec({ merchantId: column.text() }, 'm');

/** Movements of boletos alone make a merchant behind too: they have numbers, but no transaction to follow. */
const LIST_BEHIND = statement(
  'receivables.list_behind',
  `select ${BEHIND.columns} from merchants m left join receivable_cursors c on c.merchant_id = m.merchant_id
   where exists (
       select from movements v
       where v.merchant_id = m.merchant_id and v.movement_id > coalesce(c.after_number, 0) and v.movement_id <= $1
     ) or exists (
       select from cancels n
       where n.merchant_id = m.merchant_id and n.recorded_number > coalesce(c.after_number, 0) and n.recorded_number <= $1
     )
   order by c.moved_at nulls first limit $2`,
);

/**
 * Merchants with movements up to `upTo` that are not in receivables yet; those not followed for longest
 * first.
 */
export async function listMerchantsBehind(database: Reader, upTo: number, limit: number): Promise<string[]> {
  const rows = await database.query(LIST_BEHIND, [upTo, limit]);
  return rows.map(BEHIND.parse).map(({ merchantId }) => merchantId);
}

const IS_BEHIND = statement(
  'receivables.is_behind',
  `select from (
     select coalesce((select after_number from receivable_cursors where merchant_id = $1), 0) as after_number
   ) c
   where exists (
       select from movements where merchant_id = $1 and movement_id > c.after_number and movement_id <= $2
     ) or exists (
       select from cancels where merchant_id = $1 and recorded_number > c.after_number and recorded_number <= $2
     )`,
);

export async function isBehind(database: Reader, merchantId: string, upTo: number): Promise<boolean> {
  return (await database.query(IS_BEHIND, [merchantId, upTo])).length > 0;
}

const OPEN_CURSOR = statement(
  'receivables.open_cursor',
  'insert into receivable_cursors (merchant_id) values ($1) on conflict do nothing',
);
const CURSOR = rowCodec({ afterNumber: column.whole() });

/** One process at a time follows a merchant. */
const LOCK_CURSOR = statement(
  'receivables.lock_cursor',
  `select ${CURSOR.columns} from receivable_cursors where merchant_id = $1 for no key update skip locked`,
);

/** The number of the last movement that was followed; null: another process follows the merchant. */
export async function lockCursor(tx: Tx, merchantId: string): Promise<number | null> {
  await tx.query(OPEN_CURSOR, [merchantId]);
  return firstOf(await tx.query(LOCK_CURSOR, [merchantId]), CURSOR.parse)?.afterNumber ?? null;
}

const NUMBERED = rowCodec(
  {
    number: column.whole(),
    transactionId: column.nullable(column.text()),
    installmentNumber: column.nullable(column.whole()),
    paidAt: column.nullable(column.instant()),
  },
  'n',
);

/**
 * `paidAt` null: the movement reports no payout. `transactionId` null: it is of a boleto. `installmentNumber`
 * null: it is of a boleto, or a cancel.
 */
export type Numbered = RowOf<typeof NUMBERED>;

/** Cancels are read too, because a partial one makes no movement, but has a number of the same sequence. */
const LIST_NUMBERS = statement(
  'receivables.list_numbers',
  `select ${NUMBERED.columns} from (
     (select movement_id as number, transaction_id, installment_number,
        case when type = 'Pagamento' then moment end as paid_at
      from movements where merchant_id = $1 and movement_id > $2 and movement_id <= $3 order by movement_id limit $4)
     union all
     (select recorded_number, transaction_id, null, null
      from cancels where merchant_id = $1 and recorded_number > $2 and recorded_number <= $3
      order by recorded_number limit $4)
   ) n order by number limit $4`,
);

export async function listNumbers(
  tx: Tx,
  merchantId: string,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  limit: number,
): Promise<Numbered[]> {
  return (await tx.query(LIST_NUMBERS, [merchantId, after, upTo, limit])).map(NUMBERED.parse);
}

const SALE = rowCodec(
  {
    transactionId: column.text(),
    amount: column.money(),
    installmentCount: column.whole(),
    brand: column.oneOf(CARD_BRANDS, 't.card_brand'),
    split: column.parsedBy((value) =>
      typeof value === 'object' ? (value as RecordedSplit | null) : undefined,
    ),
    soldAt: column.instant(),
    countedFrom: column.instant('case when p.transaction_id is null then t.sold_at else t.approved_at end'),
    moments: column.nullable(column.listOf(column.instant('c.moments'))),
    numbers: column.nullable(column.listOf(column.nullable(column.whole('c.numbers')))),
    amounts: column.nullable(column.listOf(column.nullable(column.money('c.amounts')))),
  },
  't',
);

const INSTALLMENT = rowCodec({
  installmentNumber: column.whole('i.installment_number'),
  soldFor: column.money('i.amount'),
  canceledAmount: column.money('i.canceled_amount'),
  stateNow: column.oneOf(INSTALLMENT_STATES, 'i.state'),
  fee: saidMoney('i.fee'),
  net: saidMoney('i.net'),
  bankOn: column.nullable(column.day('i.bank_on')),
});

const READ_INSTALLMENTS = statement(
  'receivables.read_installments',
  `select ${SALE.columns}, ${INSTALLMENT.columns}, ${FOLLOWED.columns}
   from unnest($2::uuid[]) as w (transaction_id), lateral (
     select * from transactions where merchant_id = $1 and transaction_id = w.transaction_id and state = 'approved' limit 1
   ) t left join preauthorizations p on p.merchant_id = t.merchant_id and p.transaction_id = t.transaction_id
   join installments i on i.merchant_id = $1 and i.transaction_id = t.transaction_id
   left join receivables r on r.merchant_id = $1 and r.transaction_id = i.transaction_id
     and r.installment_number = i.installment_number
   left join lateral (
     select array_agg((extract(epoch from g.at) * 1000)::bigint) as moments, array_agg(g.installment_number) as numbers,
       array_agg(g.amount) as amounts
     from (
       select canceled_at as at, null::smallint as installment_number, amount from cancels
       where merchant_id = $1 and transaction_id = t.transaction_id and state = 'canceled' and t.canceled_amount > 0
       union all
       select happened_at, installment_number, amount from acquirer_changes
       where merchant_id = $1 and reference = t.transaction_id::text and event = 'chargeback' and state = 'applied'
         and t.canceled_amount > 0
     ) g
   ) c on true
   order by t.transaction_id, i.installment_number`,
);

export type ReadSale = FollowedSale & { readonly transactionId: string };

/** `paidAt`: when the installments were paid whose payout this batch reports, by `paidKey`. */
export async function readSales(
  tx: Tx,
  merchantId: string,
  transactionIds: readonly string[],
  paidAt: ReadonlyMap<string, Instant>,
): Promise<ReadSale[]> {
  const rows = await tx.query(READ_INSTALLMENTS, [merchantId, transactionIds]);
  const bySale = Map.groupBy(rows, ({ transaction_id }) => transaction_id);
  return [...bySale.values()].map((parts) => {
    const { transactionId, soldAt, countedFrom, ...read } = SALE.parse(parts[0] as Row);
    const { moments, numbers, amounts, ...sale } = read;
    return {
      ...{ transactionId, sale, soldAt, countedFrom },
      givenBack: (moments ?? []).map((at, index) => ({
        at,
        installmentNumber: numbers?.[index] ?? null,
        amount: amounts?.[index] ?? null,
      })),
      installments: parts.map((row) => parseInstallment(transactionId, row, paidAt)),
    };
  });
}

export const paidKey = (transactionId: string, installmentNumber: number): string =>
  `${transactionId} ${installmentNumber}`;

function parseInstallment(
  transactionId: string,
  row: Row,
  paidAt: ReadonlyMap<string, Instant>,
): FollowedInstallment {
  const { installmentNumber, soldFor, canceledAmount, stateNow, ...reported } = INSTALLMENT.parse(row);
  return {
    installmentNumber,
    amount: soldFor,
    canceled: canceledAmount,
    state: stateNow,
    reported,
    paidAt: paidAt.get(paidKey(transactionId, installmentNumber)) ?? null,
    before: row.fee_portion === null ? null : parseFollowed(row),
  };
}

export type Written = FollowedReceivable & {
  readonly transactionId: string;
  readonly countedFrom: Instant;
  readonly soldOn: Day;
};

const INPUT = inputRows<Written>(
  {
    transaction_id: ['uuid', (row) => row.transactionId],
    installment_number: ['smallint', (row) => row.installmentNumber],
    sold_at: ['timestamptz', (row) => utcText(row.countedFrom)],
    ...own({ soldOn: 'date', canceled: 'bigint', state: 'text', feePortion: 'integer' }),
    expected_fee: ['bigint', (row) => row.expected.fee],
    expected_net: ['bigint', (row) => row.expected.net],
    expected_on: ['date', (row) => row.expected.on],
    paid_on: ['date', (row) => row.paidOn],
    reported_fee: ['bigint', (row) => row.reported.fee],
    reported_net: ['bigint', (row) => row.reported.net],
    reported_bank_on: ['date', (row) => row.reported.bankOn],
  },
  { as: 'w', after: 1 },
);

/**
 * Writes rows in the order of their keys, in which file matching locks them too, so that no deadlock occurs.
 */
const WRITE_RECEIVABLES = `insert into receivables as r (merchant_id, transaction_id, installment_number, installment_count, account_number,
     reference_transaction, nsu, authorization_code, tid, brand, card_first_six, card_last_four, sold_at, sold_on,
     sale_amount, gross, canceled, installment_state, fee_portion, expected_fee, expected_net, expected_on, paid_on, reported_fee,
     reported_net, reported_bank_on)
   select $1, t.transaction_id, w.installment_number, t.installment_count, t.account_number, t.reference_transaction, t.nsu,
     t.authorization_code, t.tid, t.card_brand, t.card_first_six, t.card_last_four, w.sold_at, w.sold_on, t.amount,
     p.amount, w.canceled, w.state, w.fee_portion, w.expected_fee, w.expected_net, w.expected_on, w.paid_on,
     w.reported_fee, w.reported_net, w.reported_bank_on
   from ${INPUT.sql}, lateral (
     select * from transactions where merchant_id = $1 and transaction_id = w.transaction_id limit 1
   ) t, lateral (
     select amount from installments
     where merchant_id = $1 and transaction_id = w.transaction_id and installment_number = w.installment_number limit 1
   ) p
   order by t.transaction_id, w.installment_number`;

/** Only one process holds the cursor, so no other writes new receivables, and none conflicts. */
const INSERT = statement('receivables.insert', `${WRITE_RECEIVABLES}`);

const UPDATE = statement(
  'receivables.update',
  `${WRITE_RECEIVABLES}
   on conflict (merchant_id, transaction_id, installment_number) do update set canceled = excluded.canceled,
     installment_state = excluded.installment_state, expected_fee = excluded.expected_fee, expected_net = excluded.expected_net,
     paid_on = excluded.paid_on, reported_fee = excluded.reported_fee, reported_net = excluded.reported_net,
     reported_bank_on = excluded.reported_bank_on`,
);

export async function writeReceivables(tx: Tx, merchantId: string, rows: readonly Written[]): Promise<void> {
  const [fresh = [], known = []] = [true, false].map((isNew) => rows.filter((row) => row.isNew === isNew));
  if (fresh.length > 0) await tx.query(INSERT, [merchantId, ...INPUT.values(fresh)]);
  if (known.length > 0) await tx.query(UPDATE, [merchantId, ...INPUT.values(known)]);
}

/** Has days covered by files, from `$2` on, looked at again. The raised fence voids a look that has begun. */
const LOOK_AGAIN = statement(
  'settlement_coverages.look_again',
  `update settlement_coverages
   set looked_to = greatest(covered_from - 1, least(looked_to, $2::date - 1)), fence = fence + 1
   where merchant_id = $1 and covered_to >= $2::date`,
);

export async function lookAgain(
  tx: Tx,
  merchantId: string,
  rows: readonly FollowedReceivable[],
): Promise<void> {
  const [first] = rows.flatMap(({ isNew, expected }) => (isNew ? [expected.on] : [])).sort();
  if (first !== undefined) await tx.query(LOOK_AGAIN, [merchantId, first]);
}

const MOVE_CURSOR = statement(
  'receivables.move_cursor',
  'update receivable_cursors set after_number = $2, moved_at = now() where merchant_id = $1 and after_number < $2',
);

export async function moveCursor(tx: Tx, merchantId: string, after: number): Promise<void> {
  await tx.query(MOVE_CURSOR, [merchantId, after]);
}
