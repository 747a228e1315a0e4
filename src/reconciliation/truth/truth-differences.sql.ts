import {
  type Database,
  type Reader,
  type Row,
  statement,
  type Tx,
} from '../../platform/postgres/database.ts';
import { inputRows, own } from '../../platform/postgres/input-rows.ts';
import { column, onlyOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Day } from '../../values/instant.ts';
import type { SealedReport } from './day-truth.ts';
import { SUM_NAMES, SUMMED, type SumDifference } from './kept-sums.ts';
import type { QuestionBudget } from './question-budget.ts';
import { TRUTH_CLASSES } from './truth.ts';
import type { KeptDifference } from './truth-run.ts';

const DIFFERENCES = inputRows<KeptDifference>(
  {
    ...own({ transactionId: 'uuid', installmentNumber: 'smallint', class: 'text', amount: 'bigint' }),
    ...own({ expected: 'text', found: 'text' }),
  },
  { after: 1 },
);

/** A difference that is found again keeps its age. */
const KEEP = statement(
  'truth_differences.keep',
  `insert into truth_differences as d (merchant_id, ${DIFFERENCES.names})
   select $1, ${DIFFERENCES.selected} from ${DIFFERENCES.sql}
   order by 2, 3, 4
   on conflict (merchant_id, transaction_id, installment_number, class) do update set amount = excluded.amount,
     expected = excluded.expected, found = excluded.found, seen_at = now(), ended_at = null,
     opened_at = case when d.ended_at is null then d.opened_at else now() end`,
);

const END = statement(
  'truth_differences.end',
  `update truth_differences d set ended_at = now() from ${DIFFERENCES.sql}
   where d.merchant_id = $1 and d.transaction_id = i.transaction_id and d.installment_number = i.installment_number
     and d.class = i.class and d.ended_at is null`,
);

export async function keepDifferences(
  tx: Tx,
  merchantId: string,
  found: readonly KeptDifference[],
): Promise<void> {
  if (found.length > 0) await tx.query(KEEP, [merchantId, ...DIFFERENCES.values(found)]);
}

export type DifferencePlace = Omit<KeptDifference, 'amount' | 'expected' | 'found'>;

export async function endDifferences(
  tx: Tx,
  merchantId: string,
  atOne: readonly DifferencePlace[],
): Promise<void> {
  const ended = atOne.map((one) => ({ ...one, amount: 0, expected: null, found: null }));
  if (ended.length > 0) await tx.query(END, [merchantId, ...DIFFERENCES.values(ended)]);
}

const OLDEST = rowCodec({ age: column.real() });

const OLDEST_DIFFERENCE = statement(
  'truth_differences.oldest',
  `select coalesce(extract(epoch from now() - least(
     (select min(opened_at) from truth_differences where ended_at is null),
     (select min(opened_at) from sum_differences where ended_at is null))), 0)::float8 as age`,
);

/** Seconds; 0 if nothing differs. */
export async function ageOfOldestDifference(database: Database): Promise<number> {
  return onlyOf(await database.query(OLDEST_DIFFERENCE, []), OLDEST.parse).age;
}

export type OpenDifference = (KeptDifference | SumDifference) & Aged;

type Aged = { readonly merchantId: string; readonly ageSeconds: number };

const AGED = rowCodec<Aged & { readonly amount: number }>(
  {
    merchantId: column.text(),
    amount: column.whole(),
    ageSeconds: column.real('extract(epoch from now() - d.opened_at)::float8'),
  },
  'd',
);

const OF_INSTALLMENT = rowCodec<KeptDifference & Aged>(
  {
    ...AGED.fields,
    transactionId: column.text(),
    installmentNumber: column.whole(),
    class: column.oneOf(TRUTH_CLASSES),
    expected: column.nullable(column.text()),
    found: column.nullable(column.text()),
  },
  'd',
);

const OF_DAY = rowCodec<SumDifference & Aged>(
  {
    ...AGED.fields,
    class: column.oneOf(['sumsDiffer']),
    summed: column.oneOf(SUMMED),
    accountNumber: column.text(),
    day: column.day(),
    sum: column.oneOf(SUM_NAMES),
    expected: column.text(),
    found: column.text(),
  },
  'd',
);

const COLUMNS = `${OF_INSTALLMENT.columns}, d.summed, d.account_number, d.day, d.sum`;
const OF_INSTALLMENTS = `select merchant_id, class, amount, expected, found, opened_at, transaction_id, installment_number,
     null as summed, null as account_number, null as day, null as sum from truth_differences where ended_at is null`;
const OF_DAYS = `select merchant_id, 'sumsDiffer', amount, expected, found, opened_at, null, null,
     summed, account_number, day, sum from sum_differences where ended_at is null`;
/** There are indexes in these orders, over all merchants and for each merchant. */
const INSTALLMENTS_BY_SIZE = 'order by abs(amount) desc, opened_at, transaction_id limit $1';
const DAYS_BY_SIZE = 'order by abs(amount) desc, opened_at, day limit $1';
const BY_SIZE =
  'order by abs(d.amount) desc, d.opened_at, d.transaction_id, d.day, d.account_number limit $1';
const LIST_DIFFERENCES = statement(
  'truth_differences.list',
  `select ${COLUMNS} from (
     (${OF_INSTALLMENTS} ${INSTALLMENTS_BY_SIZE}) union all (${OF_DAYS} ${DAYS_BY_SIZE})
   ) d ${BY_SIZE}`,
);
const LIST_DIFFERENCES_OF_MERCHANT = statement(
  'truth_differences.list_of_merchant',
  `select ${COLUMNS} from (
     (${OF_INSTALLMENTS} and merchant_id = $2 ${INSTALLMENTS_BY_SIZE})
     union all (${OF_DAYS} and merchant_id = $2 ${DAYS_BY_SIZE})
   ) d ${BY_SIZE}`,
);

export async function listDifferences(
  database: Reader,
  merchantId: string | null,
  limit: number,
): Promise<OpenDifference[]> {
  const rows =
    merchantId === null
      ? await database.query(LIST_DIFFERENCES, [limit])
      : await database.query(LIST_DIFFERENCES_OF_MERCHANT, [limit, merchantId]);
  return rows.map((row) => (row.summed === null ? OF_INSTALLMENT.parse(row) : OF_DAY.parse(row)));
}

const INSERT = statement(
  'truth_reports.insert',
  `insert into truth_reports (day, charges, differences, report, data_key_id, seal)
   values ($1::date, $2, $3, $4, $5, $6) on conflict (day) do nothing returning day`,
);

/** False if the day already has a report. */
export async function insertReport(
  tx: Tx,
  { day, charges, differing }: { readonly day: Day; readonly charges: number; readonly differing: number },
  { report, dataKeyId, seal }: SealedReport,
): Promise<boolean> {
  const values = [day, charges, differing, report, dataKeyId, Buffer.from(seal, 'hex')];
  return (await tx.query(INSERT, values)).length === 1;
}

const KEPT = rowCodec({
  day: column.day(),
  charges: column.whole(),
  differences: column.whole(),
  report: column.text(),
  dataKeyId: column.whole(),
  seal: column.text("encode(seal, 'hex')"),
  ageSeconds: column.real('extract(epoch from now() - made_at)::float8'),
});

export type KeptReport = RowOf<typeof KEPT>;

const READ = statement(
  'truth_reports.read',
  `select ${KEPT.columns} from truth_reports where day = $1::date`,
);

const READ_NEWEST = statement(
  'truth_reports.read_newest',
  `select ${KEPT.columns} from truth_reports order by day desc limit 1`,
);

export async function readReport(database: Database, day: Day): Promise<KeptReport | null> {
  return parseKept((await database.query(READ, [day]))[0]);
}

export async function readNewestReport(reader: Reader): Promise<KeptReport | null> {
  return parseKept((await reader.query(READ_NEWEST, []))[0]);
}

function parseKept(row: Row | undefined): KeptReport | null {
  return row === undefined ? null : KEPT.parse(row);
}

const OPEN = statement(
  'truth_budgets.open',
  `with past as (
     delete from truth_budgets where opened_at < now() - interval '7 days'
   )
   insert into truth_budgets (budget_key, questions, merchants)
   values ($1, $2, coalesce($3, (select count(*) from receivable_cursors)))
   on conflict do nothing`,
);
const BUDGET = rowCodec<QuestionBudget>({
  questions: column.whole(),
  merchants: column.whole(),
  asked: column.whole(),
  endedMerchants: column.whole(),
  endedAsked: column.whole(),
  unanswered: column.listOf(column.text()),
});

const FIND = statement(
  'truth_budgets.find',
  `select ${BUDGET.columns} from truth_budgets
   where budget_key = $1`,
);

/** Finds the budget of a key, or opens it for so many merchants; null: for all that have sold something. */
export async function openBudget(
  database: Database,
  key: string,
  questions: number,
  merchants: number | null,
): Promise<QuestionBudget> {
  const [found] = await database.query(FIND, [key]);
  if (found !== undefined) return BUDGET.parse(found);
  await database.query(OPEN, [key, questions, merchants]);
  const [made] = await database.query(FIND, [key]);
  if (made === undefined) throw new Error('the budget of questions is gone');
  return BUDGET.parse(made);
}

const TAKEN = rowCodec({ taken: column.whole('h.taken') });

const TAKE = statement(
  'truth_budgets.take',
  `with held as (
     select budget_key, least($2, questions - asked) as taken from truth_budgets
     where budget_key = $1 and asked < questions for no key update
   )
   update truth_budgets b set asked = b.asked + h.taken from held h where b.budget_key = h.budget_key
   returning ${TAKEN.columns}`,
);

export async function takeQuestions(database: Database, key: string, wanted: number): Promise<number> {
  if (wanted === 0) return 0;
  const [row] = await database.query(TAKE, [key, wanted]);
  return row === undefined ? 0 : TAKEN.parse(row).taken;
}

/** `endedAsked`: all questions of a run that has ended; null: the run continues. */
export type SpentQuestions = {
  readonly budgetKey: string;
  readonly givenBack: number;
  readonly unanswered: readonly string[];
  readonly endedAsked: number | null;
};

const SPEND = statement(
  'truth_budgets.spend',
  `update truth_budgets set asked = asked - $2, unanswered = unanswered || $3::text[],
     ended_merchants = ended_merchants + case when $4::integer is null then 0 else 1 end,
     ended_asked = ended_asked + coalesce($4, 0)
   where budget_key = $1`,
);

export async function spendQuestions(
  tx: Tx,
  { budgetKey, givenBack, unanswered, endedAsked }: SpentQuestions,
): Promise<void> {
  await tx.query(SPEND, [budgetKey, givenBack, unanswered, endedAsked]);
}
