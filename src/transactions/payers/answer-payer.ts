import type { Answer } from '../../platform/http/endpoint.ts';
import { tooManyAnswer } from '../../platform/http/failures.ts';
import type { Language } from '../../platform/http/sentence.ts';
import type { Reader } from '../../platform/postgres/database.ts';
import type { AskForPayer } from './open-payers-line.ts';

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

export function htmlAnswer(status: number, content: string, headers: Answer['headers'] = {}): Answer {
  return { status, text: { content, type: 'text/html; charset=utf-8' }, headers };
}
