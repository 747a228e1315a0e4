import { type BatchedWriteOptions, oneByOne } from '../../platform/postgres/batched-writes.ts';
import type { Database, Tx } from '../../platform/postgres/database.ts';
import { type Deadline, NO_DEADLINE } from '../../platform/postgres/deadline.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import type { Moved, MoveRow } from './move.ts';

export type MovedRow<Held> = { readonly held: Held; readonly isWaiting: boolean };

export type MoveTools<Held, Move, Row extends MoveRow<Held, Move>> = {
  readonly name: string;
  readonly idOf: (row: Row) => string;
  readonly lock: (tx: Tx, row: Row) => Promise<Held | null>;
  /** `isWaiting`: deliveries were written. Null: its state is no longer that of `held`. */
  readonly write: (tx: Tx, held: Held, move: Move, row: Row) => Promise<MovedRow<Held> | null>;
};

const LIMITS = { statementsInFlight: 4, waitingCallers: 500 };

/**
 * The rule decides on the locked row, and the move is written with its movement and deliveries, in one
 * commit. Repeatable: the rule sees that the event has happened. `mustBeWritten` false: nothing is written
 * after the caller's deadline.
 */
export function movesWrite<Held, Move, Row extends MoveRow<Held, Move>>(
  database: Database,
  deliverer: Pick<Deliverer, 'notify'>,
  tools: MoveTools<Held, Move, Row>,
  mustBeWritten: boolean,
): BatchedWriteOptions<Row, Moved<Held>> {
  return oneByOne({
    name: tools.name,
    isRefusal: () => false,
    key: tools.idOf,
    merchant: (row) => row.merchantId,
    limits: LIMITS,
    mustBeWritten,
    write: (row, deadline) =>
      commitMove(database, deliverer, tools, row, mustBeWritten ? NO_DEADLINE : deadline),
  });
}

async function commitMove<Held, Move, Row extends MoveRow<Held, Move>>(
  database: Database,
  deliverer: Pick<Deliverer, 'notify'>,
  { lock, write }: MoveTools<Held, Move, Row>,
  row: Row,
  deadline: Deadline,
): Promise<Moved<Held>> {
  const { moved, isWaiting } = await database.transaction(async (tx) => {
    const held = await lock(tx, row);
    if (held === null) return { moved: null, isWaiting: false };
    const move = row.decide(held);
    const written = move === null ? null : await write(tx, held, move, row);
    if (written === null) return { moved: { held, isMoved: false }, isWaiting: false };
    return { moved: { held: written.held, isMoved: true }, isWaiting: written.isWaiting };
  }, deadline);
  if (isWaiting) notifySoon(deliverer);
  return moved;
}

export function notifySoon(deliverer: Pick<Deliverer, 'notify'>): void {
  setImmediate(() => deliverer.notify());
}
