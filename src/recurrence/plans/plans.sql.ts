import type { Page, WantedPage } from '../../platform/pages.ts';
import { type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import { pageOf, readPageOf } from '../../platform/postgres/page-of.ts';
import type { Day, Instant } from '../../values/instant.ts';
import { parsePlanAmount } from '../../values/plan-amount.ts';
import {
  PLAN_STATES,
  type Plan,
  type PlanFilter,
  type PlanOrder,
  type PlanState,
  type PlanType,
  type Stamp,
  searchText,
  type Terms,
} from './plan.ts';

/**
 * The columns of a plan `p` besides its terms, under names that do not collide with those of what
 * is shown beside it.
 */
export const PLAN_COLUMNS = `p.merchant_id, p.plan_id, p.name as plan_name, p.description as plan_description,
  p.soft_descriptor as plan_soft_descriptor,
  p.state as plan_state, p.created_by as plan_created_by, p.created_at as plan_created_at,
  p.modified_by as plan_modified_by, p.modified_at as plan_modified_at`;

export const WHOLE_PLAN = `${PLAN_COLUMNS}, p.amount as terms_amount,
  p.plan_type as terms_plan_type, p.trial_days as terms_trial_days, p.interval_days as terms_interval_days,
  p.installments as terms_installments, p.max_retries as terms_max_retries`;

/** Reads `PLAN_COLUMNS`. */
export function parsePlanWithoutTerms(row: Row): Omit<Plan, 'terms'> {
  return {
    merchantId: row.merchant_id as string,
    planId: row.plan_id as string,
    name: row.plan_name as string,
    description: row.plan_description as string,
    softDescriptor: row.plan_soft_descriptor as string | null,
    state: row.plan_state as PlanState,
    created: { by: row.plan_created_by as string, at: row.plan_created_at as Instant },
    modified: parseModified(row.plan_modified_by, row.plan_modified_at),
  };
}

/** Reads the terms of a plan or of a subscription. */
export function parseTerms(row: Row): Terms {
  return {
    amount: parsePlanAmount(row.terms_amount as string),
    planType: row.terms_plan_type as PlanType,
    trialDays: row.terms_trial_days as number,
    intervalDays: row.terms_interval_days as number,
    installments: row.terms_installments as number,
    maxRetries: row.terms_max_retries as number,
  };
}

/** The last change; null: there was none. */
export function parseModified(by: unknown, at: unknown): Stamp | null {
  return by === null ? null : { by: by as string, at: at as Instant };
}

export function parsePlan(row: Row): Plan {
  return { ...parsePlanWithoutTerms(row), terms: parseTerms(row) };
}

/** A day of the database, selected as `to_char(…, 'YYYY-MM-DD')`. */
export function parseDay(text: unknown): Day {
  return text as Day;
}

const FIND = statement(
  'plans.find',
  `select ${WHOLE_PLAN} from plans p where p.merchant_id = $1 and p.plan_id = $2`,
);

/** A plan of this merchant by its UUID, or null. */
export async function findPlan(database: Reader, merchantId: string, planId: string): Promise<Plan | null> {
  const [row] = await database.query(FIND, [merchantId, planId]);
  return row === undefined ? null : parsePlan(row);
}

/**
 * A merchant's plans that fit, each with what it is put in order by: a text, a number, a moment or
 * nothing. They are as few as what a shop offers, so that all may be sorted.
 */
const FOUND = `found as materialized (
     select p.plan_id,
       case $6
         when 'name' then p.search_name when 'description' then p.description when 'planType' then p.plan_type
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

/** What is not there comes last either way: no search begins with it. */
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

/**
 * A page of a merchant's plans and how many fit in all, both of one moment. Equal ones are in the
 * order of their ids.
 */
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
