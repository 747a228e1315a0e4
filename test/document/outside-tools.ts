import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const WANTED = fileURLToPath(new URL('outside/', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
const FILES = ['package.json', 'package-lock.json'];
const IS_THERE = '.complete';

/** Tools of other people, exactly as outside/package-lock.json says. Installed once, without scripts. */
export type OutsideTools = {
  readonly folder: string;
  /** Of whatever a package offers to run. */
  run(program: string, words: readonly string[], place: { readonly cwd: string }): Promise<Ran>;
  // biome-ignore lint/suspicious/noExplicitAny: a package of the cache has no types here.
  load(name: string): Promise<any>;
};

export type Ran = { readonly isGood: boolean; readonly output: string };

const MOST_OUTPUT = 10_000_000;

/** Beside a service of this process, which goes on. */
export function runNode(
  words: readonly string[],
  place: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv },
): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { ...place, encoding: 'utf8', maxBuffer: MOST_OUTPUT } as const;
    execFile(process.execPath, [...words], options, (error, stdout, stderr) =>
      resolve({ isGood: error === null, output: `${stdout}${stderr}` }),
    );
  });
}

export async function openOutsideTools(): Promise<OutsideTools> {
  const lock = await readFile(join(WANTED, 'package-lock.json'));
  const name = createHash('sha256').update(lock).digest('hex').slice(0, 16);
  const folder = join(CACHE, `parcela-document-${name}`);
  if (!existsSync(join(folder, IS_THERE))) {
    await mkdir(folder, { recursive: true });
    for (const file of FILES) await cp(join(WANTED, file), join(folder, file));
    const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', words, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
    await writeFile(join(folder, IS_THERE), '');
  }
  return {
    folder,
    run: (program, words, place) => runNode([join(folder, 'node_modules', '.bin', program), ...words], place),
    async load(loaded) {
      const manifest = JSON.parse(
        await readFile(join(folder, 'node_modules', loaded, 'package.json'), 'utf8'),
      );
      const own = manifest.exports?.['.']?.import;
      const entry = (typeof own === 'string' ? own : own?.default) ?? manifest.module ?? manifest.main;
      return import(pathToFileURL(join(folder, 'node_modules', loaded, entry)).href);
    },
  };
}
