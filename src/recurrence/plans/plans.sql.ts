import type { Page, WantedPage } from '../../platform/pages.ts';
import { type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import { pageOf, readPageOf } from '../../platform/postgres/page-of.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { parsePlanAmount } from '../../values/plan-amount.ts';
import {
  PAYMENT_METHODS,
  PLAN_STATES,
  PLAN_TYPES,
  type Plan,
  type PlanFilter,
  type PlanOrder,
  type Stamp,
  searchText,
  type Terms,
} from './plan.ts';

export const STAMPS = rowCodec({
  createdBy: column.text(),
  createdAt: column.instant(),
  modifiedBy: column.nullable(column.text()),
  modifiedAt: column.nullable(column.instant()),
});

export function stamped<T extends RowOf<typeof STAMPS>>({
  createdBy,
  createdAt,
  modifiedBy,
  modifiedAt,
  ...rest
}: T) {
  const modified: Stamp | null =
    modifiedBy === null || modifiedAt === null ? null : { by: modifiedBy, at: modifiedAt };
  return { ...rest, created: { by: createdBy, at: createdAt } satisfies Stamp, modified };
}

/** From a plan `p`, without its terms. */
export const PLAN = rowCodec(
  {
    merchantId: column.text(),
    planId: column.text(),
    name: column.text(),
    description: column.text(),
    softDescriptor: column.nullable(column.text()),
    state: column.oneOf(PLAN_STATES),
    ...STAMPS.fields,
  },
  'p',
  'plan_',
);

/** From a plan `p`, or a subscription. */
export const TERMS = rowCodec<Terms>(
  {
    amount: column.parsedBy((value) => (typeof value === 'string' ? parsePlanAmount(value) : undefined)),
    planType: column.oneOf(PLAN_TYPES),
    paymentMethod: column.oneOf(PAYMENT_METHODS),
    trialDays: column.whole(),
    intervalDays: column.whole(),
    installments: column.whole(),
    maxRetries: column.whole(),
  },
  'p',
  'terms_',
);

export const WHOLE_PLAN = `${PLAN.columns}, ${TERMS.columns}`;

export function parsePlan(row: Row): Plan {
  return { ...stamped(PLAN.parse(row)), terms: TERMS.parse(row) };
}

const FIND = statement(
  'plans.find',
  `select ${WHOLE_PLAN} from plans p where p.merchant_id = $1 and p.plan_id = $2`,
);

export async function findPlan(database: Reader, merchantId: string, planId: string): Promise<Plan | null> {
  return firstOf(await database.query(FIND, [merchantId, planId]), parsePlan);
}

/** Matching plans with their sort value (text, number, moment or nothing). They are few enough to sort. */
const FOUND = `found as materialized (
     select p.plan_id,
       case $6
         when 'name' then p.search_name when 'description' then p.description when 'planType' then p.plan_type
         when 'paymentMethod' then p.payment_method
         when 'softDescriptor' then p.soft_descriptor when 'state' then p.state when 'createdBy' then p.created_by when 'modifiedBy' then p.modified_by
       end collate "C" as text_key,
       case $6
         when 'amount' then p.amount when 'trialDays' then p.trial_days when 'intervalDays'
           then p.interval_days
         when 'installments' then p.installments when 'maxRetries' then p.max_retries
       end as number_key,
       case $6 when 'createdAt' then p.created_at when 'modifiedAt' then p.modified_at end as time_key
     from plans p
     where p.merchant_id = $1 and p.state = any ($4::text[]) and strpos(p.search_name, $5) > 0
   )`;

/** Missing values are last in both directions. */
const LIST = pageOf({
  name: 'plans.list',
  before: `${FOUND}, counted as (select count(*) as total from found)`,
  keys: 'select * from found',
  key: 'plan_id',
  order: ['text_key nulls last', 'number_key nulls last', 'time_key nulls last', 'plan_id'],
  shown: `${WHOLE_PLAN} from page g cross join lateral (
       select * from plans where merchant_id = $1 and plan_id = g.plan_id limit 1
     ) p`,
});

/** Ties are ordered by id. */
export async function listPlanPage(
  database: Reader,
  merchantId: string,
  { name, state }: PlanFilter,
  wanted: WantedPage<PlanOrder>,
): Promise<Page<Plan>> {
  const values = [state === null ? PLAN_STATES : [state], searchText(name), wanted.order.field];
  const { rows, total } = await readPageOf(database, LIST, merchantId, wanted, values);
  return { items: rows.map(parsePlan), total };
}
