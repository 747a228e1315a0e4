import { mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Actor } from '../../audit/audit-event.ts';
import { type ImportTools, importSettlementFile } from './import-settlement-file.ts';
import { refusalLines } from './refusal-lines.ts';
import { keptName } from './settlement-file.ts';

export type WatchedFolderTools = Omit<ImportTools, 'report'> & {
  readonly actor: Actor;
  /** Size and time of each file at the last look. */
  readonly sizes: Map<string, string>;
  readonly observe: (name: string, outcome: 'taken' | 'known' | 'refused') => void;
};

/** Of one look; what is left waits for the next. */
const MOST_OF_LOOK = 20;
const MOST_REMEMBERED = 1_000;
/** A name has at most 255 bytes, and a reason beside it a longer one. */
const LONGEST_NAME = 50;

/**
 * Takes files that have not grown since the last look, and moves them: to `taken/`, or to `refused/`
 * with a text that says why. Several processes may watch one folder: a file that another has moved is
 * passed over. A file whose names begins with a dot is still being written.
 */
export async function processWatchedFolder(
  tools: WatchedFolderTools,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  for (const each of ['taken', 'refused']) await mkdir(join(folder, each), { recursive: true });
  const names = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort();
  const whole: string[] = [];
  const seen = new Map<string, string>();
  for (const name of names.slice(0, MOST_REMEMBERED)) {
    const mark = await markOf(join(folder, name));
    if (mark === null) continue;
    seen.set(name, mark);
    if (tools.sizes.get(name) === mark) whole.push(name);
  }
  tools.sizes.clear();
  for (const [name, mark] of seen) tools.sizes.set(name, mark);
  const errors: unknown[] = [];
  for (const name of whole.slice(0, MOST_OF_LOOK)) {
    if (signal.aborted) break;
    // One that cannot be taken or moved must not keep those behind it.
    await takeWatched(tools, folder, name).catch((error) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}

/** Null: it is gone, and another process has it. */
async function markOf(path: string): Promise<string | null> {
  return stat(path).then(
    ({ size, mtimeMs }) => `${size} ${mtimeMs}`,
    () => null,
  );
}

async function takeWatched(tools: WatchedFolderTools, folder: string, name: string): Promise<void> {
  const path = join(folder, name);
  const result = await importSettlementFile({ ...tools, report: () => {} }, path, tools.actor).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );
  if (result === null) return;
  // Another process is at it: it will move it.
  if (result.kind === 'refused' && result.isBeingTaken) return;
  if (result.kind === 'refused') {
    const target = join(folder, 'refused', name.slice(0, LONGEST_NAME));
    await writeFile(`${target}.reason.txt`, `${refusalLines(result).join('\n')}\n`);
    await moveAway(path, target);
  } else await moveAway(path, join(folder, 'taken', name));
  tools.observe(keptName(name), result.kind);
}

async function moveAway(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}
