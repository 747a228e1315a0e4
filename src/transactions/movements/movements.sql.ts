import { type Database, type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import type { CardBrand } from '../../values/card-number.ts';
import type { Cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import { MOST_SHARES_SHOWN, type RecordedSplit } from '../split.ts';
import type { InstallmentState } from '../transaction.ts';
import type { ListedMovement, ListedShare } from './movement.ts';

/**
 * The sequence hands out one number at a time and keeps none for a session, so that none below it
 * is handed out later.
 */
const READ_LAST_NUMBER = statement('movements.read_last_number', 'select last_value from movement_ids');

/** The highest number that any writer was given. */
export async function readLastNumber(database: Database): Promise<number> {
  const [row] = await database.query(READ_LAST_NUMBER, []);
  return row?.last_value as number;
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
  `select m.*, i.amount, s.beneficiaries, s.amounts, s.canceled_amounts
   from (
     select m.*, t.reference_transaction, t.amount as sold, t.installment_count, t.card_brand, t.split,
       sum(coalesce(jsonb_array_length(t.split -> 'entries'), 0))
         over (order by m.movement_id) as shares_so_far
     from (
       select * from movements
       where merchant_id = $1 and account_number = $2 and movement_id > $3 and movement_id <= $4
       order by movement_id limit $5
     ) m, lateral (
       select * from transactions where merchant_id = m.merchant_id and transaction_id = m.transaction_id limit 1
     ) t
   ) m, lateral (
     select amount from installments
     where merchant_id = m.merchant_id and transaction_id = m.transaction_id
       and installment_number = m.installment_number limit 1
   ) i, lateral (
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

function parseMovement(row: Row): ListedMovement {
  return {
    movementId: row.movement_id as number,
    accountNumber: row.account_number as string,
    transactionId: row.transaction_id as string,
    referenceTransaction: row.reference_transaction as string | null,
    nsu: row.nsu as string,
    authorizationCode: row.authorization_code as string,
    installmentNumber: row.installment_number as number,
    moment: row.moment as Instant,
    type: row.type as string,
    oldState: row.old_state as InstallmentState | null,
    newState: row.new_state as InstallmentState,
    amount: row.amount as Cents,
    sale: {
      amount: row.sold as Cents,
      installmentCount: row.installment_count as number,
      brand: row.card_brand as CardBrand,
      split: row.split as RecordedSplit | null,
    },
    shares: parseShares(row),
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
