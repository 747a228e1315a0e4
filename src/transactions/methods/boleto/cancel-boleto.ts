import type { BatchedWrite } from '../../../platform/postgres/batched-writes.ts';
import type { Bank } from '../../../providers/banks/bank.ts';
import { DEFAULT_PROVIDER } from '../../../providers/provider.ts';
import { isUuid } from '../../../values/ids.ts';
import { LEASE_MARGIN_MILLISECONDS } from '../../transaction.ts';
import { type AskBankTools, askBank } from './ask-bank.ts';
import { resultOfCancel } from './bank-question.ts';
import { type Boleto, type BoletoState, isOfBank, shownState } from './boleto.ts';
import { keepChange, moveOf } from './boleto-move.ts';
import type { BoletoMoved, BoletoMoveRow } from './boletos.sql.ts';

export type CancelTools = AskBankTools & {
  /** Not after its deadline: whoever asked has been answered then. */
  readonly writeWish: BatchedWrite<BoletoMoveRow, BoletoMoved>;
};

/**
 * `paidAtBank`: the bank says that it is paid, and reports that shortly. `ofAnotherBank`: that which
 * registered it is not named any more.
 */
export type CancelRefusal =
  | 'notFound'
  | 'beingIssued'
  | 'beingCanceled'
  | 'paid'
  | 'paidAtBank'
  | 'expired'
  | 'ofAnotherBank';

export type CancelResult =
  /** As it stands: canceled, or with `isPending` on its way. */
  | { readonly kind: 'canceled'; readonly boleto: Boleto; readonly isPending: boolean }
  | { readonly kind: 'refused'; readonly refusal: CancelRefusal }
  | { readonly kind: 'noBank' | 'notSent' | 'notConnected' };

/**
 * Cancels a boleto of this merchant that nobody has paid. Once that is committed the bank is asked
 * until it answers; what it says counts. One that is canceled already is answered alike.
 * `deadlineAt` in monotonic milliseconds. Throws `CommitUnknown` when a commit is in doubt.
 */
export async function cancelBoleto(
  tools: CancelTools,
  merchantId: string,
  boletoId: string,
  deadlineAt: number,
): Promise<CancelResult> {
  if (!isUuid(boletoId)) return { kind: 'refused', refusal: 'notFound' };
  const key = { merchantId, boletoId: boletoId.toLowerCase() };
  const { banks, clock } = tools;
  if (banks.all().length === 0) return { kind: 'noBank' };
  const begun = await tools.writeWish(
    {
      ...key,
      decide: (boleto) =>
        isOfBank(boleto, banks.of(boleto.bank).bankCode)
          ? moveOf(boleto, { event: 'startCancel' }, clock.now(merchantId))
          : null,
      leaseMilliseconds: Math.ceil(deadlineAt - performance.now()) + LEASE_MARGIN_MILLISECONDS,
    },
    deadlineAt,
  );
  if (begun === null) return { kind: 'refused', refusal: 'notFound' };
  const { boleto } = begun;
  const bank = banks.of(boleto.bank);
  if (begun.isMoved) return askAndRecord(tools, bank, boleto, deadlineAt);
  const isOpen = boleto.state === 'issued' || boleto.state === 'overdue';
  if (!isOpen || isOfBank(boleto, bank.bankCode)) return obstacleOf(boleto);
  // It has not said yet which one it is, or this process has not heard of it yet.
  const isToCome = boleto.bank !== DEFAULT_PROVIDER || banks.all().includes(boleto.bank);
  return bank.bankCode === '' && isToCome
    ? { kind: 'notConnected' }
    : { kind: 'refused', refusal: 'ofAnotherBank' };
}

function obstacleOf(boleto: Boleto): CancelResult {
  const { state } = boleto;
  if (state === 'canceled') return { kind: 'canceled', boleto, isPending: false };
  if (state === 'canceling' && !boleto.isExpiring) return { kind: 'canceled', boleto, isPending: true };
  return { kind: 'refused', refusal: OBSTACLES[state] };
}

const OBSTACLES = {
  issuing: 'beingIssued',
  // Only for a moment: it could be canceled again meanwhile.
  issued: 'beingCanceled',
  overdue: 'beingCanceled',
  canceling: 'beingCanceled',
  paid: 'paid',
  canceled: 'beingCanceled',
  expired: 'expired',
  refused: 'notFound',
} as const satisfies Record<BoletoState, CancelRefusal>;

async function askAndRecord(
  tools: CancelTools,
  bank: Bank,
  boleto: Boleto,
  deadlineAt: number,
): Promise<CancelResult> {
  const { merchantId, ourNumber } = boleto;
  const requestedAt = tools.clock.now(merchantId);
  const ask = async (timeout: number) =>
    resultOfCancel(boleto, await bank.cancel(merchantId, ourNumber, requestedAt, timeout));
  // What was not sent has no effect, and may be asked for again.
  const answer = await askBank(tools, boleto, ask, { change: keepChange, keyToFree: null }, deadlineAt);
  if (answer.kind === 'unknown') return { kind: 'canceled', boleto, isPending: true };
  if (answer.kind !== 'recorded') return { kind: answer.kind };
  return answer.warning === 'paidAtBank' && shownState(answer.boleto) !== 'canceled'
    ? { kind: 'refused', refusal: 'paidAtBank' }
    : obstacleOf(answer.boleto);
}
