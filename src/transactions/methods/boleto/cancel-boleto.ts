import type { BatchedWrite } from '../../../platform/postgres/batched-writes.ts';
import { isAtNoBank } from '../../../providers/banks/remittances/instructions.sql.ts';
import type { Banks } from '../../../providers/open-banks.ts';
import { DEFAULT_PROVIDER } from '../../../providers/provider.ts';
import { isUuid } from '../../../values/ids.ts';
import { LEASE_MARGIN_MILLISECONDS } from '../../transaction.ts';
import { type AskBankTools, askBank } from './ask-bank.ts';
import { askToCancel, askToWithdraw } from './ask-to-cancel.ts';
import { type Boleto, type BoletoKey, type BoletoState, isOfBank, shownState } from './boleto.ts';
import { keepChange, moveOf } from './boleto-move.ts';
import type { BoletoMoved, BoletoMoveRow } from './boletos.sql.ts';

export type CancelTools = AskBankTools & {
  /** Writes nothing after its deadline, because the caller has been answered then. */
  readonly writeWish: BatchedWrite<BoletoMoveRow, BoletoMoved>;
};

/**
 * `paidAtBank`: the boleto is paid at the bank, which reports the payment shortly. `keptByBank`: the bank
 * refuses to cancel it. `ofAnotherBank`: its bank is not configured here any more.
 */
export type CancelRefusal =
  | 'notFound'
  | 'beingIssued'
  | 'beingCanceled'
  | 'beingChanged'
  | 'paid'
  | 'paidAtBank'
  | 'keptByBank'
  | 'expired'
  | 'ofAnotherBank';

export type CancelResult =
  /** `isPending`: the bank has not answered yet. */
  | { readonly kind: 'canceled'; readonly boleto: Boleto; readonly isPending: boolean }
  | { readonly kind: 'refused'; readonly refusal: CancelRefusal }
  | { readonly kind: 'noBank' | 'notSent' | 'notConnected' };

/**
 * Once the intent is committed, the bank is asked until it answers, and its answer counts. A canceled boleto
 * gets the same answer again. `deadlineAt` is in monotonic milliseconds. Throws `CommitUnknown` if a commit
 * is in doubt.
 */
export async function cancelBoleto(
  tools: CancelTools,
  merchantId: string,
  boletoId: string,
  deadlineAt: number,
): Promise<CancelResult> {
  if (!isUuid(boletoId)) return { kind: 'refused', refusal: 'notFound' };
  const key = { merchantId, boletoId: boletoId.toLowerCase() };
  const { banks } = tools;
  if (banks.all().length === 0) return { kind: 'noBank' };
  const leaseMilliseconds = Math.ceil(deadlineAt - performance.now()) + LEASE_MARGIN_MILLISECONDS;
  const begun = await startCancel(tools, key, leaseMilliseconds, deadlineAt);
  if (begun === null) return { kind: 'refused', refusal: 'notFound' };
  const { held: boleto } = begun;
  if (begun.isMoved) return askAndRecord(tools, boleto, deadlineAt);
  return bankObstacle(banks, boleto) ?? obstacleOf(boleto);
}

/**
 * Records that a boleto is to be canceled. After the lease the resolving work asks the bank. A boleto that no
 * bank has is canceled whatever bank its provider is of.
 */
export async function startCancel(
  { banks, clock, database, writeWish }: Pick<CancelTools, 'banks' | 'clock' | 'database' | 'writeWish'>,
  { merchantId, boletoId }: BoletoKey,
  leaseMilliseconds: number,
  deadlineAt: number,
): Promise<BoletoMoved> {
  const isHere = (boleto: Boleto) => isOfBank(boleto, banks.of(boleto.bank).bankCode);
  const start = (mayStart: (boleto: Boleto) => boolean) => {
    const decide = (boleto: Boleto) =>
      // A change that the bank leaves unanswered need not be waited for.
      mayStart(boleto) && (boleto.state !== 'changing' || boleto.unknownReason !== null)
        ? moveOf(boleto, { event: 'startCancel' }, clock.now(merchantId))
        : null;
    return writeWish({ merchantId, boletoId, decide, leaseMilliseconds }, deadlineAt);
  };
  const begun = await start(isHere);
  if (begun === null || begun.isMoved || isHere(begun.held)) return begun;
  return (await isAtNoBank(database, begun.held, begun.held.bank)) ? start(() => true) : begun;
}

type BankObstacle =
  | { readonly kind: 'notConnected' }
  | { readonly kind: 'refused'; readonly refusal: 'ofAnotherBank' };

/** Why the bank of an open boleto cannot be asked about it. Null: it can, or the boleto is not open. */
export function bankObstacle(banks: Pick<Banks, 'all' | 'of'>, boleto: Boleto): BankObstacle | null {
  const isOpen = boleto.state === 'issued' || boleto.state === 'overdue';
  return isOpen ? obstacleOfBank(banks, boleto) : null;
}

/** Why the bank of a boleto in any state cannot be asked about it; null: it can. */
export function obstacleOfBank(
  banks: Pick<Banks, 'all' | 'of'>,
  boleto: Pick<Boleto, 'bank' | 'registered' | 'askedBank'>,
): BankObstacle | null {
  const { bankCode } = banks.of(boleto.bank);
  if (isOfBank(boleto, bankCode)) return null;
  // The bank has not said yet which one it is, or this process does not know the provider yet.
  const isToCome = boleto.bank !== DEFAULT_PROVIDER || banks.all().includes(boleto.bank);
  return bankCode === '' && isToCome
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
  // The bank did not cancel it, and it was open again before this process recorded an answer.
  issued: 'keptByBank',
  overdue: 'keptByBank',
  canceling: 'beingCanceled',
  changing: 'beingChanged',
  paid: 'paid',
  expired: 'expired',
  refused: 'notFound',
} as const satisfies Record<Exclude<BoletoState, 'canceled'>, CancelRefusal>;

async function askAndRecord(tools: CancelTools, boleto: Boleto, deadlineAt: number): Promise<CancelResult> {
  const requestedAt = tools.clock.now(boleto.merchantId);
  const bank = tools.banks.of(boleto.bank);
  const ask = (timeout: number) =>
    isOfBank(boleto, bank.bankCode)
      ? askToCancel(bank, boleto, requestedAt, timeout)
      : askToWithdraw(tools, boleto);
  // An unsent cancel has no effect and may be requested again, but a change that it did not wait for may have
  // one.
  const change = (held: Boleto) => (held.isDayOpen ? null : keepChange(held));
  const answer = await askBank(tools, boleto, ask, { change, keyToFree: null }, deadlineAt);
  if (answer.kind === 'unknown') return { kind: 'canceled', boleto, isPending: true };
  if (answer.kind !== 'recorded') return { kind: answer.kind };
  const { warning, held } = answer;
  const isKept = warning === 'paidAtBank' || warning === 'keptByBank';
  return isKept && shownState(held) !== 'canceled' ? { kind: 'refused', refusal: warning } : obstacleOf(held);
}
