import type { ModuleContext } from '../../../platform/module.ts';
import type { BatchedWrite } from '../../../platform/postgres/batched-writes.ts';
import type { WakeSignal } from '../../../platform/work/wake-signal.ts';
import type { PixBanks } from '../../../providers/open-pix-banks.ts';
import { askAndMove } from '../../requests/ask-and-move.ts';
import type { Pix, PixKey } from './pix.ts';
import type { PixMoved, PixMoveRow } from './pix-charges.sql.ts';
import { moveOf, type PixChange, type PixMove } from './pix-move.ts';
import type { PixResult, PixWarning } from './pix-question.ts';
import { PIX_REQUESTS } from './unresolved/unresolved-pix.sql.ts';

/** What is needed to ask the bank while a caller waits. */
export type AskPixBankTools = Pick<ModuleContext, 'database' | 'clock'> & {
  readonly pixBanks: PixBanks;
  readonly pixTimeoutMilliseconds: number;
  readonly wakeSignal: WakeSignal;
  readonly writeMove: BatchedWrite<PixMoveRow, PixMoved>;
};

/** `unsent` takes back what was not sent, unless another process has claimed the charge. */
export function askPixBank(
  tools: AskPixBankTools,
  { merchantId, pixId, fence }: PixKey & Pick<Pix, 'fence'>,
  ask: (timeoutMilliseconds: number) => Promise<PixResult>,
  unsent: { readonly change: PixChange; readonly keyToFree: Buffer | null },
  deadlineAt: number,
) {
  return askAndMove<Pix, PixChange, PixMove, PixMoveRow, PixWarning>(
    {
      timeoutMilliseconds: tools.pixTimeoutMilliseconds,
      wakeSignal: tools.wakeSignal,
      writeMove: tools.writeMove,
      rowOf(decide, keyToFree) {
        const moment = tools.clock.now(merchantId);
        return {
          ...{ merchantId, pixId, leaseMilliseconds: 0, keyToFree },
          decide(pix) {
            const change = decide(pix);
            return change === null ? null : moveOf(pix, change, moment);
          },
        };
      },
      ask,
      unsent: (held) => (held.fence === fence ? unsent.change : null),
      keyToFree: unsent.keyToFree,
      leave: (reason) =>
        PIX_REQUESTS.postpone(
          tools.database,
          { merchantId, requestId: pixId, fence },
          { seconds: 0, reason },
        ),
    },
    deadlineAt,
  );
}
