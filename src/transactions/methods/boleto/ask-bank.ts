import type { ModuleContext } from '../../../platform/module.ts';
import type { BatchedWrite } from '../../../platform/postgres/batched-writes.ts';
import type { WakeSignal } from '../../../platform/work/wake-signal.ts';
import type { Banks } from '../../../providers/open-banks.ts';
import { askAndMove } from '../../requests/ask-and-move.ts';
import type { BankResult, BankWarning } from './bank-question.ts';
import type { Boleto, BoletoKey } from './boleto.ts';
import { type BoletoChange, type BoletoMove, moveOf } from './boleto-move.ts';
import type { BoletoMoved, BoletoMoveRow } from './boletos.sql.ts';
import { BOLETO_REQUESTS } from './unresolved/unresolved-boletos.sql.ts';

/** What is needed to ask the bank while a caller waits. */
export type AskBankTools = Pick<ModuleContext, 'database' | 'clock'> & {
  readonly banks: Banks;
  readonly bankTimeoutMilliseconds: number;
  readonly wakeSignal: WakeSignal;
  readonly writeMove: BatchedWrite<BoletoMoveRow, BoletoMoved>;
};

/** Changes that the bank has made for good: they count even if another process asks the bank meanwhile. */
const ENDINGS: ReadonlySet<BoletoChange['event']> = new Set(['issue', 'refuse', 'cancel', 'expire']);

/**
 * `unsent.change` takes back a request that was not sent; null: it is sent later. Once another process has
 * claimed the boleto, or it was asked for something else, only an answer in `ENDINGS` counts: any other may
 * belong to an earlier question.
 */
export function askBank(
  tools: AskBankTools,
  { merchantId, boletoId, fence }: BoletoKey & Pick<Boleto, 'fence'>,
  ask: (timeoutMilliseconds: number) => Promise<BankResult>,
  unsent: { readonly change: (boleto: Boleto) => BoletoChange | null; readonly keyToFree: Buffer | null },
  deadlineAt: number,
) {
  return askAndMove<Boleto, BoletoChange, BoletoMove, BoletoMoveRow, BankWarning>(
    {
      timeoutMilliseconds: tools.bankTimeoutMilliseconds,
      wakeSignal: tools.wakeSignal,
      writeMove: tools.writeMove,
      rowOf(decide, keyToFree) {
        const moment = tools.clock.now(merchantId);
        return {
          ...{ merchantId, boletoId, leaseMilliseconds: 0, keyToFree },
          decide(held) {
            const change = decide(held);
            if (change === null || (held.fence !== fence && !ENDINGS.has(change.event))) return null;
            return moveOf(held, change, moment);
          },
        };
      },
      ask,
      unsent: unsent.change,
      keyToFree: unsent.keyToFree,
      leave: (reason) =>
        BOLETO_REQUESTS.postpone(
          tools.database,
          { merchantId, requestId: boletoId, fence },
          { seconds: 0, reason },
        ),
    },
    deadlineAt,
  );
}
