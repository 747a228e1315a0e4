import { parseArgs } from 'node:util';

export type Settings = {
  readonly port: number;
  readonly host: string;
  /** The bearer token that is asked for; null: none is. */
  readonly token: string | null;
  readonly exitWithParent: boolean;
};

/** What the command line asks for, or the sentence that says what is wrong with it. */
export function readSettings(words: readonly string[]): Settings | string {
  const values = optionsOf(words);
  if (typeof values === 'string') return values;
  const { port = '0', host = '127.0.0.1', token = null } = values;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) return '--port must be a number from 0 to 65535';
  if (token !== null && !/^[\x21-\x7e]+$/.test(token)) return '--token must be printable and without spaces';
  return { port: Number(port), host, token, exitWithParent: values['exit-with-parent'] ?? false };
}

function optionsOf(words: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        token: { type: 'string' },
        'exit-with-parent': { type: 'boolean' },
      },
    });
    return values;
  } catch (error) {
    return (error as Error).message;
  }
}
