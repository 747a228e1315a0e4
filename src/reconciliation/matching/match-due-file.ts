import type { Database } from '../../platform/postgres/database.ts';
import {
  claimFile,
  type FiledEntry,
  type FoundCandidate,
  findBatchMembers,
  findCandidatesByCode,
  findNamedCandidates,
  type MatchedFile,
  readNextEntries,
} from './candidates.sql.ts';
import { type DecidedLines, decideLines, isOfBatch } from './decided-lines.ts';
import { finishMatching, withdrawSomeMatches } from './matched-files.sql.ts';
import { recordMatches } from './matches.sql.ts';

export type MatchTools = {
  readonly database: Database;
  /** A delivery was written that waits to be sent. */
  readonly notifyDeliverer: () => void;
  /** Called with how many lines were matched, and how many were not. */
  readonly observe: (matched: number, unmatched: number) => void;
};

const LINES_OF_COMMIT = 400;
const LEASE_MILLISECONDS = 30_000;
/** Sales of a batch that are divided in one commit. */
const MOST_OF_BATCH = 5_000;

/**
 * Matches the lines of the file that waits for longest, some in each commit, until its end or until the
 * signal is aborted: another run, or another process, goes on behind the last commit. Gives how many
 * commits it made; 0: no file waits.
 */
export async function matchDueFile(tools: MatchTools, signal: AbortSignal): Promise<number> {
  const file = await claimFile(tools.database, LEASE_MILLISECONDS);
  if (file === null) return 0;
  let commits = 1;
  if (file.replaces !== null && file.matchedLine === 0)
    commits += await withdrawReplaced(tools, file, file.replaces, signal);
  for (let after: number | null = file.matchedLine; after !== null; commits += 1) {
    if (signal.aborted) return commits;
    after = await matchLines(tools, file, after);
  }
  return commits;
}

/** Gives the last line that was matched; null: the end of the file, or another process goes on in it. */
async function matchLines(tools: MatchTools, file: MatchedFile, afterLine: number): Promise<number | null> {
  const { database } = tools;
  const { fileNumber, fence } = file;
  const entries = await readNextEntries(database, fileNumber, afterLine, LINES_OF_COMMIT);
  const last = entries.at(-1);
  if (last === undefined) {
    await finishMatching(database, file);
    return null;
  }
  const decided = await decideEntries(database, entries, file.sha256);
  const lines = { ...decided, fileNumber, fence, afterLine, lastLine: last.lineNumber };
  const { isGone, isWaiting } = await recordMatches(database, lines, LEASE_MILLISECONDS);
  if (isWaiting) tools.notifyDeliverer();
  if (isGone) return null;
  tools.observe(entries.length - decided.unmatched.length, decided.unmatched.length);
  return last.lineNumber;
}

/** What lines of one file are about, as the books stand. */
export async function decideEntries(
  database: Database,
  entries: readonly FiledEntry[],
  sha256: string,
): Promise<DecidedLines> {
  const [first] = entries;
  if (first === undefined) return { matches: [], unmatched: [], changes: [] };
  const named = entries.filter((entry) => !isOfBatch(entry)).map(({ lineNumber }) => lineNumber);
  const candidates = await findNamedCandidates(database, first.fileNumber, named);
  // Only where nothing names the sale: the first rule that finds one decides.
  const unnamed = named.filter((line) => !candidates.has(line));
  const byCode = await findCandidatesByCode(database, first.fileNumber, unnamed);
  const members = new Map<number, readonly FoundCandidate[] | null>();
  for (const entry of entries.filter(isOfBatch))
    members.set(entry.lineNumber, await findBatchMembers(database, entry, MOST_OF_BATCH));
  return decideLines(
    entries,
    ({ lineNumber }) => {
      const found = candidates.get(lineNumber) ?? byCode.get(lineNumber);
      return found === undefined ? [] : found;
    },
    ({ lineNumber }) => members.get(lineNumber) ?? null,
    sha256,
  );
}

/** A file that was sent anew: what the earlier one was matched to is taken back first. */
async function withdrawReplaced(
  { database, notifyDeliverer }: MatchTools,
  file: MatchedFile,
  replaced: number,
  signal: AbortSignal,
): Promise<number> {
  let commits = 0;
  for (let isLeft = true; isLeft && !signal.aborted; commits += 1) {
    const withdrawn = await withdrawSomeMatches(database, file, replaced, LEASE_MILLISECONDS);
    isLeft = withdrawn.count > 0;
    if (withdrawn.isWaiting) notifyDeliverer();
  }
  return commits;
}
