import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseProgram } from '../../test/architecture/program.ts';
import { type Edit, fileOf } from './edit.ts';

export const CHECKOUT: string = fileURLToPath(new URL('../..', import.meta.url));

/** A copy of the checkout as it stands, in which mistakes are made; the checkout itself is never changed. */
export type ScratchCopy = {
  readonly root: string;
  /** Makes the edits. Throws when one has no place, or when what it leaves is no program. */
  plant(edits: readonly Edit[]): void;
  /** Everything as it was before `plant`. */
  restore(): void;
  remove(): void;
};

export function openScratchCopy(): ScratchCopy {
  const root = mkdtempSync(join(tmpdir(), 'parcela-planted-'));
  for (const path of filesOfCheckout()) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(CHECKOUT, path), join(root, path));
  }
  linkPackages(root);
  const before = new Map<string, string>();
  return {
    root,
    plant(edits) {
      for (const edit of edits) {
        const path = join(root, fileOf(root, edit));
        const text = readFileSync(path, 'utf8');
        if (!before.has(path)) before.set(path, text);
        writeFileSync(
          path,
          text.replace(edit.find, () => edit.put),
        );
      }
      // What does not parse would fail every test, and prove nothing.
      for (const path of before.keys())
        if (path.endsWith('.ts')) parseProgram(path, readFileSync(path, 'utf8'));
    },
    restore() {
      for (const [path, text] of before) writeFileSync(path, text);
      before.clear();
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Those in the repository and those that are new. */
function filesOfCheckout(): string[] {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', words, { cwd: CHECKOUT, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return listed.split('\0').filter((path) => path !== '' && existsSync(join(CHECKOUT, path)));
}

/** One by one: what the runner of tests keeps beside them is not shared with the checkout. */
function linkPackages(root: string): void {
  const packages = realpathSync(join(CHECKOUT, 'node_modules'));
  mkdirSync(join(root, 'node_modules'));
  for (const name of readdirSync(packages))
    if (name !== '.cache') symlinkSync(join(packages, name), join(root, 'node_modules', name));
}
