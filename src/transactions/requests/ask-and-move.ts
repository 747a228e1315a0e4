import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import type { Moved, MoveRow, ProviderChanged } from './move.ts';
import { sendRequest } from './send-request.ts';

type Unclear = { readonly kind: 'unknown' | 'notConnected'; readonly reason: string };

export type AskAndMove<Held, Change, Move, Row extends MoveRow<Held, Move>, Warning> = {
  readonly timeoutMilliseconds: number;
  readonly wakeSignal: WakeSignal;
  readonly writeMove: BatchedWrite<Row, Moved<Held>>;
  /** The row that has `decide` make its change. */
  readonly rowOf: (decide: (held: Held) => Change | null, keyToFree: Buffer | null) => Row;
  readonly ask: (timeoutMilliseconds: number) => Promise<ProviderChanged<Change, Warning> | Unclear>;
  /** Takes back what was not sent; null: another process has claimed it. */
  readonly unsent: (held: Held) => Change | null;
  readonly keyToFree: Buffer | null;
  readonly leave: (reason: string) => Promise<void>;
};

type Recorded<Held, Warning> = {
  readonly kind: 'recorded';
  readonly held: Held;
  readonly warning: Warning | null;
};

/** Asks the provider while a caller waits, and commits what its answer makes of the row. */
export function askAndMove<Held, Change, Move, Row extends MoveRow<Held, Move>, Warning>(
  asking: AskAndMove<Held, Change, Move, Row, Warning>,
  deadlineAt: number,
): ReturnType<
  typeof sendRequest<ProviderChanged<Change, Warning>, Recorded<Held, Warning> | { readonly kind: 'unknown' }>
> {
  const { timeoutMilliseconds, wakeSignal, writeMove, rowOf, ask, unsent, keyToFree, leave } = asking;
  return sendRequest<
    ProviderChanged<Change, Warning>,
    Recorded<Held, Warning> | { readonly kind: 'unknown' }
  >(
    {
      timeoutMilliseconds,
      wakeSignal,
      ask,
      leave,
      async record({ change, warning }) {
        const moved = await writeMove(
          rowOf(() => change, null),
          deadlineAt,
        );
        return moved === null ? { kind: 'unknown' } : { kind: 'recorded', held: moved.held, warning };
      },
      async withdraw() {
        const moved = await writeMove(rowOf(unsent, keyToFree), deadlineAt);
        return moved === null || moved.isMoved;
      },
    },
    deadlineAt,
  );
}
