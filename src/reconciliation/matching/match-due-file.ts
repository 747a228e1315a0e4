import type { Database } from '../../platform/postgres/database.ts';
import { isMatched } from '../settlement-entry.ts';
import {
  claimFile,
  type FiledEntry,
  type FoundBatch,
  findBatchMembers,
  findCandidatesByCode,
  findEntry,
  findNamedCandidates,
  type MatchedFile,
  readNextEntries,
} from './candidates.sql.ts';
import { type DecidedLines, decideLines, isOfBatch, unmatchedLine } from './decided-lines.ts';
import {
  findDividedLine,
  finishMatching,
  withdrawDividedLine,
  withdrawSomeMatches,
} from './matched-files.sql.ts';
import { recordMatches } from './matches.sql.ts';

export type MatchTools = {
  readonly database: Database;
  readonly notifyDeliverer: () => void;
  readonly observe: (matched: number, unmatched: number) => void;
};

const LINES_OF_COMMIT = 400;
const LEASE_MILLISECONDS = 30_000;
/** Also the size of the largest batch that can be divided. */
const INSTALLMENTS_OF_COMMIT = 5_000;

/**
 * Takes the file that has waited longest. Returns the number of commits; another run or process may continue.
 */
export async function matchDueFile(tools: MatchTools, signal: AbortSignal): Promise<number> {
  const file = await claimFile(tools.database, LEASE_MILLISECONDS);
  if (file === null) return 0;
  let commits = 1;
  if (file.replaces !== null && file.matchedLine === 0) {
    if (file.format === 'redeEevc') commits += await withdrawDivided(tools, file, file.replaces, signal);
    commits += await withdrawReplaced(tools, file, file.replaces, signal);
  }
  for (let after: number | null = file.matchedLine; after !== null; commits += 1) {
    if (signal.aborted) return commits;
    after = await matchLines(tools, file, after);
  }
  return commits;
}

/**
 * Returns the last matched line, or the one before stale decisions; null at the end, or if the file is lost.
 */
async function matchLines(tools: MatchTools, file: MatchedFile, afterLine: number): Promise<number | null> {
  const { database } = tools;
  const { fileNumber, fence } = file;
  const next = await readNextEntries(database, fileNumber, afterLine, LINES_OF_COMMIT);
  const { entries, batches } = await withBatches(database, next);
  const last = entries.at(-1);
  if (last === undefined) {
    await finishMatching(database, file);
    return null;
  }
  const decided = await decideEntries(database, entries, batches, file.sha256);
  const lines = { ...decided, fileNumber, fence, afterLine, lastLine: last.lineNumber };
  const { isGone, isStale, isWaiting } = await recordMatches(database, lines, LEASE_MILLISECONDS);
  if (isWaiting) tools.notifyDeliverer();
  if (isStale) return afterLine;
  if (isGone) return null;
  tools.observe(entries.length - decided.unmatched.length, decided.unmatched.length);
  return last.lineNumber;
}

type Batches = ReadonlyMap<number, FoundBatch>;

/** As many lines as fit into one commit, at least one. */
export async function withBatches(
  database: Database,
  next: readonly FiledEntry[],
): Promise<{ readonly entries: readonly FiledEntry[]; readonly batches: Batches }> {
  const entries: FiledEntry[] = [];
  const batches = new Map<number, FoundBatch>();
  let installments = 0;
  for (const entry of next) {
    const batch = isOfBatch(entry) ? await findBatchMembers(database, entry, INSTALLMENTS_OF_COMMIT) : null;
    installments +=
      batch?.members.length ?? (entry.installmentNumber === null ? (entry.installmentCount ?? 1) : 1);
    if (entries.length > 0 && installments > INSTALLMENTS_OF_COMMIT) break;
    entries.push(entry);
    if (batch !== null) batches.set(entry.lineNumber, batch);
  }
  return { entries, batches };
}

const NO_BATCH: FoundBatch = { kind: 'whole', members: [], lists: [] };

export async function decideEntries(
  database: Database,
  entries: readonly FiledEntry[],
  batches: Batches,
  sha256: string,
): Promise<DecidedLines> {
  const [first] = entries;
  if (first === undefined) return { matches: [], unmatched: [], changes: [], lists: [] };
  const named = entries
    .filter((entry) => isMatched(entry.kind) && !isOfBatch(entry))
    .map(({ lineNumber }) => lineNumber);
  const candidates = await findNamedCandidates(database, first.fileNumber, named);
  // The first rule that finds a sale decides, so this one is only for lines that nothing else names.
  const unnamed = named.filter((line) => !candidates.has(line));
  const byCode = await findCandidatesByCode(database, first.fileNumber, unnamed);
  return decideLines(
    entries,
    ({ lineNumber }) => {
      const found = candidates.get(lineNumber) ?? byCode.get(lineNumber);
      return found === undefined ? [] : found;
    },
    ({ lineNumber }) => batches.get(lineNumber) ?? NO_BATCH,
    sha256,
  );
}

/** A list of sales was sent again: lines divided over the old list wait for the new one. */
async function withdrawDivided(
  { database, notifyDeliverer }: MatchTools,
  file: MatchedFile,
  replaced: number,
  signal: AbortSignal,
): Promise<number> {
  let from = 0;
  for (let commits = 0; !signal.aborted; commits += 1) {
    const divided = await findDividedLine(database, replaced, from);
    const entry = divided && (await findEntry(database, divided.fileNumber, divided.lineNumber));
    if (divided === null || entry === null) return commits;
    const line = unmatchedLine(entry, 'batchIncomplete');
    const { isGone, isWaiting } = await withdrawDividedLine(database, file, line, LEASE_MILLISECONDS);
    if (isWaiting) notifyDeliverer();
    if (isGone) return commits;
    from = divided.saleLine;
  }
  return 0;
}

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
