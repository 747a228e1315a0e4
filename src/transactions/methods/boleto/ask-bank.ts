import type { ModuleContext } from '../../../platform/module.ts';
import type { BatchedWrite } from '../../../platform/postgres/batched-writes.ts';
import type { WakeSignal } from '../../../platform/work/wake-signal.ts';
import type { Banks } from '../../../providers/open-banks.ts';
import { type SentRequest, sendRequest } from '../../requests/send-request.ts';
import type { BankChanged, BankResult } from './bank-question.ts';
import type { Boleto, BoletoKey } from './boleto.ts';
import { type BoletoChange, moveOf } from './boleto-move.ts';
import type { BoletoMoved, BoletoMoveRow } from './boletos.sql.ts';
import { BOLETO_REQUESTS } from './unresolved/unresolved-boletos.sql.ts';

/** What asks the bank while a caller waits. */
export type AskBankTools = Pick<ModuleContext, 'database' | 'clock'> & {
  readonly banks: Banks;
  readonly bankTimeoutMilliseconds: number;
  readonly wakeSignal: WakeSignal;
  readonly writeMove: BatchedWrite<BoletoMoveRow, BoletoMoved>;
};

type Recorded = {
  readonly kind: 'recorded';
  readonly boleto: Boleto;
  readonly warning: BankChanged['warning'];
};

/** `unsent` takes back what was not sent, unless another process has claimed the boleto. */
export function askBank(
  tools: AskBankTools,
  { merchantId, boletoId, fence }: BoletoKey & Pick<Boleto, 'fence'>,
  ask: (timeoutMilliseconds: number) => Promise<BankResult>,
  unsent: { readonly change: (boleto: Boleto) => BoletoChange; readonly keyToFree: Buffer | null },
  deadlineAt: number,
): ReturnType<typeof sendRequest<BankChanged, Recorded | { readonly kind: 'unknown' }>> {
  const move = (decide: (boleto: Boleto) => BoletoChange | null, keyToFree: Buffer | null = null) => {
    const moment = tools.clock.now(merchantId);
    const row: BoletoMoveRow = {
      ...{ merchantId, boletoId, leaseMilliseconds: 0, keyToFree },
      decide(boleto) {
        const change = decide(boleto);
        return change === null ? null : moveOf(boleto, change, moment);
      },
    };
    return tools.writeMove(row, deadlineAt);
  };
  const request: SentRequest<BankChanged, Recorded | { readonly kind: 'unknown' }> = {
    timeoutMilliseconds: tools.bankTimeoutMilliseconds,
    wakeSignal: tools.wakeSignal,
    ask,
    async record({ change, warning }) {
      const moved = await move(() => change);
      return moved === null ? { kind: 'unknown' } : { kind: 'recorded', boleto: moved.boleto, warning };
    },
    async withdraw() {
      const moved = await move(
        (held) => (held.fence === fence ? unsent.change(held) : null),
        unsent.keyToFree,
      );
      return moved === null || moved.isMoved;
    },
    leave: (reason) =>
      BOLETO_REQUESTS.postpone(
        tools.database,
        { merchantId, requestId: boletoId, fence },
        { seconds: 0, reason },
      ),
  };
  return sendRequest(request, deadlineAt);
}
