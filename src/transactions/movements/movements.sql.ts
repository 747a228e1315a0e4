import { type Database, type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import { column, listsCodec, onlyOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import { MOST_SHARES_SHOWN, readSplit } from '../split.ts';
import { INSTALLMENT_MOVEMENTS, INSTALLMENT_STATES } from '../transaction.ts';
import {
  BOLETO_MOVEMENT_STATES,
  type ListedMovement,
  type ListedShare,
  type MovementSubject,
  PIX_MOVEMENT_STATES,
  type TransactionMovement,
} from './movement.ts';

const LAST = rowCodec({ last: column.whole('case when is_called then last_value else 0 end') });

/** The sequence gives one number at a time and caches none for a session, so no lower number comes later. */
export const READ_LAST_NUMBER = statement(
  'movements.read_last_number',
  `select ${LAST.columns} from movement_ids`,
);

/** The highest number given to any writer; 0 if none was. */
export async function readLastNumber(database: Database): Promise<number> {
  return onlyOf(await database.query(READ_LAST_NUMBER, []), LAST.parse).last;
}

const SKIP = statement(
  'movements.skip_numbers',
  `select max(nextval('movement_ids')) as last from generate_series(1, $1::integer)`,
);

/** More numbers than are given in the hours that a restore loses. */
const SKIPPED = 1_000_000;
/** Numbers that one statement skips: a busy server too must end it within the statement timeout. */
const SKIPPED_AT_ONCE = 10_000;

/**
 * After a restore the sequence is back at the backup. Merchants who read on from the last number that they
 * saw would miss movements with lower numbers.
 */
export async function skipMovementIds(database: Database): Promise<void> {
  for (let skipped = 0; skipped < SKIPPED; skipped += SKIPPED_AT_ONCE)
    await database.query(SKIP, [SKIPPED_AT_ONCE]);
}

const WRITER = rowCodec({ writer: column.text('virtualtransaction') });

/**
 * Each writer holds this lock from before its first number until its commit is visible or has failed; nothing
 * else holds it, so another program's long transaction delays no reader here. Transaction ids of the rows
 * would not do: of two writers the one that began first may take the higher number.
 */
const FIND_WRITERS = statement(
  'movements.find_writers',
  `select ${WRITER.columns} from pg_locks
   where locktype = 'relation' and database = (select oid from pg_database where datname = current_database())
     and relation = 'movements'::regclass and mode = 'RowExclusiveLock' and granted`,
);

/** The open transactions that may have taken numbers. */
export async function findWriters(database: Database): Promise<Set<string>> {
  const rows = await database.query(FIND_WRITERS, []);
  return new Set(rows.map((row) => WRITER.parse(row).writer));
}

const LISTED = rowCodec<Omit<ListedMovement, 'subject' | 'shares'>>(
  {
    movementId: column.whole(),
    accountNumber: column.text(),
    referenceTransaction: column.nullable(column.text()),
    nsu: column.text(),
    authorizationCode: column.text(),
    installmentNumber: column.whole(),
    moment: column.instant(),
    type: column.text(),
    amount: column.money('coalesce(i.amount, m.billed)'),
  },
  'm',
);

const OF_PAYMENT = rowCodec(
  {
    transactionId: column.text(),
    oldState: column.nullable(column.oneOf(INSTALLMENT_STATES)),
    newState: column.oneOf(INSTALLMENT_STATES),
  },
  'm',
);
const OF_BOLETO = rowCodec({
  boletoId: column.text(),
  oldState: column.nullable(column.oneOf(BOLETO_MOVEMENT_STATES)),
  newState: column.oneOf(BOLETO_MOVEMENT_STATES),
});
const OF_PIX = rowCodec({
  pixId: column.text(),
  requestedAt: column.instant(),
  oldState: column.nullable(column.oneOf(PIX_MOVEMENT_STATES)),
  newState: column.oneOf(PIX_MOVEMENT_STATES),
});
const SALE = rowCodec(
  {
    sold: column.money(),
    soldAt: column.instant(),
    installmentCount: column.whole(),
    brand: column.oneOf(CARD_BRANDS, 'm.card_brand'),
    split: column.nullable(column.parsedBy(readSplit)),
  },
  'm',
);
const SHARES = listsCodec<ListedShare>(
  { beneficiary: column.text(), amount: column.money(), canceledAmount: column.money() },
  'share',
  's',
);

/** Returns fewer movements than requested if these have more shares together than one answer may show. */
const LIST = statement(
  'movements.list',
  `select ${LISTED.columns}, ${OF_PAYMENT.columns}, m.boleto_id, m.pix_id, m.requested_at, ${SALE.columns}, ${SHARES.columns}
   from (
     select m.*, coalesce(t.reference_transaction, b.reference_transaction, p.reference_transaction) as reference_transaction,
       t.amount as sold, t.sold_at, t.installment_count, t.card_brand, t.split, coalesce(b.amount, p.amount) as billed, p.requested_at,
       sum(coalesce(jsonb_array_length(t.split -> 'entries'), 0))
         over (order by m.movement_id) as shares_so_far
     from (
       select * from movements
       where merchant_id = $1 and account_number = $2 and movement_id > $3 and movement_id <= $4
       order by movement_id limit $5
     ) m left join lateral (
       select * from transactions where merchant_id = m.merchant_id and transaction_id = m.transaction_id limit 1
     ) t on true left join lateral (
       select amount, reference_transaction from boletos
       where merchant_id = m.merchant_id and boleto_id = m.boleto_id limit 1
     ) b on true left join lateral (
       select amount, reference_transaction, requested_at from pix_charges
       where merchant_id = m.merchant_id and pix_id = m.pix_id limit 1
     ) p on true
   ) m left join lateral (
     select amount from installments
     where merchant_id = m.merchant_id and transaction_id = m.transaction_id
       and installment_number = m.installment_number limit 1
   ) i on true cross join lateral (
     select array_agg(beneficiary order by position) as share_beneficiary,
       array_agg(amount order by position) as share_amount,
       array_agg(canceled_amount order by position) as share_canceled_amount
     from shares
     where merchant_id = m.merchant_id and transaction_id = m.transaction_id
       and installment_number = m.installment_number
   ) s
   where m.shares_so_far <= $6::integer
   order by m.movement_id`,
);

export async function listAccountMovements(
  database: Reader,
  merchantId: string,
  wanted: {
    readonly accountNumber: string;
    readonly after: number;
    readonly upTo: number;
    readonly limit: number;
  },
): Promise<ListedMovement[]> {
  const { accountNumber, after, upTo, limit } = wanted;
  const rows = await database.query(LIST, [merchantId, accountNumber, after, upTo, limit, MOST_SHARES_SHOWN]);
  return rows.map((row) => ({
    ...LISTED.parse(row),
    subject: parseSubject(row),
    shares: SHARES.parse(row),
  }));
}

function parseSubject(row: Row): MovementSubject {
  if (row.boleto_id !== null) return { kind: 'boleto', ...OF_BOLETO.parse(row) };
  if (row.pix_id !== null) return { kind: 'pix', ...OF_PIX.parse(row) };
  const { sold: amount, ...sale } = SALE.parse(row);
  return { kind: 'payment', ...OF_PAYMENT.parse(row), sale: { amount, ...sale } };
}

const MOVEMENT = rowCodec<TransactionMovement>({
  movementId: column.whole(),
  installmentNumber: column.whole(),
  moment: column.instant(),
  type: column.oneOf(INSTALLMENT_MOVEMENTS),
  oldState: column.nullable(column.oneOf(INSTALLMENT_STATES)),
  newState: column.oneOf(INSTALLMENT_STATES),
});

const LIST_OF_PAYMENT = statement(
  'movements.list_of_payment',
  `select ${MOVEMENT.columns} from movements
   where merchant_id = $1 and transaction_id = $2
   order by movement_id limit $3`,
);

export async function listTransactionMovements(
  database: Reader,
  merchantId: string,
  transactionId: string,
  limit: number,
): Promise<TransactionMovement[]> {
  return (await database.query(LIST_OF_PAYMENT, [merchantId, transactionId, limit])).map(MOVEMENT.parse);
}
