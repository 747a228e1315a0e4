import { formatNamed } from '#settlement-files';
import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { recordExceptions } from '../exceptions/exception-writes.sql.ts';
import { judge } from '../judging/judge.sql.ts';
import { INSTALLMENT_KEY } from '../judging/judged.sql.ts';
import type { InstallmentKey } from '../judging/judged-installment.ts';
import type { MatchedFile } from './candidates.sql.ts';
import { coverDays, learnMerchants } from './coverages.sql.ts';
import type { UnmatchedLine } from './decided-lines.ts';
import { findLineException, type MatchesResult, unmatchedRow } from './matches.sql.ts';

/** The last step of a file. Until then another process could take it over. */
const FINISH = statement(
  'settlement_files.finish_matching',
  `update settlement_files set matched_at = now(), due_at = null
   where file_number = $1 and fence = $2 and matched_at is null returning file_number`,
);

/** The sale of an unmatched line may be in the file that was just matched. */
const LOOK_AGAIN = statement(
  'reconciliation_exceptions.look_again',
  `update reconciliation_exceptions set due_at = now(), tries = 0
   where exception_id in (
     select exception_id from reconciliation_exceptions
     where due_at > now() and merchant_id = '' order by due_at limit 20000
   )`,
);

export async function finishMatching(database: Database, file: MatchedFile): Promise<void> {
  const { fileNumber, fence, format } = file;
  await database.transaction(async (tx) => {
    if ((await tx.query(FINISH, [fileNumber, fence])).length === 0) return;
    if (formatNamed(format).pays) {
      await learnMerchants(tx, fileNumber, null);
      await coverDays(tx, file);
    }
    await tx.query(LOOK_AGAIN, []);
  });
}

const RENEW = statement(
  'settlement_files.renew',
  `update settlement_files set due_at = now() + $3 * interval '1 millisecond'
   where file_number = $1 and fence = $2 and matched_at is null returning file_number`,
);

/** False if another process has the file now. */
async function renewLease(
  tx: Tx,
  { fileNumber, fence }: MatchedFile,
  leaseMilliseconds: number,
): Promise<boolean> {
  return (await tx.query(RENEW, [fileNumber, fence, leaseMilliseconds])).length === 1;
}

const WITHDRAW = statement(
  'settlement_matches.withdraw_some',
  `delete from settlement_matches m where m.ctid = any (array(
     select x.ctid from settlement_matches x where x.file_number = $1 order by x.line_number limit 500
   ))
   returning ${INSTALLMENT_KEY.columnsOf('m')}`,
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

export async function withdrawSomeMatches(
  database: Database,
  file: MatchedFile,
  replaced: number,
  leaseMilliseconds: number,
): Promise<{ readonly count: number; readonly isWaiting: boolean }> {
  return database.transaction(async (tx) => {
    if (!(await renewLease(tx, file, leaseMilliseconds))) return { count: 0, isWaiting: false };
    const withdrawn = (await tx.query(WITHDRAW, [replaced])).map(INSTALLMENT_KEY.parse);
    const healed = await tx.query(HEAL_LINES, [replaced]);
    return { count: withdrawn.length + healed.length, isWaiting: await judge(tx, withdrawn) };
  });
}

const DIVIDED_LINE = rowCodec(
  { saleLine: column.whole('s.line_number'), fileNumber: column.whole(), lineNumber: column.whole() },
  'b',
);

const FIND_DIVIDED = statement(
  'settlement_matches.find_divided_batch',
  `select ${DIVIDED_LINE.columns} from (
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

/** A line that is still divided over the sales of the replaced list. */
export async function findDividedLine(
  database: Database,
  list: number,
  fromLine: number,
): Promise<RowOf<typeof DIVIDED_LINE> | null> {
  return firstOf(await database.query(FIND_DIVIDED, [list, fromLine]), DIVIDED_LINE.parse);
}

const WITHDRAW_LINE = statement(
  'settlement_matches.withdraw_line',
  `delete from settlement_matches where file_number = $1 and line_number = $2 and rule = 'batch'
   returning ${INSTALLMENT_KEY.columns}`,
);

export async function withdrawDividedLine(
  database: Database,
  file: MatchedFile,
  line: UnmatchedLine,
  leaseMilliseconds: number,
): Promise<MatchesResult> {
  const standing = await findLineException(database, line);
  return database.transaction(async (tx) => {
    if (!(await renewLease(tx, file, leaseMilliseconds))) return { isGone: true, isWaiting: false };
    const rows = await tx.query(WITHDRAW_LINE, [line.fileNumber, line.lineNumber]);
    if (rows.length > 0) await recordExceptions(tx, [unmatchedRow(line, standing)]);
    return { isGone: false, isWaiting: await judge(tx, rows.map(INSTALLMENT_KEY.parse)) };
  });
}

const DUE = rowCodec(
  {
    exceptionId: column.text(),
    fileNumber: column.nullable(column.whole()),
    lineNumber: column.nullable(column.whole()),
    sha256: column.nullable(
      column.text(
        "(select encode(f.sha256, 'hex') from settlement_files f where f.file_number = e.file_number)",
      ),
    ),
  },
  'e',
);

export type DueException = RowOf<typeof DUE> & {
  readonly installment: InstallmentKey | null;
};

/** The delay doubles after each check that changed nothing, up to a day. */
const CLAIM = statement(
  'reconciliation_exceptions.claim_due',
  `with due as (
     select merchant_id, exception_id from reconciliation_exceptions where due_at <= now()
     order by due_at limit $1 for no key update skip locked
   )
   update reconciliation_exceptions e set tries = least(e.tries + 1, 32000),
     due_at = now() + least(power(2, least(e.tries, 11)), 1440) * interval '1 minute'
   from due d where e.merchant_id = d.merchant_id and e.exception_id = d.exception_id
   returning ${DUE.columns}, ${INSTALLMENT_KEY.columnsOf('e')}`,
);

export async function claimDueExceptions(database: Database, limit: number): Promise<DueException[]> {
  return (await database.query(CLAIM, [limit])).map((row) => ({
    ...DUE.parse(row),
    installment: row.transaction_id === null ? null : INSTALLMENT_KEY.parse(row),
  }));
}

export const EARLIEST_EXCEPTION = statement(
  'reconciliation_exceptions.earliest_due',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds
   from reconciliation_exceptions where due_at is not null`,
);
