import { type Database, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { parseKey } from '../judging/judged.sql.ts';
import type { InstallmentKey } from '../judging/matched-part.ts';

/** A part of a line that a process of the version before 0056 has matched. */
export type OlderMatch = InstallmentKey & { readonly fileNumber: number; readonly lineNumber: number };

const LIST = statement(
  'settlement_matches.list_judged_before',
  `select merchant_id, transaction_id, installment_number, file_number, line_number from settlement_matches
   where not is_judged_apart order by file_number, line_number limit $1`,
);

/** Null: all are judged. */
export const OLDER_MATCHES_DUE = statement(
  'settlement_matches.judged_before_due',
  `select case when exists (select from settlement_matches where not is_judged_apart) then 0 end as milliseconds`,
);

export async function listOlderMatches(database: Database, limit: number): Promise<OlderMatch[]> {
  return (await database.query(LIST, [limit])).map((row) => ({
    ...parseKey(row),
    fileNumber: row.file_number as number,
    lineNumber: row.line_number as number,
  }));
}

const JUDGED = inputRows<OlderMatch>({
  merchant_id: ['text', (match) => match.merchantId],
  transaction_id: ['uuid', (match) => match.transactionId],
  installment_number: ['smallint', (match) => match.installmentNumber],
  file_number: ['bigint', (match) => match.fileNumber],
  line_number: ['integer', (match) => match.lineNumber],
});

const MARK = statement(
  'settlement_matches.mark_judged',
  `update settlement_matches m set is_judged_apart = true from ${JUDGED.sql}
   where m.merchant_id = i.merchant_id and m.transaction_id = i.transaction_id
     and m.installment_number = i.installment_number and m.file_number = i.file_number and m.line_number = i.line_number`,
);

export async function markJudged(database: Database, matches: readonly OlderMatch[]): Promise<void> {
  await database.query(MARK, JUDGED.values(matches));
}
