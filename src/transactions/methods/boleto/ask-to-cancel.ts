import { behindAnswer } from '../../../platform/channels/unclear.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { Bank } from '../../../providers/banks/bank.ts';
import { withdrawRegistration } from '../../../providers/banks/remittances/instructions.sql.ts';
import type { Banks } from '../../../providers/open-banks.ts';
import type { Instant } from '../../../values/instant.ts';
import { type BankResult, resultOfCancel, resultOfKeptSearch } from './bank-question.ts';
import type { Boleto } from './boleto.ts';

/**
 * Asks the bank to cancel a boleto. If it does not, its record may have another due day, by a change that the
 * cancel did not wait for.
 */
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
  return behindAnswer(resultOfKeptSearch(boleto, await bank.find(boleto, left)));
}

/** For a boleto whose provider is of another bank: it ends if no bank has it. */
export async function askToWithdraw(
  { banks, database }: { readonly banks: Pick<Banks, 'all' | 'of'>; readonly database: Database },
  boleto: Boleto,
): Promise<BankResult> {
  const isWithdrawn = await withdrawRegistration(database, boleto, boleto.bank).catch(() => false);
  return isWithdrawn
    ? resultOfCancel(boleto, { kind: 'canceled' })
    : { kind: 'unknown', cause: 'notAsked', reason: whyOfAnotherBank(banks, boleto) };
}

export function whyOfAnotherBank(
  banks: Pick<Banks, 'all' | 'of'>,
  { bank: name, registered }: Boleto,
): string {
  const says = `it is of bank ${registered?.barCode.slice(0, 3)}, and provider ${name}`;
  return banks.all().includes(name)
    ? `${says} is of bank ${banks.of(name).bankCode}`
    : `${says} is not known here`;
}
