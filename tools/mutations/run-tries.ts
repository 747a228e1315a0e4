import { availableParallelism } from 'node:os';
import { startOwnServer } from '../../test/hostile/own-server.ts';
import type { Edit } from './edit.ts';
import { fileOf } from './edit.ts';
import { CHECKOUT, openScratchCopy } from './scratch-copy.ts';
import { tryEdits, type Verdict } from './try-edits.ts';

/** A mistake, and the file of `npm test` that is to find it. */
export type Try = { readonly name: string; readonly edits: readonly Edit[]; readonly file: string };

const SHOWN_CHARACTERS = 3_000;

/**
 * Makes each mistake in a copy of the checkout, one for each core, and says of each whether a test of its
 * file fails. Gives how many were not caught, or not tried.
 */
export async function runTries(tries: readonly Try[], say: (line: string) => void): Promise<number> {
  // An edit whose place has moved is said before minutes are spent.
  for (const { edits } of tries) for (const edit of edits) fileOf(CHECKOUT, edit);
  const waiting = [...tries];
  // What is under way comes to its end, and everything that was opened is closed.
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    waiting.length = 0;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  const stopServer = await startOwnServer();
  let [tried, missed] = [0, 0];
  async function takeTurns(): Promise<void> {
    const copy = openScratchCopy();
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const startedAt = performance.now();
        const verdict = await tryEdits(copy, next.edits, next.file);
        const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
        tried += 1;
        if (verdict.kind !== 'caught') missed += 1;
        say(lineOf(next, verdict, seconds));
      }
    } finally {
      copy.remove();
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(availableParallelism(), tries.length) }, takeTurns));
  } finally {
    await stopServer();
  }
  say(`${tried - missed} caught, ${missed} missed${isStopped ? ', and the run was stopped' : ''}`);
  return missed + tries.length - tried;
}

function lineOf({ name, file }: Try, verdict: Verdict, seconds: string): string {
  switch (verdict.kind) {
    case 'caught':
      return `caught ${name}: ${file} (${seconds} s): ${verdict.title}`;
    case 'missed':
      return `MISSED ${name}: ${file} (${seconds} s) passes`;
    case 'broken':
      return `BROKEN ${name}: ${file} (${seconds} s) fails, and no test says why\n${verdict.output.slice(-SHOWN_CHARACTERS)}`;
  }
}
