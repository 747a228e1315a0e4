import type { BusinessClock } from '../../platform/business-clock.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { DISPATCH } from '../../platform/work/dispatch-policy.ts';
import { Dispatcher } from '../../platform/work/dispatcher.ts';
import type { Work } from '../../platform/work/due-work.ts';
import type { OutageWatch } from '../../platform/work/outage-watch.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import type { Banks } from '../../providers/open-banks.ts';
import { secondsUntilNextResolveTry } from '../../transactions/transaction.ts';
import {
  type BankResult,
  type BankWarning,
  resultOfCancel,
  resultOfIssue,
  resultOfLastSearch,
  resultOfSearch,
} from '../bank-question.ts';
import { type Boleto, isOfBank, requestOf } from '../boleto.ts';
import { moveOf } from '../boleto-move.ts';
import type { BoletoMoved, BoletoMoveRow } from '../boletos.sql.ts';
import {
  claimUnresolvedBoletos,
  EARLIEST_UNRESOLVED_BOLETO,
  postponeBoleto,
  pullBoletosForward,
} from './unresolved-boletos.sql.ts';

export type ResolveBoletosTools = {
  readonly database: Database;
  readonly banks: Pick<Banks, 'all' | 'of'>;
  readonly clock: BusinessClock;
  readonly bankTimeoutMilliseconds: number;
  readonly writeMove: BatchedWrite<BoletoMoveRow, BoletoMoved>;
  /** Whether the bank answers anything, be it of no use. */
  readonly bankOutage: OutageWatch;
  readonly observeBoleto: (outcome: string) => void;
  readonly warnOfBoleto: (boleto: Boleto, reason: BankWarning | string) => void;
};

const RECORD_MILLISECONDS = 8_000;
/** Time for the commit of the answer. */
const LEASE_MARGIN_MILLISECONDS = 15_000;
/** From so many tries on a person should look. */
const TRIES_BEFORE_WARNING = 8;

/**
 * Asks the bank about what is being issued or canceled, until it gives a clear answer: of what it has
 * no record is asked for again, under the same number.
 */
export function resolveUnresolvedBoletos(tools: ResolveBoletosTools, wakeSignal: WakeSignal): Work {
  const { database } = tools;
  // Which bank it is, its record, and what is asked of it.
  const lease = 3 * tools.bankTimeoutMilliseconds + LEASE_MARGIN_MILLISECONDS;
  return new Dispatcher<Boleto, BankResult>({
    name: 'resolveUnresolvedBoletos',
    limits: DISPATCH.unresolvedBoletos,
    wakeSignal,
    outage: tools.bankOutage,
    async claim(_limit, share) {
      if (tools.banks.all().length === 0) return { tasks: [], isEnd: true };
      const tasks = await claimUnresolvedBoletos(database, share, lease);
      return { tasks, isEnd: tasks.length === 0 };
    },
    send: (boleto) => (boleto.state === 'issuing' ? findOrIssue(tools, boleto) : findOrCancel(tools, boleto)),
    record: (boleto, result) => record(tools, boleto, result),
    about: ({ merchantId, boletoId }) => ({
      attributes: { 'parcela.merchant.id': merchantId, 'parcela.boleto.id': boletoId },
      follows: boletoId,
    }),
    piece: EARLIEST_UNRESOLVED_BOLETO,
    pieceValues: (passedOver) => [passedOver],
    pullForward: (limit) => pullBoletosForward(database, limit, lease),
  });
}

/** Only the bank that was asked first may be asked again: another one would register a second boleto. */
async function findOrIssue(
  { banks, bankTimeoutMilliseconds: timeout }: ResolveBoletosTools,
  boleto: Boleto,
): Promise<BankResult> {
  const bank = banks.of(boleto.bank);
  const { payer } = boleto;
  if (payer === null) return { kind: 'unknown', cause: 'notAsked', reason: 'its payer was erased' };
  if (bank.bankCode !== '' && !isOfBank(boleto, bank.bankCode))
    return { kind: 'unknown', cause: 'notAsked', reason: 'another bank was asked to register it' };
  const request = requestOf({ ...boleto, payer });
  const found = resultOfSearch(await bank.find(request, timeout));
  if (found !== null) return found;
  // Which one it is may be known only since that search.
  if (boleto.askedBank !== bank.bankCode)
    return { kind: 'unknown', cause: 'notAsked', reason: 'another bank was asked to register it' };
  return resultOfIssue(await bank.issue(request, timeout));
}

/** One whose time is over may have been paid on its last day: its record counts first. */
async function findOrCancel(
  { banks, bankTimeoutMilliseconds: timeout, clock }: ResolveBoletosTools,
  boleto: Boleto,
): Promise<BankResult> {
  const bank = banks.of(boleto.bank);
  const { merchantId, ourNumber } = boleto;
  // One that was away at the start has not been asked yet which one it is.
  const bankCode = bank.bankCode === '' ? await bank.learnCode(timeout) : bank.bankCode;
  if (bankCode === '')
    return { kind: 'unknown', cause: 'silent', reason: 'the bank has not said yet which one it is' };
  if (!isOfBank(boleto, bankCode))
    return { kind: 'unknown', cause: 'notAsked', reason: 'this bank has not registered it' };
  const found = boleto.isExpiring ? resultOfLastSearch(boleto, await bank.find(boleto, timeout)) : null;
  if (found !== null) return found;
  return resultOfCancel(boleto, await bank.cancel(merchantId, ourNumber, clock.now(merchantId), timeout));
}

async function record(tools: ResolveBoletosTools, boleto: Boleto, result: BankResult): Promise<void> {
  const { merchantId, boletoId, tries } = boleto;
  const cause = result.kind === 'changed' ? null : result.cause;
  if (cause !== 'notAsked') tools.bankOutage.observe(cause !== 'silent', merchantId);
  if (result.kind !== 'changed') {
    tools.observeBoleto('postponed');
    if (tries >= TRIES_BEFORE_WARNING && !tools.bankOutage.isAway())
      tools.warnOfBoleto(boleto, result.reason);
    const seconds = secondsUntilNextResolveTry(tries, tools.bankOutage.isAway());
    await postponeBoleto(tools.database, boleto, { seconds, reason: result.reason });
    return;
  }
  const { change, warning } = result;
  // No caller waits for this answer: a person must learn what is not as it should be.
  if (warning !== null) tools.warnOfBoleto(boleto, warning);
  const moment = tools.clock.now(merchantId);
  const row = {
    merchantId,
    boletoId,
    decide: (held: Boleto) => (held.fence === boleto.fence ? moveOf(held, change, moment) : null),
    leaseMilliseconds: 0,
  };
  await tools.writeMove(row, performance.now() + RECORD_MILLISECONDS);
  tools.observeBoleto(change.event);
}
