import { type CommitStep, type Database, statement } from '../../platform/postgres/database.ts';
import { recordExceptionsStep } from '../exceptions/exception-writes.sql.ts';
import { PAYS } from '../imports/settlement-file.ts';
import { judgeGivenSteps } from '../judging/judge.sql.ts';
import { parseKey } from '../judging/judged.sql.ts';
import type { MatchedFile } from './candidates.sql.ts';
import { coverStep, learnStep } from './coverages.sql.ts';
import type { UnmatchedLine } from './decided-lines.ts';
import { findLineException, isAnyWaiting, type MatchesResult, unmatchedRow } from './matches.sql.ts';

/** The last step of a file: until here another process could have gone on in it. */
const FINISH = statement(
  'settlement_files.finish_matching',
  `update settlement_files set matched_at = now(), due_at = null
   where file_number = $1 and fence = $2 and matched_at is null returning file_number`,
);

/** The sale of a line may stand in the file that has just been matched. */
const LOOK_AGAIN = statement(
  'reconciliation_exceptions.look_again',
  `update reconciliation_exceptions set due_at = now(), tries = 0
   where exception_id in (
     select exception_id from reconciliation_exceptions
     where due_at > now() and merchant_id = '' order by due_at limit 20000
   )`,
);

/** All lines are matched: what this file covers is missed from now on where it is not in it. */
export async function finishMatching(
  database: Database,
  { fileNumber, fence, format, establishment, from, to }: MatchedFile,
): Promise<void> {
  const steps: CommitStep[] = [{ statement: FINISH, values: [fileNumber, fence] }];
  if (PAYS[format]) steps.push(learnStep(fileNumber, null), coverStep({ format, establishment, from, to }));
  steps.push({ statement: LOOK_AGAIN, values: [] });
  await database.commit(
    steps.map((step, index) =>
      index === 0 ? step : (rows) => (rows[0]?.length === 1 ? (step as never) : null),
    ),
  );
}

const RENEW = statement(
  'settlement_files.renew',
  `update settlement_files set due_at = now() + $3 * interval '1 millisecond'
   where file_number = $1 and fence = $2 and matched_at is null returning file_number`,
);

const WITHDRAW = statement(
  'settlement_matches.withdraw_some',
  `delete from settlement_matches m where m.ctid = any (array(
     select x.ctid from settlement_matches x where x.file_number = $1 order by x.line_number limit 500
   ))
   returning m.merchant_id, m.transaction_id, m.installment_number`,
);

const HEAL_LINES = statement(
  'reconciliation_exceptions.heal_some_of_file',
  `update reconciliation_exceptions set state = 'healed', ended_at = now(), due_at = null
   where exception_id in (
     select exception_id from reconciliation_exceptions
     where file_number = $1 and merchant_id = '' and state = 'open' order by line_number limit 500
   ) and state = 'open'
   returning exception_id`,
);

/** Takes some matches and open exceptions of a replaced file back, and judges their installments anew. */
export async function withdrawSomeMatches(
  database: Database,
  { fileNumber, fence }: MatchedFile,
  replaced: number,
  leaseMilliseconds: number,
): Promise<{ readonly count: number; readonly isWaiting: boolean }> {
  const steps: CommitStep[] = [
    { statement: RENEW, values: [fileNumber, fence, leaseMilliseconds] },
    (rows) => (rows[0]?.length === 1 ? { statement: WITHDRAW, values: [replaced] } : null),
    (rows) => (rows[0]?.length === 1 ? { statement: HEAL_LINES, values: [replaced] } : null),
  ];
  const judged = judgeGivenSteps(([, withdrawn = []]) => withdrawn.map(parseKey), steps.length);
  const rows = await database.commit([...steps, ...judged]);
  const count = (rows[1]?.length ?? 0) + (rows[2]?.length ?? 0);
  return { count, isWaiting: isAnyWaiting(rows) };
}

const FIND_DIVIDED = statement(
  'settlement_matches.find_divided_batch',
  `select s.line_number as sale_line, b.file_number, b.line_number from (
     select * from settlement_matches where file_number = $1 and line_number >= $2 order by line_number
   ) s
   cross join lateral (
     select establishment, batch from settlement_entries
     where file_number = s.file_number and line_number = s.line_number and kind = 'sale' and batch is not null limit 1
   ) l
   cross join lateral (
     select m.file_number, m.line_number from settlement_matches m
     join settlement_entries e on e.file_number = m.file_number and e.line_number = m.line_number
     where m.merchant_id = s.merchant_id and m.transaction_id = s.transaction_id and m.rule = 'batch'
       and e.establishment = l.establishment and e.batch = l.batch
     order by m.file_number, m.line_number limit 1
   ) b
   order by s.line_number limit 1`,
);

/** A line of a batch, and the line of the list by which it was found. */
export type DividedLine = {
  readonly saleLine: number;
  readonly fileNumber: number;
  readonly lineNumber: number;
};

/** A line that was divided over the sales of a list, as that list had them; null: there is none any more. */
export async function findDividedLine(
  database: Database,
  list: number,
  fromLine: number,
): Promise<DividedLine | null> {
  const [row] = await database.query(FIND_DIVIDED, [list, fromLine]);
  if (row === undefined) return null;
  return {
    saleLine: row.sale_line as number,
    fileNumber: row.file_number as number,
    lineNumber: row.line_number as number,
  };
}

const WITHDRAW_LINE = statement(
  'settlement_matches.withdraw_line',
  `delete from settlement_matches where file_number = $1 and line_number = $2 and rule = 'batch'
   returning merchant_id, transaction_id, installment_number`,
);

/**
 * Takes all matches of a line of a batch back: it waits for the list that was sent anew. `isGone`:
 * another process goes on in the file.
 */
export async function withdrawDividedLine(
  database: Database,
  { fileNumber, fence }: MatchedFile,
  line: UnmatchedLine,
  leaseMilliseconds: number,
): Promise<MatchesResult> {
  const standing = await findLineException(database, line);
  const steps: CommitStep[] = [
    { statement: RENEW, values: [fileNumber, fence, leaseMilliseconds] },
    (rows) =>
      rows[0]?.length === 1 ? { statement: WITHDRAW_LINE, values: [line.fileNumber, line.lineNumber] } : null,
    (rows) => ((rows[1]?.length ?? 0) > 0 ? recordExceptionsStep([unmatchedRow(line, standing)]) : null),
  ];
  const judged = judgeGivenSteps(([, withdrawn = []]) => withdrawn.map(parseKey), steps.length);
  const rows = await database.commit([...steps, ...judged]);
  return { isGone: rows[0]?.length !== 1, isWaiting: isAnyWaiting(rows) };
}
