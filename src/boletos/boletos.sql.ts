import { FREE_KEYS } from '../idempotency/idempotency-keys.sql.ts';
import type { BatchedWriteOptions } from '../platform/postgres/batched-writes.ts';
import { type Database, type Reader, statement, type Tx } from '../platform/postgres/database.ts';
import { type Deadline, NO_DEADLINE } from '../platform/postgres/deadline.ts';
import { BOLETO_MOVEMENTS, IS_WAITING } from '../transactions/movements/boleto-movements.sql.ts';
import { saoPauloOffsetText, utcText } from '../values/instant.ts';
import type { Deliverer } from '../webhooks/deliveries/delivery.ts';
import type { Boleto, BoletoKey } from './boleto.ts';
import type { BoletoMove } from './boleto-move.ts';
import { BOLETO, parseBoleto } from './boleto-rows.sql.ts';
import { callbackBody } from './callback-body.ts';

const FIND = statement(
  'boletos.find',
  `select ${BOLETO.columns} from boletos b where b.merchant_id = $1 and b.boleto_id = $2`,
);

/** Null: this merchant has no such boleto. */
export async function findBoleto(
  database: Reader,
  { merchantId, boletoId }: BoletoKey,
): Promise<Boleto | null> {
  const [row] = await database.query(FIND, [merchantId, boletoId]);
  return row === undefined ? null : parseBoleto(row);
}

const LOCK = statement(
  'boletos.lock',
  `select ${BOLETO.columns} from boletos b where b.merchant_id = $1 and b.boleto_id = $2 for no key update`,
);

/**
 * The row is under lock, and written as a rule decided on it: with its movement and the deliveries of
 * that.
 */
const MOVE = statement(
  'boletos.move',
  `with changed as (
     update boletos b set state = $4, state_before = $5, is_expiring = $6, bar_code = $7, pix_emv = $8,
       refusal_reason = $9, paid_amount = $10, paid_on = $11::date, acts_at = $12::timestamptz,
       due_at = now() + $13::integer * interval '1 millisecond', changed_at = $14::timestamptz,
       fence = b.fence + 1, tries = 0, unknown_since = null, unknown_reason = null
     where b.merchant_id = $1 and b.boleto_id = $2 and b.state = $3
     returning ${BOLETO.columns}
   ), unkeyed as (
     select merchant_id, $15::bytea as key_hash, boleto_id as resource_id from changed
   ), ${FREE_KEYS}, news as (
     select c.*, $16::text as old_state, $17::text as new_state, $14::timestamptz as moment, $18::text as moment_text,
       $19::text as callback_body
     from changed c where $17::text is not null
   ), ${BOLETO_MOVEMENTS}
   select c.*, ${IS_WAITING} from changed c`,
);

export type BoletoMoveRow = BoletoKey & {
  /** Given the row under lock; null: nothing is changed. */
  readonly decide: (boleto: Boleto) => BoletoMove | null;
  /** Of what the bank is to be asked: for how long this process has it; 0: the work has it at once. */
  readonly leaseMilliseconds: number;
  /** The key of the request, when the boleto ends as if it had never been requested. */
  readonly keyToFree?: Buffer | null;
};

/** The row as it stands now; `isMoved`: this write has changed it. Null: there is no such boleto. */
export type BoletoMoved = { readonly boleto: Boleto; readonly isMoved: boolean } | null;

/** Null: this merchant has no such boleto. */
async function lockBoleto(tx: Tx, { merchantId, boletoId }: BoletoKey): Promise<Boleto | null> {
  const [row] = await tx.query(LOCK, [merchantId, boletoId]);
  return row === undefined ? null : parseBoleto(row);
}

/** The row as it was written, and whether deliveries of it were. Null: it has another state than `boleto`. */
export async function moveBoleto(
  tx: Tx,
  boleto: Boleto,
  move: BoletoMove,
  { leaseMilliseconds, keyToFree = null }: Pick<BoletoMoveRow, 'leaseMilliseconds' | 'keyToFree'>,
): Promise<{ readonly boleto: Boleto; readonly isWaiting: boolean } | null> {
  const { registered, payment, news, moment } = move;
  const momentText = saoPauloOffsetText(moment);
  const [row] = await tx.query(MOVE, [
    boleto.merchantId,
    boleto.boletoId,
    move.from,
    move.to,
    move.stateBefore,
    move.isExpiring,
    registered?.barCode ?? null,
    registered?.pixEmv ?? null,
    move.refusalReason,
    payment?.amount ?? null,
    payment?.paidOn ?? null,
    move.actsAt === null ? null : utcText(move.actsAt),
    move.isAsked ? leaseMilliseconds : null,
    utcText(moment),
    keyToFree,
    news?.before ?? null,
    news?.after ?? null,
    momentText,
    news === null || boleto.callbackUrl === null ? null : callbackBody(boleto, move, momentText),
  ]);
  return row === undefined ? null : { boleto: parseBoleto(row), isWaiting: row.is_waiting === true };
}

/** Of one statement after another, as cancels are recorded. */
const LIMITS = { rowsPerBatch: 1, statementsInFlight: 4, waitingCallers: 500 };

/**
 * An event of a boleto in one commit: its row under lock, what a rule decides on it, its movement and
 * its deliveries. Repeatable: the rule finds that it has happened, and decides on nothing.
 */
export function boletoMovesWrite(
  database: Database,
  deliverer: Pick<Deliverer, 'notify'>,
): BatchedWriteOptions<BoletoMoveRow, BoletoMoved> {
  return {
    ...writeOf('boletoMoves', (row) => commitMove(database, deliverer, row, NO_DEADLINE)),
    mustBeWritten: true,
  };
}

/** The same of what a caller asks for: not after its deadline. */
export function boletoWishesWrite(
  database: Database,
  deliverer: Pick<Deliverer, 'notify'>,
): BatchedWriteOptions<BoletoMoveRow, BoletoMoved> {
  return writeOf('boletoWishes', (row, deadline) => commitMove(database, deliverer, row, deadline));
}

function writeOf(
  name: string,
  commit: (row: BoletoMoveRow, deadline: Deadline) => Promise<BoletoMoved>,
): BatchedWriteOptions<BoletoMoveRow, BoletoMoved> {
  return {
    name,
    isRefusal: () => false,
    key: (row) => row.boletoId,
    merchant: (row) => row.merchantId,
    limits: LIMITS,
    write: async (rows, deadlines) => {
      const results = new Map<string, BoletoMoved>();
      for (const [index, row] of rows.entries())
        results.set(row.boletoId, await commit(row, deadlines[index] ?? NO_DEADLINE));
      return results;
    },
  };
}

async function commitMove(
  database: Database,
  deliverer: Pick<Deliverer, 'notify'>,
  row: BoletoMoveRow,
  deadline: Deadline,
): Promise<BoletoMoved> {
  const { moved, isWaiting } = await database.transaction(async (tx) => {
    const boleto = await lockBoleto(tx, row);
    if (boleto === null) return { moved: null, isWaiting: false };
    const move = row.decide(boleto);
    const written = move === null ? null : await moveBoleto(tx, boleto, move, row);
    if (written === null) return { moved: { boleto, isMoved: false }, isWaiting: false };
    return { moved: { boleto: written.boleto, isMoved: true }, isWaiting: written.isWaiting };
  }, deadline);
  if (isWaiting) notifySoon(deliverer);
  return moved;
}

export function notifySoon(deliverer: Pick<Deliverer, 'notify'>): void {
  setImmediate(() => deliverer.notify());
}
