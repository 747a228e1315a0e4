import { readCommandLine } from '../kit/command-line.ts';

export type Settings = {
  readonly port: number;
  readonly host: string;
  /** The bearer token that is asked for; null: none is. */
  readonly token: string | null;
  readonly exitWithParent: boolean;
};

/** What the command line asks for, or the sentence that says what is wrong with it. */
export function readSettings(words: readonly string[]): Settings | string {
  const read = readCommandLine(words, ['token']);
  if (typeof read === 'string') return read;
  const { port, host, exitWithParent, own } = read;
  const token = own('token') ?? null;
  if (token !== null && !/^[\x21-\x7e]+$/.test(token)) return '--token must be printable and without spaces';
  return { port, host, token, exitWithParent };
}
