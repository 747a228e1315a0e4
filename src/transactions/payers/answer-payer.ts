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

/** Answers whoever has the address of a page. A key that is none costs no query. */
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

/** Of an address, and twenty at once: many payers share one of a telephone company. */
export const openTryLimit = (): RateLimit => rateLimit(1, 20);

export type TryTools = {
  readonly gate: Gate;
  /** Of tries, by address. */
  readonly tryLimit: RateLimit;
};

/** `words`: for who stays on the page; else it is asked again, and shows what became of it. */
export type TryResult = {
  readonly kind: string;
  readonly words?: string;
  /** What else the script is told. */
  readonly more?: object;
};

/**
 * Answers the script of a page; `isOpen` as it was found. Nothing is tried while the service is held: the
 * database may be another.
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
