import { behindAnswer } from '../../../../platform/channels/unclear.ts';
import type { ModuleContext } from '../../../../platform/module.ts';
import type { BatchedWrite } from '../../../../platform/postgres/batched-writes.ts';
import { DISPATCH } from '../../../../platform/work/dispatch-policy.ts';
import type { Work } from '../../../../platform/work/due-work.ts';
import type { OutageWatch } from '../../../../platform/work/outage-watch.ts';
import type { WakeSignal } from '../../../../platform/work/wake-signal.ts';
import type { Banks } from '../../../../providers/open-banks.ts';
import { REQUEST_LEASE_MARGIN_MILLISECONDS, resolveRequests } from '../../../requests/resolve-requests.ts';
import { askToCancel, askToWithdraw, whyOfAnotherBank } from '../ask-to-cancel.ts';
import { askToChange } from '../ask-to-change.ts';
import {
  type BankChanged,
  type BankResult,
  type BankWarning,
  resultOfIssue,
  resultOfLastSearch,
  resultOfSearch,
  resultOfWaiting,
} from '../bank-question.ts';
import { type Boleto, dueDayRequest, isChanging, isOfBank, isOverAnyway, requestOf } from '../boleto.ts';
import { type BoletoChange, moveOf } from '../boleto-move.ts';
import type { BoletoMoved, BoletoMoveRow } from '../boletos.sql.ts';
import { BOLETO_REQUESTS } from './unresolved-boletos.sql.ts';

export type ResolveBoletosTools = Pick<ModuleContext, 'database' | 'clock'> & {
  readonly banks: Pick<Banks, 'all' | 'of'>;
  readonly bankTimeoutMilliseconds: number;
  readonly writeMove: BatchedWrite<BoletoMoveRow, BoletoMoved>;
  /** Whether each bank answers anything, be it of no use. */
  readonly bankOutage: OutageWatch;
  readonly observeBoleto: (outcome: string) => void;
  readonly warnOfBoleto: (boleto: Boleto, reason: BankWarning | string) => void;
};

/**
 * Asks about unresolved boletos until the bank answers clearly. One that the bank does not know is issued
 * again, under the same number.
 */
export function resolveUnresolvedBoletos(tools: ResolveBoletosTools, wakeSignal: WakeSignal): Work {
  return resolveRequests<Boleto, BankChanged>(
    {
      database: tools.database,
      name: 'resolveUnresolvedBoletos',
      queue: BOLETO_REQUESTS,
      idOf: ({ boletoId }) => boletoId,
      providerOf: ({ bank }) => bank,
      mayClaim: () => tools.banks.all().length > 0,
      about: ({ merchantId, boletoId }) => ({
        attributes: { 'parcela.merchant.id': merchantId, 'parcela.boleto.id': boletoId },
        follows: boletoId,
      }),
      limits: DISPATCH.unresolvedBoletos,
      outage: tools.bankOutage,
      // Time for four requests: the bank's code, its record, the issue or cancel, and its record again.
      leaseMilliseconds: 4 * tools.bankTimeoutMilliseconds + REQUEST_LEASE_MARGIN_MILLISECONDS,
      ask: (boleto) =>
        boleto.state === 'issuing' ? findOrIssue(tools, boleto) : askAboutRegistered(tools, boleto),
      record: (boleto, { change }, deadlineAt) => record(tools, boleto, change, deadlineAt),
      warningOf: ({ warning }) => warning,
      outcomeOf: ({ change }) => change.event,
      observe: tools.observeBoleto,
      warn: tools.warnOfBoleto,
    },
    wakeSignal,
  );
}

/** Only the bank that was asked first may be asked: another one would register a second boleto. */
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
  const found = resultOfSearch(boleto, await bank.find(request, timeout));
  if (found !== null) return found;
  // The bank may have told its code only during the search above.
  if (boleto.askedBank !== null && boleto.askedBank !== bank.bankCode)
    return { kind: 'unknown', cause: 'notAsked', reason: 'another bank was asked to register it' };
  return behindAnswer(resultOfIssue(await bank.issue(request, timeout)));
}

async function askAboutRegistered(
  { database, banks, bankTimeoutMilliseconds: timeout, clock }: ResolveBoletosTools,
  boleto: Boleto,
): Promise<BankResult> {
  const bank = banks.of(boleto.bank);
  const now = clock.now(boleto.merchantId);
  // The boleto keeps its due day and the calendar goes on: it reads the bank's record before it ends the
  // boleto.
  if (isChanging(boleto) && isOverAnyway(boleto, now)) return resultOfWaiting(boleto);
  const isNamed = banks.all().includes(boleto.bank);
  // A bank that was away at the start has not said yet which one it is.
  const bankCode = isNamed && bank.bankCode === '' ? await bank.learnCode(timeout) : bank.bankCode;
  if (isNamed && bankCode === '')
    return { kind: 'unknown', cause: 'silent', reason: 'the bank has not said yet which one it is' };
  if (!isOfBank(boleto, bankCode))
    return isChanging(boleto)
      ? { kind: 'unknown', cause: 'notAsked', reason: whyOfAnotherBank(banks, boleto) }
      : askToWithdraw({ banks, database }, boleto);
  if (isChanging(boleto)) return askToChange(bank, boleto, dueDayRequest(boleto, now), timeout);
  // A boleto whose time is over may have been paid on its last day, so the bank's record is read first.
  if (!boleto.isExpiring) return askToCancel(bank, boleto, now, timeout);
  const found = resultOfLastSearch(boleto, await bank.find(boleto, timeout));
  return found ?? behindAnswer(await askToCancel(bank, boleto, now, timeout));
}

async function record(
  tools: ResolveBoletosTools,
  { merchantId, boletoId, fence }: Boleto,
  change: BoletoChange,
  deadlineAt: number,
): Promise<void> {
  const moment = tools.clock.now(merchantId);
  const row = {
    merchantId,
    boletoId,
    decide: (held: Boleto) => (held.fence === fence ? moveOf(held, change, moment) : null),
    leaseMilliseconds: 0,
  };
  await tools.writeMove(row, deadlineAt);
}
