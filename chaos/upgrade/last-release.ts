import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import LAST from '../../releases/last.json' with { type: 'json' };
import type { Lock } from '../../tools/bill-of-materials.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const git = (words: readonly string[]) =>
  spawnSync('git', words, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

/** The commit that operators upgrade from. */
export const LAST_RELEASE: string = LAST.commit;

/** Why this version cannot be run here; null when it can. */
export async function whyNoRelease(commit: string): Promise<string | null> {
  const { status, stdout, error } = git(['show', `${commit}:package-lock.json`]);
  if (error !== undefined) return 'git is not installed';
  if (status !== 0) return `this clone has no ${commit.slice(0, 12)}: git fetch --unshallow`;
  const ours = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  const changed = changedPackages(JSON.parse(stdout) as Lock, ours);
  return changed.length === 0 ? null : `it needs other packages: ${changed.join(', ')}`;
}

/** What runs in production, and is another one now or is not here any more. */
function changedPackages(theirs: Lock, ours: Lock): string[] {
  return Object.entries(theirs.packages)
    .filter(([path, entry]) => path !== '' && entry.dev !== true)
    .filter(([path, entry]) => ours.packages[path]?.integrity !== entry.integrity)
    .map(([path]) => path.replace('node_modules/', ''));
}

export type Release = { readonly folder: string; remove(): Promise<void> };

/** The sources of that commit in a folder of their own, with the packages that are installed here. */
export async function unpackRelease(commit: string): Promise<Release> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-release-'));
  // Arguments, and no text of the shell's: the commit may be given by a person.
  // Earlier commits have no packages/, homologation/ or clients/.
  const parts =
    '$(git -C "$1" ls-tree --name-only "$2" src homologation packages clients simulators migrations package.json)';
  const script = `git -C "$1" archive "$2" ${parts} | tar -x -C "$3"`;
  await promisify(execFile)('bash', ['-o', 'pipefail', '-c', script, 'unpack', ROOT, commit, folder]);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
