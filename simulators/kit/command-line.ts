import { parseArgs } from 'node:util';

/** What every simulator may be started with. */
export type CommandLine = {
  readonly port: number;
  readonly host: string;
  readonly exitWithParent: boolean;
  /** The value of an option of one simulator's own. */
  readonly own: (name: string) => string | undefined;
};

/** What the command line asks for, or the sentence that says what is wrong with it. */
export function readCommandLine(words: readonly string[], own: readonly string[]): CommandLine | string {
  const values = optionsOf(words, own);
  if (typeof values === 'string') return values;
  const port = wholeNumber(values.get('port') ?? '0', 65_535);
  if (port === null) return '--port must be a number from 0 to 65535';
  return {
    port,
    host: values.get('host') ?? '127.0.0.1',
    exitWithParent: values.has('exit-with-parent'),
    own: (name) => values.get(name),
  };
}

/** By name; a switch that is given has an empty value. */
function optionsOf(words: readonly string[], own: readonly string[]): Map<string, string> | string {
  const named = ['port', 'host', ...own].map((name) => [name, { type: 'string' }] as const);
  const options = { ...Object.fromEntries(named), 'exit-with-parent': { type: 'boolean' } } as const;
  try {
    const { values } = parseArgs({ args: [...words], options });
    return new Map(
      Object.entries(values).map(([name, value]) => [name, value === true ? '' : String(value)]),
    );
  } catch (error) {
    return (error as Error).message;
  }
}

/** Null: it is none, or more than `most`. */
export function wholeNumber(text: string, most: number): number | null {
  return /^\d{1,9}$/.test(text) && Number(text) <= most ? Number(text) : null;
}

/** A parent that is killed cannot say so; but the pipe from it ends. */
export function whenParentEnds(act: () => void): void {
  process.stdin.once('end', act);
  process.stdin.once('error', act);
  process.stdin.resume();
}
