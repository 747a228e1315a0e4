import { spawn } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Edit, Plant } from './plant.ts';
import { PLANTS } from './plants.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What a run of the suite reads. */
const COPIED = ['bin', 'src', 'migrations', 'simulators', 'test', 'chaos', 'docs', 'package.json'];
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
  const plants = PLANTS.filter(
    ({ name, suite = 'payments' }) => only === null || only === suite || name.includes(only),
  );
  // Ctrl-C reaches the suite in the copy too: it cleans up and ends, and then we do.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  // An anchor that has moved is reported before hours are spent.
  for (const plant of plants) for (const edit of plant.edits) fileOf(ROOT, edit);
  say('| planted | caught | by the kind | within faults | broken promise |');
  say('| --- | --- | --- | --- | --- |');
  let missed = 0;
  for (const plant of plants) {
    const found = await runPlant(plant, seed);
    if (found === null) missed += 1;
    const cells = found === null ? ['NOT CAUGHT', plant.kinds, plant.kills * MOST_TRIES, ''] : found;
    say(`| ${plant.name} | ${cells.join(' | ')} |`);
  }
  say(`${plants.length - missed} of ${plants.length} caught, seed ${seed}`);
  return missed > 0 ? 1 : 0;
}

/**
 * The file in which the text stands, exactly once. Throws when it has moved: the patch must be
 * anchored anew.
 */
export function fileOf(root: string, { file, find }: Edit): string {
  const holding = globSync(file, { cwd: root }).filter((path) =>
    readFileSync(join(root, path), 'utf8').includes(find),
  );
  const [path] = holding;
  if (path === undefined || holding.length > 1) {
    throw new Error(`the text of a planted mistake stands in ${holding.length} files of ${file}:\n${find}`);
  }
  if (readFileSync(join(root, path), 'utf8').split(find).length !== 2) {
    throw new Error(`the text of a planted mistake stands more than once in ${path}:\n${find}`);
  }
  return join(root, path);
}

async function runPlant(plant: Plant, seed: number): Promise<string[] | null> {
  const copy = mkdtempSync(join(tmpdir(), 'parcela-planted-'));
  try {
    for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(copy, 'node_modules'));
    for (const edit of plant.edits) {
      const path = fileOf(copy, edit);
      writeFileSync(
        path,
        readFileSync(path, 'utf8').replace(edit.find, () => edit.put),
      );
    }
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
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Answers show a planted mistake; times would show what else the machine does. */
const CROWD_OPTIONS = ['--answers-only', '--health', '20000', '--seconds', '6'];
const USUAL_SIZE = 0.2;

function runSuiteIn(
  copy: string,
  plant: Plant,
  seed: number,
): Promise<{ code: number | null; output: string }> {
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
  const child = spawn(process.execPath, [join(copy, 'chaos/run.ts'), plant.suite ?? 'payments', ...options], {
    cwd: copy,
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
