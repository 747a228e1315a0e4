import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type KeptResult = {
  readonly isGood: boolean;
  readonly seconds: number;
  readonly seed: number;
  /** The day it ended, of UTC. */
  readonly day: string;
};

/** What the suites came to at one commit. */
export type KeptResults = {
  /** Of the checkout; `null` when something in it is not committed: then nothing is kept. */
  readonly commit: string | null;
  /** Where the output of the suites goes. */
  readonly folder: string;
  of(name: string): KeptResult | null;
  keep(name: string, result: KeptResult): Promise<void>;
};

/** Results of the checkout in `root`, in a folder that is not committed. */
export async function openKeptResults(root: string): Promise<KeptResults> {
  const git = (...words: readonly string[]) =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
  const commit = git('status', '--porcelain') === '' ? git('rev-parse', 'HEAD') : null;
  const folder = join(root, 'node_modules', '.cache', 'parcela-proof', commit ?? 'not-committed');
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'results.json');
  const text = commit === null ? '{}' : await readFile(file, 'utf8').catch(() => '{}');
  const results = new Map(Object.entries(JSON.parse(text) as Record<string, KeptResult>));
  return {
    commit,
    folder,
    of: (name) => results.get(name) ?? null,
    async keep(name, result) {
      results.set(name, result);
      if (commit !== null) await writeFile(file, JSON.stringify(Object.fromEntries(results), null, 1));
    },
  };
}

/** The same for each run at a commit, another for the next: a finding comes again with its commit. */
export function seedOfCommit(commit: string): number {
  return Number.parseInt(commit.slice(0, 7), 16) + 1;
}
