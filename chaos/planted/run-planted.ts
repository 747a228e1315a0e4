import { fileOf } from '../../tools/mutations/edit.ts';
import { runTries } from '../../tools/mutations/run-tries.ts';
import { CHECKOUT, openScratchCopy, type ScratchCopy } from '../../tools/mutations/scratch-copy.ts';
import { type Ran, runInCopy } from '../../tools/mutations/try-edits.ts';
import type { Plant } from './plant.ts';
import { PLANTS } from './plants.ts';

/** Another seed, another draw: a plant that hides from one is looked for again. */
const MOST_TRIES = 3;

/**
 * Plants each mistake in a copy of the checkout and runs the part of the suite that should find it.
 * A suite that finds
 * nothing in a broken service proves nothing about a whole one. Gives the exit code: 1 when one was
 * not caught.
 */
export async function runPlanted(
  seed: number,
  only: string | null,
  say: (line: string) => void,
): Promise<number> {
  const plants = plantsNamed(only);
  // Ctrl-C reaches the suite in the copy too: it cleans up and ends, and then we do.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  // An anchor that has moved is reported before hours are spent.
  for (const plant of plants) for (const edit of plant.edits) fileOf(CHECKOUT, edit);
  say('| planted | caught | by the kind | within faults | broken promise |');
  say('| --- | --- | --- | --- | --- |');
  let missed = 0;
  const copy = openScratchCopy();
  try {
    for (const plant of plants) {
      const found = await runPlant(copy, plant, seed);
      if (found === null) missed += 1;
      const cells = found === null ? ['NOT CAUGHT', plant.kinds, plant.kills * MOST_TRIES, ''] : found;
      say(`| ${plant.name} | ${cells.join(' | ')} |`);
    }
  } finally {
    copy.remove();
  }
  say(`${plants.length - missed} of ${plants.length} caught, seed ${seed}`);
  return missed > 0 ? 1 : 0;
}

/**
 * The same mistakes, and of each the file of `npm test` that is to find it. Gives the exit code: 1 when one
 * was not caught.
 */
export async function runPlantedFast(only: string | null, say: (line: string) => void): Promise<number> {
  const plants = plantsNamed(only);
  for (const { name, fast, slowBecause } of plants)
    if (fast === null) say(`left out ${name}: ${slowBecause}`);
  const tries = plants.flatMap(({ name, edits, fast }) =>
    fast === null ? [] : [{ name, edits, file: fast }],
  );
  return (await runTries(tries, say)) > 0 ? 1 : 0;
}

function plantsNamed(only: string | null): Plant[] {
  return PLANTS.filter(
    ({ name, suite = 'payments' }) => only === null || only === suite || name.includes(only),
  );
}

async function runPlant(copy: ScratchCopy, plant: Plant, seed: number): Promise<string[] | null> {
  try {
    copy.plant(plant.edits);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { code, output } = await runSuiteIn(copy, plant, seed + tries);
      if (code === 1) return ['caught', plant.kinds, faultsIn(output, plant, tries), promiseIn(output)];
      // The machine was too slow for the judge, without any attack.
      if (/^UNDECIDED /m.test(output)) continue;
      // Anything else is no finding: the copy does not even run.
      if (code !== 0) throw new Error(`${plant.name}: the suite ended with ${code}\n${output.slice(-2_000)}`);
    }
    return null;
  } finally {
    copy.restore();
  }
}

/** Answers show a planted mistake; times would show what else the machine does. */
const CROWD_OPTIONS = ['--answers-only', '--health', '20000', '--seconds', '6'];
const USUAL_SIZE = 0.2;

function runSuiteIn(copy: ScratchCopy, plant: Plant, seed: number): Promise<Ran> {
  const options = [
    '--only',
    plant.kinds,
    '--kills',
    String(plant.kills),
    '--seed',
    String(seed),
    '--until-caught',
    ...(plant.suite === 'crowd' ? [...CROWD_OPTIONS, '--size', String(plant.size ?? USUAL_SIZE)] : []),
  ];
  return runInCopy(copy, ['chaos/run.ts', plant.suite ?? 'payments', ...options]);
}

/** Looked at every few faults: so many there were until the finding. */
function faultsIn(output: string, plant: Plant, tries: number): string {
  const [, table = ''] = output.split(/^\| ---.*$/m);
  const counts = [...table.matchAll(/^\| (?!whole run)[^|]+ \| (\d+) \|/gm)].map(([, count]) =>
    Number(count),
  );
  return String(tries * plant.kills + counts.reduce((sum, count) => sum + count, 0));
}

/** The first promise that was found broken, and how often promises were. */
function promiseIn(output: string): string {
  const [, promise] = /^VIOLATION \(seed \d+\) [^:]+: ([^:]+):/m.exec(output) ?? [];
  const count = /(\d+) violations, seed/.exec(output)?.[1];
  return `${promise} (${count} findings)`;
}
