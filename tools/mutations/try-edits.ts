import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { FINDING } from '../test-report.ts';
import type { Edit } from './edit.ts';
import type { ScratchCopy } from './scratch-copy.ts';

/**
 * What a file of tests says of a mistake. `caught`: a test failed, by its title. `missed`: all passed.
 * `broken`: it failed and no test says why: it did not load, was given up, or threw outside of a test.
 */
export type Verdict =
  | { readonly kind: 'caught'; readonly title: string }
  | { readonly kind: 'missed' }
  | { readonly kind: 'broken'; readonly output: string };

/** Makes the edits in the copy, runs one file of tests there, and puts everything back. */
export async function tryEdits(copy: ScratchCopy, edits: readonly Edit[], file: string): Promise<Verdict> {
  try {
    copy.plant(edits);
    const { code, output } = await runInCopy(copy, ['tools/test.ts', '--until-finding', file]);
    return verdictOf(code, output);
  } finally {
    copy.restore();
  }
}

export type Ran = { readonly code: number | null; readonly output: string };

/** A wait in vain, which many mistakes bring, takes its whole limit: a machine that is a little busy. */
const PATIENCE = '4';

/** Runs a program of the copy to its end. */
export function runInCopy(
  { root }: Pick<ScratchCopy, 'root'>,
  [program = '', ...words]: readonly string[],
): Promise<Ran> {
  const child = spawn(process.execPath, [join(root, program), ...words], {
    cwd: root,
    env: { PARCELA_TEST_PATIENCE: PATIENCE, ...process.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

/** The title of a test, and on the next line what it threw. */
const FAILURE = new RegExp(`^ {4}(?! |the file ended badly|it was given up)(.+)\n {4}(?:${FINDING})`, 'm');

export function verdictOf(code: number | null, output: string): Verdict {
  if (code === 0) return { kind: 'missed' };
  const [, title] = FAILURE.exec(output) ?? [];
  return title === undefined ? { kind: 'broken', output } : { kind: 'caught', title };
}
