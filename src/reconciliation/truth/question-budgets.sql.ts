import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { QuestionBudget } from './question-budget.ts';

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
  unanswered: column.whole(),
});

const FIND = statement(
  'truth_budgets.find',
  `select ${BUDGET.columns} from truth_budgets
   where budget_key = $1`,
);

/** `merchants` null: all that have sold something. */
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

/** `endedAsked` null: the run continues. */
export type SpentQuestions = {
  readonly budgetKey: string;
  readonly givenBack: number;
  readonly unanswered: number;
  readonly endedAsked: number | null;
};

const SPEND = statement(
  'truth_budgets.spend',
  `update truth_budgets set asked = asked - $2, unanswered = unanswered + $3,
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
