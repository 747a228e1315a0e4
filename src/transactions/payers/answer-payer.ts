import type { Gate } from '../../platform/gate.ts';
import type { Answer } from '../../platform/http/endpoint.ts';
import { tooManyAnswer, unavailableAnswer } from '../../platform/http/failures.ts';
import { type RateLimit, rateLimit } from '../../platform/http/rate-limit.ts';
import type { Language } from '../../platform/http/sentence.ts';
import type { Reader } from '../../platform/postgres/database.ts';
import { addressGroup, parseAddress } from '../../values/ip-address.ts';
import type { AskForPayer, SlowDown } from './open-payers-line.ts';

export type PageCall = {
  readonly parameters: { readonly pageKey: string };
  readonly address: string;
  readonly language: Language;
};

type PageReading<Found> = {
  readonly find: (database: Reader, pageKey: string) => Promise<Found | null>;
  readonly write: (found: Found) => Answer | Promise<Answer>;
  /** There is no such page, or nothing on it. */
  readonly missing: Answer;
};

/** The last part of a page's address, behind the prefix of its cell. */
const PAGE_KEY = /^(?:[a-z][a-z0-9]\.)?([0-9a-f]{32})$/;

/** Answers whoever has the address of a page. A malformed key costs no query. */
export async function answerPayer<Found extends object>(
  askForPayer: AskForPayer,
  { parameters, address, language }: PageCall,
  { find, write, missing }: PageReading<Found>,
): Promise<Answer> {
  const pageKey = PAGE_KEY.exec(parameters.pageKey)?.[1];
  if (pageKey === undefined) return missing;
  const found = await askForPayer(address, (database) => find(database, pageKey));
  if (found === null) return missing;
  return 'secondsToWait' in found ? tooManyAnswer(found.secondsToWait, language) : write(found);
}

/**
 * One try a second for each address, and twenty at once: many payers share an address of a telephone company.
 */
export const openTryLimit = (): RateLimit => rateLimit(1, 20);

export type TryTools = {
  readonly gate: Gate;
  /** Limits tries by address. */
  readonly tryLimit: RateLimit;
};

/**
 * `words`: shown to the payer, who stays on the page. Without them the script loads the page again, which
 * shows what became of the try.
 */
export type TryResult = {
  readonly kind: string;
  readonly words?: string;
  /** Further fields of the answer to the script. */
  readonly more?: object;
};

/**
 * Answers the script of a page. `isOpen`: whether the page allows a try, as it was found just now. Nothing is
 * tried while the gate is shut, because the database may be a copy.
 */
export async function answerTry(
  { gate, tryLimit }: TryTools,
  { address, language }: Pick<PageCall, 'address' | 'language'>,
  isOpen: boolean,
  attempt: () => Promise<TryResult | SlowDown>,
): Promise<Answer> {
  if (!isOpen) return tryAnswer({ kind: 'notOpen' });
  if (gate.reason() !== null) return unavailableAnswer('overloaded', language);
  const secondsToWait = tryLimit.secondsToWait(addressGroup(parseAddress(address)), performance.now());
  if (secondsToWait > 0) return tooManyAnswer(secondsToWait, language);
  const result = await attempt();
  return 'secondsToWait' in result ? tooManyAnswer(result.secondsToWait, language) : tryAnswer(result);
}

function tryAnswer({ kind, words, more }: TryResult): Answer {
  return {
    status: 200,
    body: { status: kind, message: words ?? null, ...more },
    headers: { 'cache-control': 'no-store' },
  };
}

export function htmlAnswer(status: number, content: string, headers: Answer['headers'] = {}): Answer {
  return { status, text: { content, type: 'text/html; charset=utf-8' }, headers };
}
