import type { BusinessClock } from '../../platform/business-clock.ts';
import { saoPauloDay, utcText } from '../../values/instant.ts';
import { boundedText } from '../files/bounded-text.ts';
import type { BankPaper, WantedReturnFile } from './bank-paper.ts';

const TIMEOUT_MILLISECONDS = 10_000;

export type BankPaperTools = {
  /** Null: there is no bank here. */
  readonly bankUrl: string | null;
  readonly clock: BusinessClock;
};

/** Has the bank's simulator write the return file of a day. Throws when it does not answer. */
export async function readReturnFile(
  { bankUrl, clock }: BankPaperTools,
  merchantId: string,
  { day, fault }: WantedReturnFile,
): Promise<BankPaper<string>> {
  if (bankUrl === null) return { kind: 'refused', refusal: 'noSimulator' };
  const now = clock.now(merchantId);
  if (day >= saoPauloDay(now)) return { kind: 'refused', refusal: 'dayNotOver' };
  const url = new URL('/return-file', bankUrl);
  const asked = { merchantId, day, until: utcText(now), ...(fault === null ? {} : { fault }) };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
  if (!response.ok) throw new Error(`the simulator of the bank answered ${response.status}`);
  const paper = await boundedText(response);
  return paper === null ? { kind: 'refused', refusal: 'tooLarge' } : { kind: 'read', paper };
}
