// The static checks: everything that can be said of the sources without running them.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSourceTree } from '../test/architecture/source-tree.ts';
import { injectionComplaints } from '../test/architecture/statements.ts';
import type { Lock } from './bill-of-materials.ts';
import { dependencyComplaints, dependencyWarnings, type Manifest } from './dependencies.ts';
import { leaksIn } from './find-secrets.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TIMEOUT_MILLISECONDS = 5 * 60 * 1_000;
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Gives what is wrong; nothing when all is well. */
type Check = { readonly name: string; readonly run: () => Promise<string> };

const CHECKS: readonly Check[] = [
  { name: 'types', run: () => tool('tsc', ['-p', '.', '--pretty', 'false']) },
  {
    name: 'format and lint',
    run: () => tool('biome', ['check', '--max-diagnostics=none', '--error-on-warnings', '--colors=off']),
  },
  { name: 'dead code', run: () => tool('knip', ['--no-progress']) },
  { name: 'printed documents', run: () => outcomeOf(process.execPath, ['tools/print.ts', '--check']) },
  { name: 'statements', run: async () => injectionComplaints(readSourceTree()).join('\n') },
  { name: 'secrets and card numbers', run: findLeaks },
  { name: 'dependencies', run: lookAtDependencies },
];

function tool(name: string, options: readonly string[]): Promise<string> {
  return outcomeOf(join(ROOT, 'node_modules', '.bin', name), options);
}

/** What a program printed when it failed; a failure without a word is one too. */
function outcomeOf(program: string, options: readonly string[]): Promise<string> {
  const limits = { cwd: ROOT, timeout: TIMEOUT_MILLISECONDS, maxBuffer: MOST_OUTPUT_BYTES };
  // The tools are scripts that ask the path for node: it must be ours, not the machine's.
  const path = `${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}`;
  return new Promise((resolve) => {
    execFile(
      program,
      options,
      { ...limits, env: { ...process.env, PATH: path } },
      (error, output, errors) => {
        resolve(error === null ? '' : `${output}${errors}`.trim() || error.message);
      },
    );
  });
}

/** In the files that are, or could be, committed. */
async function findLeaks(): Promise<string> {
  const paths = await new Promise<string[]>((resolve, reject) => {
    const options = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
    execFile('git', options, { cwd: ROOT, maxBuffer: MOST_OUTPUT_BYTES }, (error, output) =>
      error === null ? resolve(output.split('\0').filter(Boolean)) : reject(error),
    );
  });
  const present = paths.filter((path) => path !== 'package-lock.json' && existsSync(join(ROOT, path)));
  return present
    .flatMap((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      // A file that is no text has a zero byte.
      return text.includes('\0') ? [] : leaksIn(text).map(({ line, what }) => `${path}:${line}: ${what}`);
    })
    .join('\n');
}

/** Old versions are only named: the date alone must fail no release that was good on its day. */
async function lookAtDependencies(): Promise<string> {
  const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
  const page = read('docs/dependencies.md');
  for (const warning of dependencyWarnings(page, new Date().toISOString().slice(0, 10))) {
    console.log(`warning: ${warning}`);
  }
  const manifest = JSON.parse(read('package.json')) as Manifest;
  return dependencyComplaints(manifest, JSON.parse(read('package-lock.json')) as Lock, page).join('\n');
}

async function main(): Promise<number> {
  const results = await Promise.all(
    CHECKS.map(async ({ name, run }) => {
      const startedAt = performance.now();
      const fault = await run().catch((error: unknown) => String(error));
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      console.log(`${fault === '' ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
      return { name, fault };
    }),
  );
  const failed = results.filter(({ fault }) => fault !== '');
  for (const { name, fault } of failed) console.log(`\n${name}:\n${fault}`);
  return failed.length === 0 ? 0 : 1;
}

process.exitCode = await main();
