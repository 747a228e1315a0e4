import { type Database, type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import type { CardBrand } from '../../values/card-number.ts';
import type { Cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import { MOST_SHARES_SHOWN, type RecordedSplit } from '../split.ts';
import type { InstallmentState, MovementType } from '../transaction.ts';
import type {
  BoletoMovementState,
  ListedMovement,
  ListedShare,
  MovementSubject,
  TransactionMovement,
} from './movement.ts';

/**
 * The sequence hands out one number at a time and keeps none for a session, so that none below it
 * is handed out later.
 */
export const READ_LAST_NUMBER = statement(
  'movements.read_last_number',
  'select case when is_called then last_value else 0 end as last_value from movement_ids',
);

/** The highest number that any writer was given; 0: none was yet. */
export async function readLastNumber(database: Database): Promise<number> {
  const [row] = await database.query(READ_LAST_NUMBER, []);
  return row?.last_value as number;
}

const SKIP = statement(
  'movements.skip_numbers',
  `select max(nextval('movement_ids')) as last from generate_series(1, $1::integer)`,
);

/** More than were given in the hours that a restore loses. */
const SKIPPED = 1_000_000;

/**
 * Leaves a million numbers out: in a database that was restored the sequence stands where it stood,
 * and merchants who read on from the last number that they saw would pass over what gets a lower
 * one.
 */
export async function skipMovementIds(database: Database): Promise<void> {
  await database.query(SKIP, [SKIPPED]);
}

/**
 * Each writer of the table holds this lock from before its first number is taken until its commit
 * can be seen, or has failed; nothing else holds it. (Rows' own transaction ids would not do: of
 * two writers the one that began first may take the higher number. And another program's long
 * transaction delays no reader here.)
 */
const FIND_WRITERS = statement(
  'movements.find_writers',
  `select virtualtransaction as writer from pg_locks
   where locktype = 'relation' and database = (select oid from pg_database where datname = current_database())
     and relation = 'movements'::regclass and mode = 'RowExclusiveLock' and granted`,
);

/** The open transactions that may have taken numbers. */
export async function findWriters(database: Database): Promise<Set<string>> {
  const rows = await database.query(FIND_WRITERS, []);
  return new Set(rows.map((row) => row.writer as string));
}

/** As many as requested; fewer where they have more shares together than are shown at once. */
const LIST = statement(
  'movements.list',
  `select m.*, coalesce(i.amount, m.billed) as amount, s.beneficiaries, s.amounts, s.canceled_amounts
   from (
     select m.*, coalesce(t.reference_transaction, b.reference_transaction) as reference_transaction, t.amount as sold,
       t.sold_at, t.installment_count, t.card_brand, t.split, b.amount as billed,
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
     ) b on true
   ) m left join lateral (
     select amount from installments
     where merchant_id = m.merchant_id and transaction_id = m.transaction_id
       and installment_number = m.installment_number limit 1
   ) i on true cross join lateral (
     select array_agg(beneficiary order by position) as beneficiaries, array_agg(amount order by position) as amounts,
       array_agg(canceled_amount order by position) as canceled_amounts
     from shares
     where merchant_id = m.merchant_id and transaction_id = m.transaction_id
       and installment_number = m.installment_number
   ) s
   where m.shares_so_far <= $6::integer
   order by m.movement_id`,
);

/**
 * Movements of one account in the order of their numbers: the first ones after `after`, none beyond
 * `upTo`.
 */
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
  return rows.map(parseMovement);
}

const LIST_OF_PAYMENT = statement(
  'movements.list_of_payment',
  `select movement_id, installment_number, moment, type, old_state, new_state from movements
   where merchant_id = $1 and transaction_id = $2
   order by movement_id limit $3`,
);

/** The movements of one transaction in their order, up to `limit`. */
export async function listTransactionMovements(
  database: Reader,
  merchantId: string,
  transactionId: string,
  limit: number,
): Promise<TransactionMovement[]> {
  const rows = await database.query(LIST_OF_PAYMENT, [merchantId, transactionId, limit]);
  return rows.map((row) => ({
    movementId: row.movement_id as number,
    installmentNumber: row.installment_number as number,
    moment: row.moment as Instant,
    type: row.type as MovementType,
    oldState: row.old_state as InstallmentState | null,
    newState: row.new_state as InstallmentState,
  }));
}

function parseMovement(row: Row): ListedMovement {
  return {
    movementId: row.movement_id as number,
    accountNumber: row.account_number as string,
    subject: parseSubject(row),
    referenceTransaction: row.reference_transaction as string | null,
    nsu: row.nsu as string,
    authorizationCode: row.authorization_code as string,
    installmentNumber: row.installment_number as number,
    moment: row.moment as Instant,
    type: row.type as string,
    amount: row.amount as Cents,
    shares: parseShares(row),
  };
}

function parseSubject(row: Row): MovementSubject {
  if (row.boleto_id !== null)
    return {
      kind: 'boleto',
      boletoId: row.boleto_id as string,
      oldState: row.old_state as BoletoMovementState | null,
      newState: row.new_state as BoletoMovementState,
    };
  return {
    kind: 'payment',
    transactionId: row.transaction_id as string,
    oldState: row.old_state as InstallmentState | null,
    newState: row.new_state as InstallmentState,
    sale: {
      amount: row.sold as Cents,
      soldAt: row.sold_at as Instant,
      installmentCount: row.installment_count as number,
      brand: row.card_brand as CardBrand,
      split: row.split as RecordedSplit | null,
    },
  };
}

function parseShares(row: Row): ListedShare[] {
  const amounts = (row.amounts ?? []) as Cents[];
  const canceledAmounts = (row.canceled_amounts ?? []) as Cents[];
  return ((row.beneficiaries ?? []) as string[]).map((beneficiary, index) => ({
    beneficiary,
    amount: amounts[index] as Cents,
    canceledAmount: canceledAmounts[index] as Cents,
  }));
}
