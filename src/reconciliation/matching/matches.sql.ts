import { newId } from '../../platform/chance.ts';
import {
  type CommitStep,
  type Database,
  type Row,
  type Step,
  statement,
} from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { keepFiledChangesStep } from '../../transactions/changes/filed-changes.sql.ts';
import type { ExceptionState } from '../exceptions/exception.ts';
import { type ExceptionRow, NO_MERCHANT, recordExceptionsStep } from '../exceptions/exception-writes.sql.ts';
import { judgeSteps } from '../judging/judge.sql.ts';
import type { InstallmentKey } from '../judging/matched-part.ts';
import { learnStep } from './coverages.sql.ts';
import type { DecidedLines, DecidedMatch, UnmatchedLine } from './decided-lines.ts';

const MATCHES = inputRows<DecidedMatch>({
  merchant_id: ['text', (match) => match.merchantId],
  transaction_id: ['uuid', (match) => match.transactionId],
  installment_number: ['smallint', (match) => match.installmentNumber],
  file_number: ['bigint', (match) => match.fileNumber],
  line_number: ['integer', (match) => match.lineNumber],
  kind: ['text', (match) => match.kind],
  rule: ['text', (match) => match.rule],
  gross: ['bigint', (match) => match.gross],
  fee: ['bigint', (match) => match.fee],
  net: ['bigint', (match) => match.net],
  anticipation_fee: ['bigint', (match) => match.anticipationFee],
  bank_on: ['date', (match) => match.bankOn],
  document: ['text', (match) => match.document],
  change_id: ['text', (match) => match.changeId],
});

const WRITE = statement(
  'settlement_matches.write',
  `insert into settlement_matches (merchant_id, transaction_id, installment_number, file_number, line_number, kind, rule,
     gross, fee, net, anticipation_fee, bank_on, document, change_id)
   select i.merchant_id, i.transaction_id, i.installment_number, i.file_number, i.line_number, i.kind, i.rule,
     i.gross, i.fee, i.net, i.anticipation_fee, i.bank_on, i.document, i.change_id
   from ${MATCHES.sql}
   on conflict do nothing
   returning true`,
);

/** The fence lets one process at a time go on in a file. */
const ADVANCE = statement(
  'settlement_files.advance',
  `update settlement_files set matched_line = $4, due_at = now() + $5 * interval '1 millisecond'
   where file_number = $1 and fence = $2 and matched_line = $3 and matched_at is null returning file_number`,
);

export type MatchedLines = DecidedLines & {
  readonly fileNumber: number;
  readonly fence: number;
  readonly afterLine: number;
  readonly lastLine: number;
};

/** Files that were not sent anew, nor are until the end of the commit: a file takes their place behind it. */
const HOLD_STANDING = statement(
  'settlement_files.hold_standing',
  `select file_number from settlement_files where file_number = any ($1::bigint[]) and replaced_by is null
   order by file_number for share`,
);

function holdStandingStep(files: readonly number[]): Step {
  return { statement: HOLD_STANDING, values: [files] };
}

/** `gone`: another process goes on in the file. `isWaiting`: a delivery was written. */
export type MatchesResult = { readonly isGone: boolean; readonly isWaiting: boolean };

/**
 * What some lines of a file are about, with all that follows from it, in one commit. `isStale`: a list
 * that a batch was divided over was sent anew since, and nothing was written.
 */
export async function recordMatches(
  database: Database,
  { fileNumber, fence, afterLine, lastLine, matches, unmatched, changes, lists }: MatchedLines,
  leaseMilliseconds: number,
): Promise<MatchesResult & { readonly isStale: boolean }> {
  const isStale = (rows: readonly (readonly Row[])[]) => rows[0]?.length !== lists.length;
  const advance = {
    statement: ADVANCE,
    values: [fileNumber, fence, afterLine, lastLine, leaseMilliseconds],
  };
  const steps: CommitStep[] = [
    lists.length === 0 ? () => null : holdStandingStep(lists),
    (rows) => (isStale(rows) ? null : advance),
    () => keepFiledChangesStep(changes),
    () => (matches.length === 0 ? null : { statement: WRITE, values: MATCHES.values(matches) }),
    () => recordExceptionsStep(unmatched.map((line) => unmatchedRow(line))),
  ];
  const all = [...steps, ...judgeSteps(matches, steps.length)];
  // Nothing behind the second step, when another process has the file.
  const guarded = all.map(
    (step, index): CommitStep =>
      index <= 1
        ? step
        : (rows) => (rows[1]?.length === 1 ? (typeof step === 'function' ? step(rows) : step) : null),
  );
  const rows = await database.commit(guarded);
  return { isGone: rows[1]?.length !== 1, isStale: isStale(rows), isWaiting: isAnyWaiting(rows) };
}

export function isAnyWaiting(rows: readonly (readonly Row[])[]): boolean {
  return rows.flat().some(({ is_waiting }) => is_waiting === true);
}

type LineException = { readonly exceptionId: string; readonly state: ExceptionState };

const FIND_OF_LINE = statement(
  'reconciliation_exceptions.find_of_line',
  `select exception_id, state from reconciliation_exceptions
   where merchant_id = '' and file_number = $1 and line_number = $2 and class = $3 limit 1`,
);

/** What stands written of a line that was not matched; null: nothing does. */
export async function findLineException(
  database: Database,
  { fileNumber, lineNumber, class: name }: UnmatchedLine,
): Promise<LineException | null> {
  const [row] = await database.query(FIND_OF_LINE, [fileNumber, lineNumber, name]);
  if (row === undefined) return null;
  return { exceptionId: row.exception_id as string, state: row.state as ExceptionState };
}

/** `standing`: what was written of the line before. */
export function unmatchedRow(
  { fileNumber, lineNumber, amount, found, day, ...line }: UnmatchedLine,
  standing: LineException | null = null,
): ExceptionRow {
  return {
    merchantId: NO_MERCHANT,
    exceptionId: standing?.exceptionId ?? newId(),
    key: `${fileNumber}:${lineNumber}:${line.class}`,
    class: line.class,
    event: standing === null ? 'open' : 'reopen',
    before: standing?.state ?? null,
    state: 'open',
    accountNumber: null,
    transactionId: null,
    installmentNumber: null,
    fileNumber,
    lineNumber,
    finding: { amount, expected: null, found, day, explanation: null },
    message: null,
  };
}

/** Judges installments by themselves, with what follows behind it. True: a delivery was written. */
export async function judgeInstallments(
  database: Database,
  keys: readonly InstallmentKey[],
  behind: readonly Step[] = [],
): Promise<boolean> {
  return isAnyWaiting(await database.commit([...judgeSteps(keys, 0), ...behind]));
}

const HEAL_LINE = statement(
  'reconciliation_exceptions.heal_line',
  `update reconciliation_exceptions e set state = 'healed', ended_at = now(), due_at = null
   where e.merchant_id = '' and e.exception_id = $1 and e.state = 'open'
   returning e.exception_id`,
);

/**
 * A line whose sale was found later: its exception heals, what follows is judged, and its file covers
 * the merchant. Nothing is written for a file, or over a list, that was sent anew: what was matched is
 * taken back once.
 */
export async function recordFoundLine(
  database: Database,
  { exceptionId, fileNumber }: { readonly exceptionId: string; readonly fileNumber: number },
  { matches, changes, lists }: Pick<DecidedLines, 'matches' | 'changes' | 'lists'>,
): Promise<boolean> {
  const files = [fileNumber, ...lists];
  const steps: CommitStep[] = [
    holdStandingStep(files),
    (rows) => (rows[0]?.length === files.length ? { statement: HEAL_LINE, values: [exceptionId] } : null),
    (rows) => (rows[1]?.length === 1 ? keepFiledChangesStep(changes) : null),
    (rows) => (rows[1]?.length === 1 ? { statement: WRITE, values: MATCHES.values(matches) } : null),
  ];
  const merchants = [...new Set(matches.map(({ merchantId }) => merchantId))];
  const learn: CommitStep = (rows) => (rows[1]?.length === 1 ? learnStep(fileNumber, merchants) : null);
  const all = [...steps, ...judgeSteps(matches, steps.length), learn];
  return isAnyWaiting(await database.commit(all));
}
