import type { Bank, DueDayRequest } from '../../../providers/banks/bank.ts';
import type { Instant } from '../../../values/instant.ts';
import { type BankResult, resultOfCancel, resultOfDueDay, resultOfKeptSearch } from './bank-question.ts';
import type { Boleto, ChangingBoleto } from './boleto.ts';

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
  if (!isNotAllowed(answer) || !boleto.isDayOpen) return resultOfCancel(boleto, answer);
  return resultOfKeptSearch(boleto, await bank.find(boleto, leftUntil(endsAt)));
}

/** Where the bank does not change it, it may have the day of another change that was not heard of. */
export async function askToChange(
  bank: Pick<Bank, 'changeDueDay' | 'find'>,
  boleto: ChangingBoleto,
  request: DueDayRequest,
  timeoutMilliseconds: number,
): Promise<BankResult> {
  const endsAt = performance.now() + timeoutMilliseconds;
  const answer = await bank.changeDueDay(request, timeoutMilliseconds);
  if (!isNotAllowed(answer)) return resultOfDueDay(boleto, answer);
  return resultOfKeptSearch(boleto, await bank.find(boleto, leftUntil(endsAt)));
}

function isNotAllowed(answer: { readonly kind: string; readonly reason?: string }): boolean {
  return answer.kind === 'refused' && answer.reason === 'notAllowed';
}

function leftUntil(endsAt: number): number {
  return Math.max(1, Math.floor(endsAt - performance.now()));
}
