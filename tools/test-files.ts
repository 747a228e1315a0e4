import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';

const FOLDERS = [
  'src',
  'homologation',
  'packages',
  'simulators',
  'conformance',
  'examples',
  'tools',
  'bench',
  'test',
];
const PATTERNS = FOLDERS.map((folder) => `${folder}/**/*.test.ts`);
/** Always run with a change: they look at all sources, and take seconds. */
const FENCES = 'test/architecture/';
/** It imports everything: what is opened through it is told apart by folder instead. */
const WHOLE_SERVICE = 'test/kit/service-here.ts';

/**
 * What the papers tell readers to do, done: guides, the tour, backups, a release that is packed and
 * installed, also on Debian from nothing to a sale. They are long: they run with a change of what they read
 * or call, and in the proof.
 */
export const PAPERS: readonly string[] = [
  'test/installing/debian.test.ts',
  'test/installing/pages.test.ts',
  'test/installing/release.test.ts',
  'test/restored/backups.test.ts',
  'test/start/guides.test.ts',
  'test/start/tour.test.ts',
];
/** Promotions, and starts beside a server that dies, again and again: of the proof likewise. */
export const CLUSTERS: readonly string[] = ['test/restored/promoted.test.ts', 'test/start/restarts.test.ts'];
/**
 * How packages, PostgreSQL and the bundle are brought up, and what was left behind: every run of tests is
 * brought up by them.
 */
export const STARTERS: readonly string[] = [
  'homologation/embedded-postgres/launcher.test.ts',
  'test/start/bundle.test.ts',
  'tools/install.test.ts',
];
/** The conformance suite tries itself, on simulators and on bridges with every fault. */
export const OF_CONFORMANCE: readonly string[] = [
  'conformance/acquirer/conformance.test.ts',
  'conformance/bank/conformance.test.ts',
];
/** Two cells behind HAProxy. */
export const OF_CELLS: readonly string[] = ['test/cells/proxied.test.ts'];
/** Packs and compiles the package, and runs it where there is nothing else. */
export const OF_PACKAGES: readonly string[] = ['test/installing/settlement-files.test.ts'];
/** The simulated acquirers and banks by themselves: killed, and asked by their own wire. */
export const OF_SIMULATORS: readonly string[] = [
  'simulators/acquirer/changes.test.ts',
  'simulators/acquirer/files.test.ts',
  'simulators/acquirer/protocol.test.ts',
  'simulators/acquirer/restart.test.ts',
  'simulators/acquirer/spoiled-answer.test.ts',
  'simulators/bank/bank.test.ts',
  'simulators/bank/restart.test.ts',
  'simulators/cielo/cielo.test.ts',
  'simulators/pix/charges.test.ts',
  'simulators/pix/faults.test.ts',
  'simulators/pix/histories.test.ts',
  'simulators/pix/recurrences.test.ts',
  'simulators/pix/restart.test.ts',
  'simulators/rede/rede.test.ts',
];
/** What people do on pages that other tests ask without a browser, and a sign-in elsewhere, in Chromium. */
export const OF_BROWSERS: readonly string[] = [
  'test/console/browser-actions.test.ts',
  'test/console/oidc-browser.test.ts',
  'test/console/twenty-jobs.test.ts',
];
/** A slice of the suite `payments` of the proof, for whoever changes what it is about. */
const OF_CHAOS: readonly string[] = ['test/payments/faults.test.ts'];
/** Buyers at the pages of links, subscribers and the demo shop: of the suite `browser`. */
export const OF_BUYERS: readonly string[] = ['test/payments/link-browser.test.ts'];

const OF_PROOF = [
  ...[...PAPERS, ...CLUSTERS, ...STARTERS, ...OF_PACKAGES],
  ...[...OF_CHAOS, ...OF_BUYERS, ...OF_BROWSERS, ...OF_CONFORMANCE, ...OF_SIMULATORS, ...OF_CELLS],
];
/** With a change of which of these each of them runs too. */
const READ_BY: readonly (readonly [files: readonly string[], changed: RegExp])[] = [
  [PAPERS, /^(README|package|docs|deploy|releases|bin|tools|simulators)\b|^src\/.*(contract|refusals)\.ts$/],
  [CLUSTERS, /^(homologation|src\/(app|platform))\//],
  [OF_PACKAGES, /^packages\//],
  [OF_BUYERS, /^(clients\/browser|examples\/shop|src\/(payments\/links|transactions\/payers))\//],
  [STARTERS, /^(bin\/|homologation\/embedded-postgres\/|package|tools\/(install|checkout))/],
  [OF_BROWSERS, /^(homologation|src\/console)\//],
  [OF_SIMULATORS, /^simulators\//],
  [OF_CONFORMANCE, /^(conformance|simulators|examples\/bridge)\//],
  [OF_CELLS, /^(deploy|src\/(app|merchants|platform|values))\//],
  [OF_CHAOS, /^(chaos|src\/(payments|transactions))\//],
];

/** All files of tests but those of the proof, or those that fit the patterns, in the order of their names. */
export async function findFiles(patterns: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  const exclude = ['**/node_modules/**', ...(patterns.length > 0 ? [] : OF_PROOF)];
  for await (const file of glob(patterns.length > 0 ? patterns : PATTERNS, { exclude })) files.push(file);
  return files.sort();
}

/**
 * Those of the files that what was changed since `base`, committed or not, may concern: the fences; files
 * that import what was changed; of a changed module of the service also the files below `test/` that bear
 * its name. No proof that the rest would pass.
 */
export function changedFiles(files: readonly string[], base: string): string[] {
  const git = (...words: string[]) =>
    execFileSync('git', words, { encoding: 'utf8' }).split('\n').filter(Boolean);
  const changed = new Set([
    ...git('diff', '--name-only', base),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]);
  const modules = new Set(
    [...changed].map((path) => /^(?:src\/([\w-]+)|(homologation))\//.exec(path)?.slice(1).find(Boolean)),
  );
  const known = new Map<string, readonly string[]>();
  const ofProof = READ_BY.flatMap(([all, read]) => ([...changed].some((path) => read.test(path)) ? all : []));
  return [...files, ...ofProof].filter(
    (file) =>
      file.startsWith(FENCES) ||
      ofProof.includes(file) ||
      modules.has(/^test\/([\w-]+)\//.exec(file)?.[1]) ||
      [...reachedFrom(file, known)].some((path) => changed.has(path)),
  );
}

/** `#name` of package.json. */
function packageOf(specifier: string): string {
  return `packages/${specifier.slice(1)}/src/index.ts`;
}

/** The file and all that it imports, by their paths in the checkout. */
function reachedFrom(file: string, known: Map<string, readonly string[]>): Set<string> {
  const reached = new Set([file]);
  for (const path of reached) {
    if (path === WHOLE_SERVICE) continue;
    const imported = known.getOrInsertComputed(path, importsOf);
    for (const one of imported) reached.add(one);
  }
  return reached;
}

function importsOf(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const named = readFileSync(path, 'utf8').matchAll(/(?:from|import|import\() ?'(\.{1,2}\/[^']+|#[\w-]+)'/g);
  return [...named].map(([, specifier = '']) =>
    specifier.startsWith('#') ? packageOf(specifier) : normalize(join(dirname(path), specifier)),
  );
}
