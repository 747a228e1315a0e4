import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Actor } from '../../audit/audit-event.ts';
import { type ImportTools, importSettlementFile, rememberRefusedFile } from './import-settlement-file.ts';
import {
  hasRested,
  type ImportResult,
  isStillWritten,
  isToTry,
  keptName,
  movedName,
  refusalLines,
  type WatchedFile,
} from './settlement-file.ts';

export type WatchedFolderTools = Omit<ImportTools, 'report'> & {
  readonly actor: Actor;
  readonly limits: WatchedLimits;
  readonly seen: Map<string, WatchedFile>;
  readonly observe: (name: string, outcome: 'taken' | 'known' | 'refused' | 'waiting') => void;
};

/** In one pass; the rest wait for the next. */
const MOST_OF_LOOK = 20;
const MOST_REMEMBERED = 1_000;

/**
 * Takes files that did not change since the last pass, and moves them to `taken/`, or to `refused/` with a
 * text. A file with wrong lines may be a slow upload: it is refused only after a rest. Several processes may
 * watch one folder. The uploader may be hostile: no symbolic link is followed.
 */
export async function processWatchedFolder(
  tools: WatchedFolderTools,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  for (const each of ['taken', 'refused'] as const) await ownFolder(folder, each);
  const names = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && !isStillWritten(entry.name))
    .map(({ name }) => name)
    .sort();
  const before = new Map(tools.seen);
  tools.seen.clear();
  const toTry: string[] = [];
  for (const name of names.slice(0, MOST_REMEMBERED)) {
    const file = await lookAt(join(folder, name), before.get(name));
    if (file === null) continue;
    tools.seen.set(name, file);
    if (isToTry(file)) toTry.push(name);
  }
  const errors: unknown[] = [];
  for (const name of toTry.slice(0, MOST_OF_LOOK)) {
    if (signal.aborted) break;
    await takeWatched(tools, folder, name).catch((error) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}

/** A symbolic link here would make us write files anywhere. */
async function ownFolder(folder: string, name: 'taken' | 'refused'): Promise<string> {
  const path = join(folder, name);
  await mkdir(path, { recursive: true });
  if ((await lstat(path)).isDirectory()) return path;
  throw new Error(`${name} in the settlement folder is a link and no folder: nothing is moved there`);
}

/** null: gone, or no regular file. */
async function lookAt(path: string, before: WatchedFile | undefined): Promise<WatchedFile | null> {
  const found = await lstat(path).catch(() => null);
  if (!found?.isFile()) return null;
  const mark = `${found.size} ${found.mtimeMs}`;
  // By this process's clock, or the file's own time if that is longer ago.
  const now = performance.now();
  const isSame = before !== undefined && before.mark === mark;
  const since = Math.min(isSame ? before.since : now, now - (Date.now() - found.mtimeMs));
  return { mark, since, restedFor: now - since, isSame, wasRefused: isSame && before.wasRefused };
}

async function takeWatched(tools: WatchedFolderTools, folder: string, name: string): Promise<void> {
  const path = join(folder, name);
  const result = await importWatched(tools, path);
  if (result === null) return;
  // The other process will move it.
  if (result.kind === 'refused' && result.isBeingTaken) return;
  const file = tools.seen.get(name);
  if (result.kind === 'refused' && result.mayBecomeWhole && file !== undefined && !hasRested(file)) {
    tools.seen.set(name, { ...file, wasRefused: true });
    if (!file.wasRefused) tools.observe(keptName(name), 'waiting');
    return;
  }
  if (result.kind === 'refused') {
    await rememberRefusedFile(tools, path, result, tools.actor.actor);
    await refuseWatched(folder, name, result);
  } else await moveAway(path, join(await ownFolder(folder, 'taken'), movedName(name, result.sha256)));
  tools.observe(keptName(name), result.kind);
}

async function importWatched(tools: WatchedFolderTools, path: string): Promise<ImportResult | null> {
  const timeUp = AbortSignal.timeout(tools.limits.milliseconds);
  const open = (each: string) => openWatchedFile(each, tools.limits, timeUp);
  try {
    return await importSettlementFile({ ...tools, report: () => {} }, path, tools.actor, open);
  } catch (error) {
    if (error instanceof WatchedFileUnfit) return await unfit(path, error.message);
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP') return null;
    throw error;
  }
}

/** The file was not read to its end, so name, size and time identify it. */
async function unfit(path: string, reason: string): Promise<ImportResult | null> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return null;
  const sha256 = createHash('sha256').update(`${path}\n${found.size}\n${found.mtimeMs}`).digest('hex');
  return { kind: 'refused', faults: [], reason, isBeingTaken: false, mayBecomeWhole: false, sha256 };
}

async function refuseWatched(
  folder: string,
  name: string,
  result: Extract<ImportResult, { kind: 'refused' }>,
): Promise<void> {
  const target = join(await ownFolder(folder, 'refused'), movedName(name, result.sha256));
  const reason = `${target}.reason.txt`;
  // An existing file is not written into: it may be a link.
  await rm(reason, { force: true });
  await writeFile(reason, `${refusalLines(result).join('\n')}\n`, { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  await moveAway(join(folder, name), target);
}

async function moveAway(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

/** `milliseconds`: how long one file may keep the others waiting. */
type WatchedLimits = { readonly bytes: number; readonly milliseconds: number };

export const WATCHED_LIMITS: WatchedLimits = { bytes: 2 ** 31, milliseconds: 3_600_000 };

class WatchedFileUnfit extends Error {
  override readonly name = 'WatchedFileUnfit';
}

const BY_HAND = 'take it by parcela reconcile import';
const tooLarge = (most: number) => `it has more than ${most} bytes: ${BY_HAND}`;
const tooSlow = (milliseconds: number) =>
  `it took more than ${Math.ceil(milliseconds / 60_000)} minutes: ${BY_HAND}`;

/** The file may have been exchanged since the check: follows no link and does not block on a pipe. */
async function* openWatchedFile(
  path: string,
  { bytes: most, milliseconds }: WatchedLimits,
  timeUp: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new WatchedFileUnfit('it is no file');
    if (found.size > most) throw new WatchedFileUnfit(tooLarge(most));
    let read = 0;
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      if (timeUp.aborted) throw new WatchedFileUnfit(tooSlow(milliseconds));
      read += (chunk as Buffer).length;
      if (read > most) throw new WatchedFileUnfit(tooLarge(most));
      yield chunk as Buffer;
    }
  } finally {
    await file.close();
  }
}
