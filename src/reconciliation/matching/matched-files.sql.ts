import { type CommitStep, type Database, statement } from '../../platform/postgres/database.ts';
import { PAYS } from '../imports/settlement-file.ts';
import { judgeSteps } from '../judging/judge.sql.ts';
import { parseKey } from '../judging/judged.sql.ts';
import type { MatchedFile } from './candidates.sql.ts';
import { isAnyWaiting } from './matches.sql.ts';

/** The last step of a file: until here another process could have gone on in it. */
const FINISH = statement(
  'settlement_files.finish_matching',
  `update settlement_files set matched_at = now(), due_at = null
   where file_number = $1 and fence = $2 and matched_at is null returning file_number`,
);

/** Whose money the lines of a file were, one step along the index for each merchant. */
const LEARN = statement(
  'settlement_coverages.learn',
  `with paid as (
     select distinct m.merchant_id from settlement_matches m where m.file_number = $1
   )
   insert into settlement_coverages (merchant_id, format, establishment, covered_from, covered_to, looked_to)
   select p.merchant_id, $2, $3, $4::date, $5::date, $4::date - 1 from paid p
   on conflict (merchant_id, format, establishment) do nothing`,
);

const COVER = statement(
  'settlement_coverages.cover',
  `update settlement_coverages set covered_to = greatest(covered_to, $3::date)
   where format = $1 and establishment = $2 and covered_to < $3::date`,
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
  if (PAYS[format])
    steps.push(
      { statement: LEARN, values: [fileNumber, format, establishment, from, to] },
      { statement: COVER, values: [format, establishment, to] },
    );
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

const FIND_SOME = statement(
  'settlement_matches.find_some_of_file',
  `select m.merchant_id, m.transaction_id, m.installment_number from settlement_matches m
   where m.file_number = $1 order by m.line_number limit 500`,
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
  const keys = (await database.query(FIND_SOME, [replaced])).map(parseKey);
  const steps: CommitStep[] = [
    { statement: RENEW, values: [fileNumber, fence, leaseMilliseconds] },
    (rows) => (rows[0]?.length === 1 ? { statement: WITHDRAW, values: [replaced] } : null),
    (rows) => (rows[0]?.length === 1 ? { statement: HEAL_LINES, values: [replaced] } : null),
  ];
  const rows = await database.commit([...steps, ...judgeSteps(keys, steps.length)]);
  const count = (rows[1]?.length ?? 0) + (rows[2]?.length ?? 0);
  return { count, isWaiting: isAnyWaiting(rows) };
}
