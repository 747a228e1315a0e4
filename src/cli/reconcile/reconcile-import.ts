import { setTimeout as pause } from 'node:timers/promises';
import type { Lines } from '../../platform/lines.ts';
import {
  importSettlementFile,
  rememberRefusedFile,
} from '../../reconciliation/imports/import-settlement-file.ts';
import {
  type ImportResult,
  refusalLines,
  type SettlementFile,
} from '../../reconciliation/imports/settlement-file.ts';
import { readFile } from '../../reconciliation/imports/settlement-files.sql.ts';
import { matchDueFile } from '../../reconciliation/matching/match-due-file.ts';
import { utcText } from '../../values/instant.ts';
import { type AuditedCommandTools, type Command, reaisOf, visible } from '../command.ts';
import { isFile } from '../option-files.ts';

export const RECONCILE_IMPORT: Command = {
  words: ['reconcile', 'import'],
  summary: 'take files of the acquirer, each whole or not at all, and match their lines',
  operand: { name: 'FILE', description: 'a file as the acquirer sent it', isRepeatable: true },
  opens: 'audited',
  async run(given, tools) {
    const lines: Lines[] = [];
    const json: object[] = [];
    const taken: number[] = [];
    let isBad = false;
    for (const path of given.many('FILE')) {
      const result = await importOne(path, tools);
      if (result.kind === 'taken') taken.push(result.file.fileNumber);
      isBad ||= result.kind === 'refused' || result.kind === 'noFile';
      lines.push(linesOf(path, result));
      json.push({ path, ...jsonOf(result) });
    }
    const waiting = await matchAll(tools, taken);
    if (waiting > 0) lines.push([`Lines of ${waiting} files are still being matched by the service.`]);
    return { isBad, lines, json: { files: json, stillMatching: waiting } };
  },
};

async function countUnmatched(
  database: AuditedCommandTools['database'],
  fileNumbers: readonly number[],
): Promise<number> {
  let count = 0;
  for (const fileNumber of fileNumbers)
    if ((await readFile(database, fileNumber))?.matchedAt === null) count += 1;
  return count;
}

type OneResult = ImportResult | { readonly kind: 'noFile' };

async function importOne(path: string, tools: AuditedCommandTools): Promise<OneResult> {
  if (!(await isFile(path))) return { kind: 'noFile' };
  const report = (count: number) => tools.report(`${visible(path)}: ${count} lines`);
  const result = await importSettlementFile({ ...tools, report, notify: () => {} }, path, tools.operator);
  if (result.kind === 'refused' && !result.isBeingTaken)
    await rememberRefusedFile(tools, path, result, tools.operator.actor);
  return result;
}

/** The longest wait for processes of the service that match the same files. */
const LONGEST_WAIT_MILLISECONDS = 60_000;
const PAUSE_MILLISECONDS = 100;

/**
 * Matches at once what the service would match soon, or has begun. Returns how many files are still being
 * matched.
 */
async function matchAll(
  { database, report }: AuditedCommandTools,
  fileNumbers: readonly number[],
): Promise<number> {
  let lines = 0;
  let reported = 0;
  const tools = {
    database,
    notifyDeliverer: () => {},
    observe(matched: number, unmatched: number) {
      lines += matched + unmatched;
      if (lines - reported < 20_000) return;
      reported = lines;
      report(`${lines} lines matched`);
    },
  };
  const signal = new AbortController().signal;
  const endsAt = performance.now() + LONGEST_WAIT_MILLISECONDS;
  for (;;) {
    while ((await matchDueFile(tools, signal)) > 0);
    const waiting = await countUnmatched(database, fileNumbers);
    if (waiting === 0 || performance.now() > endsAt) return waiting;
    await pause(PAUSE_MILLISECONDS);
  }
}

function linesOf(path: string, result: OneResult): Lines {
  const name = visible(path);
  switch (result.kind) {
    case 'noFile':
      return [`${name}: is no file.`];
    case 'refused':
      return [
        `${name}: refused, and nothing of it was taken.`,
        ...refusalLines(result).map((line) => `  ${line}`),
      ];
    case 'known':
      return [
        `${name}: was taken on ${utcText(result.file.takenAt)} as file ${result.file.fileNumber}; nothing was done.`,
      ];
    case 'taken':
      return [`${name}: ${takenSentence(result.file)}`, ...notesOf(result)];
  }
}

function takenSentence({
  fileNumber,
  format,
  establishment,
  from,
  to,
  entries,
  net,
}: SettlementFile): string {
  const days = from === to ? from : `${from} to ${to}`;
  return `taken as file ${fileNumber}: ${format} of ${establishment}, ${days}, ${entries} entries, ${reaisOf(net)} net.`;
}

function notesOf({
  file: { missingBefore, establishment },
  replaces,
  otherEstablishments,
}: Extract<ImportResult, { kind: 'taken' }>): Lines {
  return [
    ...Object.entries(otherEstablishments).map(
      ([other, count]) =>
        `  ${count} entries are of establishment ${other}, and the header is of ${establishment}.`,
    ),
    replaces !== null && `  It was sent anew, and takes the place of file ${replaces}.`,
    missingBefore > 0 && `  ${missingBefore} files are missing between the one before and this one.`,
  ];
}

function jsonOf(result: OneResult): object {
  if (result.kind === 'noFile') return { result: 'noFile' };
  if (result.kind === 'refused') return { result: 'refused', reason: result.reason, faults: result.faults };
  if (result.kind === 'known') return { result: 'known', replaces: null, file: result.file };
  const { replaces, otherEstablishments, file } = result;
  return { result: 'taken', replaces, otherEstablishments, file };
}
