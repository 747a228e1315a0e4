import { newId } from '../../platform/chance.ts';
import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import { inputRows, own } from '../../platform/postgres/input-rows.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { keepFiledChanges } from '../../transactions/changes/changes.sql.ts';
import { EXCEPTION_STATES } from '../exceptions/exception.ts';
import { type ExceptionRow, NO_MERCHANT, recordExceptions } from '../exceptions/exception-writes.sql.ts';
import { judge } from '../judging/judge.sql.ts';
import type { InstallmentKey } from '../judging/judged-installment.ts';
import { learnMerchants } from './coverages.sql.ts';
import type { DecidedLines, DecidedMatch, UnmatchedLine } from './decided-lines.ts';

const MATCHES = inputRows<DecidedMatch>({
  ...own({ merchantId: 'text', transactionId: 'uuid', installmentNumber: 'smallint' }),
  ...own({ fileNumber: 'bigint', lineNumber: 'integer', kind: 'text', rule: 'text', gross: 'bigint' }),
  ...own({ fee: 'bigint', net: 'bigint', anticipationFee: 'bigint', bankOn: 'date', document: 'text' }),
  change_id: ['text', (match) => match.changeId],
});

const WRITE = statement(
  'settlement_matches.write',
  `insert into settlement_matches (${MATCHES.names}) select ${MATCHES.selected}
   from ${MATCHES.sql}
   on conflict do nothing
   returning true`,
);

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

/** Locks the files, so that none is replaced before the commit. */
const HOLD_STANDING = statement(
  'settlement_files.hold_standing',
  `select file_number from settlement_files where file_number = any ($1::bigint[]) and replaced_by is null
   order by file_number for share`,
);

async function holdStanding(tx: Tx, files: readonly number[]): Promise<boolean> {
  return (await tx.query(HOLD_STANDING, [files])).length === files.length;
}

async function writeLines(
  tx: Tx,
  { matches, unmatched, changes }: Omit<DecidedLines, 'lists'>,
): Promise<boolean> {
  await keepFiledChanges(tx, changes);
  if (matches.length > 0) await tx.query(WRITE, MATCHES.values(matches));
  const isWaiting = await recordExceptions(
    tx,
    unmatched.map((line) => unmatchedRow(line)),
  );
  return (await judge(tx, matches)) || isWaiting;
}

/** `isGone`: another process has the file. `isWaiting`: a delivery was written. */
export type MatchesResult = { readonly isGone: boolean; readonly isWaiting: boolean };

/** `isStale`: a list used for a batch was replaced, and nothing was written. */
export async function recordMatches(
  database: Database,
  { fileNumber, fence, afterLine, lastLine, ...decided }: MatchedLines,
  leaseMilliseconds: number,
): Promise<MatchesResult & { readonly isStale: boolean }> {
  const { lists } = decided;
  const advance = [fileNumber, fence, afterLine, lastLine, leaseMilliseconds];
  return database.transaction(async (tx) => {
    if (lists.length > 0 && !(await holdStanding(tx, lists)))
      return { isStale: true, isGone: false, isWaiting: false };
    const isGone = (await tx.query(ADVANCE, advance)).length === 0;
    return { isStale: false, isGone, isWaiting: !isGone && (await writeLines(tx, decided)) };
  });
}

const LINE_EXCEPTION = rowCodec({ exceptionId: column.text(), state: column.oneOf(EXCEPTION_STATES) });
type LineException = RowOf<typeof LINE_EXCEPTION>;

const FIND_OF_LINE = statement(
  'reconciliation_exceptions.find_of_line',
  `select ${LINE_EXCEPTION.columns} from reconciliation_exceptions
   where merchant_id = '' and file_number = $1 and line_number = $2 and class = $3 limit 1`,
);

export async function findLineException(
  database: Database,
  { fileNumber, lineNumber, class: name }: UnmatchedLine,
): Promise<LineException | null> {
  return firstOf(await database.query(FIND_OF_LINE, [fileNumber, lineNumber, name]), LINE_EXCEPTION.parse);
}

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

/** Returns whether a delivery was written. */
export function judgeInstallments(database: Database, keys: readonly InstallmentKey[]): Promise<boolean> {
  return database.transaction((tx) => judge(tx, keys));
}

const HEAL_LINE = statement(
  'reconciliation_exceptions.heal_line',
  `update reconciliation_exceptions e set state = 'healed', ended_at = now(), due_at = null
   where e.merchant_id = '' and e.exception_id = $1 and e.state = 'open'
   returning e.exception_id`,
);

/** Writes nothing if the file or a used list was replaced: matches are withdrawn only once. */
export async function recordFoundLine(
  database: Database,
  { exceptionId, fileNumber }: { readonly exceptionId: string; readonly fileNumber: number },
  { matches, changes, lists }: Pick<DecidedLines, 'matches' | 'changes' | 'lists'>,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    if (!(await holdStanding(tx, [fileNumber, ...lists]))) return false;
    if ((await tx.query(HEAL_LINE, [exceptionId])).length === 0) return false;
    const isWaiting = await writeLines(tx, { matches, changes, unmatched: [] });
    await learnMerchants(tx, fileNumber, [...new Set(matches.map(({ merchantId }) => merchantId))]);
    return isWaiting;
  });
}
