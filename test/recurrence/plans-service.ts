import { createForeignMerchant, FOREIGN_USER } from '../kit/foreign-merchant.ts';
import { type CallOptions, call, logIn, type Reply, tokenize } from '../kit/merchant.ts';
import { openTestService, type TestRows, type TestService } from '../kit/service.ts';
import { NOTHING_CHARGED } from './recurrence-service.ts';

/** A service, and two merchants with plans. */
export type PlansService = TestService & Plans;

type Plans = {
  readonly merchantId: string;
  readonly userName: string;
  readonly vaultId: string;
  ask(path: string, options?: CallOptions): Promise<Reply>;
  askAsForeign(path: string, options?: CallOptions): Promise<Reply>;
};

export const PLANS = '/v1/recurrences/plans';

export async function openPlansService(
  settings: Readonly<Record<string, string>> = {},
): Promise<PlansService> {
  return withPlans(await openTestService({ ...NOTHING_CHARGED, ...settings }));
}

export async function withPlans<S extends TestService>(service: S): Promise<S & Plans> {
  const { merchantId, recurrence, gateway } = await service.demo();
  const { auditor, gatewayUrl } = service;
  await createForeignMerchant(auditor, recurrence.userName);
  const token = await logIn(gatewayUrl, recurrence);
  const foreignToken = await logIn(gatewayUrl, { userName: FOREIGN_USER, password: recurrence.password });
  const cardToken = await logIn(gatewayUrl, gateway);
  const numberToken = await tokenize(gatewayUrl, cardToken);
  const card = { brand: 'mastercard', cardholderName: 'ANA', expirationMonth: '12', expirationYear: '39' };
  const stored = await call(gatewayUrl, '/v1/vaults/cards', {
    token: cardToken,
    body: { numberToken, ...card },
  });
  return {
    ...service,
    merchantId,
    userName: recurrence.userName,
    vaultId: stored.body.vaultId as string,
    ask: (path, options) => call(gatewayUrl, path, { token, ...options }),
    askAsForeign: (path, options) => call(gatewayUrl, path, { token: foreignToken, ...options }),
  };
}

/** A body of the usual kind. */
export const planBody = (change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  name: 'Clube do Livro',
  description: 'Um livro por mês',
  amount: 49.9,
  planType: 'Monthly',
  paymentMethod: 'CreditCard',
  ...change,
});

/** The text of a body whose amount has more digits than a number of JavaScript can hold. */
export const rawPlan = (amount: string, change: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify(planBody({ ...change, amount: 0 })).replace('"amount":0', `"amount":${amount}`);

export async function createdPlan(
  { ask }: Pick<PlansService, 'ask'>,
  change: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const reply = await ask(PLANS, { body: planBody(change) });
  if (reply.status !== 200) throw new Error(`the plan was answered ${reply.status}: ${reply.text}`);
  return reply.body as string;
}

export const readPlan = ({ ask }: Pick<PlansService, 'ask'>, planId: string): Promise<Reply> =>
  ask(`${PLANS}/${planId}`);

export const movePlan = (
  { ask }: Pick<PlansService, 'ask'>,
  planId: string,
  status: string,
  options: CallOptions = {},
): Promise<Reply> => ask(`${PLANS}/${planId}/status`, { body: { status }, ...options });

export const updatePlan = (
  { ask, merchantId }: Pick<PlansService, 'ask' | 'merchantId'>,
  planId: string,
  change: Readonly<Record<string, unknown>> = {},
): Promise<Reply> => ask(`${PLANS}/${planId}`, { body: planBody({ merchantId, ...change }) });

/** The tags of an answer that refuses, in order. */
export const tagsOf = (reply: Reply): [number, string[]] => [
  reply.status,
  (reply.body as { tag: string }[]).map(({ tag }) => tag).sort(),
];

/**
 * As an enrolment does it: under a shared lock of the plan, and only while that is active. Gives
 * how many were inserted.
 */
const ENROL = `with plan as (
    select * from plans where merchant_id = $1 and plan_id = $2 and state = 'active' for share
  ), enrolled as (
    insert into subscriptions (merchant_id, subscription_id, plan_id, vault_id, order_number, account_number, state, reason,
      amount, plan_type, trial_days, interval_days, installments, max_retries, first_due_on, created_by, created_at)
    select p.merchant_id, gen_random_uuid(), p.plan_id, $3, 'P-' || n, '1', $5, nullif($6, ''), p.amount, p.plan_type,
      p.trial_days, p.interval_days, p.installments, p.max_retries, '2026-12-01', 'test', now()
    from plan p, generate_series(1, $4::int) n
    returning merchant_id, subscription_id
  ), opened as (
    insert into billings (merchant_id, billing_id, subscription_id, installment, state, amount, due_on, charge_on, created_by,
      created_at)
    select merchant_id, gen_random_uuid(), subscription_id, 1, 'opened', 4990, '2026-12-01', '2026-12-01', 'test', now()
    from enrolled where $5 = 'active'
  )
  select subscription_id from enrolled`;

/**
 * Enrols so many in a plan, each with an opened billing when it is active; gives their ids, none
 * when the plan is not active.
 */
export async function enrol(
  { auditor, merchantId, vaultId }: Pick<PlansService, 'auditor' | 'merchantId' | 'vaultId'>,
  planId: string,
  count = 1,
  state: 'active' | 'blocked' | 'canceled' = 'active',
): Promise<string[]> {
  const reason = { active: '', blocked: 'cardCanceled', canceled: 'user' }[state];
  const values = [merchantId, planId, vaultId, count, state, reason];
  const rows = await auditor.query(ENROL, values);
  return rows.map((row) => row.subscription_id as string);
}

/** How many subscriptions of a plan are what, for what reason. */
export async function statesOf(
  { auditor }: Pick<PlansService, 'auditor'>,
  planId: string,
): Promise<Record<string, number>> {
  const rows = await auditor.query(
    `select concat_ws(' ', state, reason) as what, count(*)::int as count from subscriptions where plan_id = $1
     group by 1 order by 1`,
    [planId],
  );
  return Object.fromEntries(rows.map(({ what, count }) => [what as string, count as number]));
}

export async function billingOf(
  { auditor }: Pick<PlansService, 'auditor'>,
  subscriptionId: string | undefined,
): Promise<TestRows[number]> {
  const [row] = await auditor.query('select * from billings where subscription_id = $1', [subscriptionId]);
  if (row === undefined) throw new Error(`${subscriptionId} has no billing`);
  return row;
}
