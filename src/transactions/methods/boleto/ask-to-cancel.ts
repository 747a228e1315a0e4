import type { Bank } from '../../../providers/banks/bank.ts';
import type { Instant } from '../../../values/instant.ts';
import { type BankResult, resultOfCancel, resultOfKeptSearch } from './bank-question.ts';
import type { Boleto } from './boleto.ts';

/** What the bank does not cancel may have another due day, by a change that the cancel did not wait for. */
export async function askToCancel(
  bank: Pick<Bank, 'cancel' | 'find'>,
  boleto: Boleto,
  requestedAt: Instant,
  timeoutMilliseconds: number,
): Promise<BankResult> {
  const endsAt = performance.now() + timeoutMilliseconds;
  const { merchantId, ourNumber } = boleto;
  const answer = await bank.cancel(merchantId, ourNumber, requestedAt, timeoutMilliseconds);
  const isKept = answer.kind === 'refused' && answer.reason === 'notAllowed';
  if (!isKept || !boleto.isDayOpen) return resultOfCancel(boleto, answer);
  const left = Math.max(1, Math.floor(endsAt - performance.now()));
  return resultOfKeptSearch(boleto, await bank.find(boleto, left));
}
