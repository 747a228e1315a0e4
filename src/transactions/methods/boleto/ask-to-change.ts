import { behindAnswer } from '../../../platform/channels/unclear.ts';
import type { Bank, DueDayRequest } from '../../../providers/banks/bank.ts';
import { type BankResult, resultOfDueDay, resultOfKeptSearch } from './bank-question.ts';
import type { ChangingBoleto } from './boleto.ts';

/**
 * Asks the bank to change the due day. If it does not, its record is read, which may have the day of another
 * change whose answer did not come.
 */
export async function askToChange(
  bank: Pick<Bank, 'changeDueDay' | 'find'>,
  boleto: ChangingBoleto,
  request: DueDayRequest,
  timeoutMilliseconds: number,
): Promise<BankResult> {
  const endsAt = performance.now() + timeoutMilliseconds;
  const answer = await bank.changeDueDay(request, timeoutMilliseconds);
  const isKept = answer.kind === 'refused' && answer.reason === 'notAllowed';
  if (!isKept) return resultOfDueDay(boleto, answer);
  const left = Math.max(1, Math.floor(endsAt - performance.now()));
  return behindAnswer(resultOfKeptSearch(boleto, await bank.find(boleto, left)));
}
