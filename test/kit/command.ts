import { runParcela } from '../../src/cli/run-parcela.ts';

/** How a command ended: its result, and what it said beside it. */
export type Ended = { readonly code: number; readonly printed: string; readonly said: string };

/**
 * `parcela …` with its words and settings, in the process of the tests: no setting of the machine reaches
 * it. What kills or signals a command, or is about the program itself, starts the real one.
 */
export async function runCommandHere(
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<Ended> {
  const printed: string[] = [];
  const said: string[] = [];
  const code = await runParcela(words, settings, {
    print: (line) => void printed.push(`${line}\n`),
    printError: (line) => void said.push(`${line}\n`),
  });
  return { code, printed: printed.join(''), said: said.join('') };
}

/** Of what a command said: behind where it acts and its warnings. */
export function lastLineOf(said: string): string {
  return said.trimEnd().split('\n').at(-1) ?? '';
}
