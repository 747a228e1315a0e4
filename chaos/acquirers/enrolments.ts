import type { Chance } from '../chance.ts';
import type { ChaosBench, Shop } from '../chaos-bench.ts';
import type { Gateway } from '../gateways.ts';
import type { Finding } from '../judge/finding.ts';
import { callGateway } from '../merchant-client.ts';
import type { Operation } from '../operations/operation.ts';
import type { BookedSale } from './sales-books.ts';

const PATH = '/v1/recurrences';

/** One request to subscribe, and what came of it. */
type Enrolment = {
  readonly merchantId: string;
  /** A request has one order. */
  readonly order: string;
  /** Null: the connection was lost before the whole answer was there. */
  status: number | null;
};

export type Enrolments = {
  readonly operation: Operation;
  /** What is due and not begun waits for another day: what is judged stays as it is. */
  holdDue(bench: ChaosBench): Promise<void>;
  /** Nothing is charged, or about to be. */
  areResolved(bench: ChaosBench): Promise<boolean>;
  check(bench: ChaosBench, sales: readonly BookedSale[]): Promise<Finding[]>;
  /** How many billings are paid so far. */
  countPaid(bench: ChaosBench): Promise<number>;
  release(): void;
};

/** Subscriptions whose first billing is charged at once, wherever the rules lead it. */
export function openEnrolments(): Enrolments {
  let entries: Enrolment[] = [];
  const tokens = new Map<string, string>();
  const plans = new Map<string, string>();

  async function tokenOf({ merchantId, recurrence }: Shop, gateway: Gateway): Promise<string> {
    const known = tokens.get(merchantId);
    if (known !== undefined) return known;
    const { status, body } = await callGateway(gateway.url, '/api/auth/token', { body: recurrence });
    if (status !== 200) throw new Error(`the login was answered ${status}`);
    const { accessToken } = body as { accessToken: string };
    tokens.set(merchantId, accessToken);
    return accessToken;
  }

  async function planOf(shop: Shop, gateway: Gateway, chance: Chance): Promise<string> {
    const known = plans.get(shop.merchantId);
    if (known !== undefined) return known;
    const token = await tokenOf(shop, gateway);
    const body = { ...PLAN, name: `Clube ${shop.accountNumber}`, amount: chance.whole(2_000, 9_000) / 100 };
    const made = await callGateway(gateway.url, `${PATH}/plans`, { token, body });
    if (typeof made.body !== 'string') throw new Error(`the plan was answered ${made.status}`);
    plans.set(shop.merchantId, made.body);
    return made.body;
  }

  return {
    operation: {
      name: 'subscribe',
      weight: 2,
      async prepare({ till, gateway, chance }) {
        const shop = chance.pick(till.bench.shops);
        const [token, planId] = [await tokenOf(shop, gateway), await planOf(shop, gateway, chance)];
        const vaultId = await till.vaultId(shop, gateway, chance);
        const { merchantId } = shop;
        const entry: Enrolment = { merchantId, order: `C${till.newMark()}`, status: null };
        return async ({ to }) => {
          entries.push(entry);
          const body = { planId, vaultId, orderNumber: entry.order };
          const answer = await callGateway(to().url, `${PATH}/subscriptions`, { token, body });
          entry.status = answer.status;
        };
      },
    },
    holdDue: async (bench) => void (await bench.query(HOLD)),
    async areResolved(bench) {
      const [found] = await bench.query(UNDER_WAY);
      return found?.is_there === false;
    },
    check: (bench, sales) => checkBillings(bench, entries, sales),
    async countPaid(bench) {
      const [row] = await bench.query(PAID);
      return Number(row?.count ?? 0);
    },
    release: () => {
      entries = [];
    },
  };
}

const PLAN = {
  ...{ description: 'Um livro por mês', planType: 'Monthly', trialDays: 0 },
  ...{ paymentMethod: 'CreditCard', attempts: 0 },
};

const IS_DUE = `state = 'opened' and charge_on <= (now() at time zone 'America/Sao_Paulo')::date`;
const HOLD = `update billings set charge_on = charge_on + 100 where ${IS_DUE} and transaction_id is null`;
const UNDER_WAY = `select exists (select from transactions where due_at is not null and origin = 'billing')
  or exists (select from billings where transaction_id is not null or (${IS_DUE})) as is_there`;

const PAID = `select count(*) from billings where state = 'paid'`;

const ENROLLED = `select s.order_number as "order", s.subscription_id as "subscriptionId", b.billing_id as "billingId",
    b.state, b.amount::float8 as amount
  from subscriptions s left join billings b using (merchant_id, subscription_id)
  where s.order_number = any ($1)`;

type Enrolled = {
  readonly order: string;
  readonly subscriptionId: string;
  readonly billingId: string | null;
  readonly state: string;
  readonly amount: number;
};

async function checkBillings(
  bench: ChaosBench,
  entries: readonly Enrolment[],
  sales: readonly BookedSale[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const orders = entries.map(({ order }) => order);
  const rows = (await bench.query(ENROLLED, [orders])) as unknown as Enrolled[];
  const rowsOf = Map.groupBy(rows, ({ order }) => order);
  for (const { order, status } of entries) {
    const count = new Set(rowsOf.get(order)?.map(({ subscriptionId }) => subscriptionId)).size;
    const isTrue = status === 200 ? count === 1 : status === null || status >= 500 ? count <= 1 : count === 0;
    if (!isTrue)
      findings.push({
        invariant: 'a request to subscribe makes one subscription',
        reference: order,
        text: `answered ${status}, and there are ${count}`,
      });
  }
  const live = Map.groupBy(
    sales.filter(({ sale }) => sale.liveAmount > 0),
    ({ payment }) => payment?.reference ?? '',
  );
  for (const { billingId, state, amount } of rows) {
    if (billingId === null) continue;
    const charged = (live.get(billingId) ?? []).map(({ sale }) => sale.liveAmount);
    if (charged.join() !== (state === 'paid' ? String(amount) : ''))
      findings.push({
        invariant: 'a paid billing is one live charge of its amount, and no other has one',
        reference: billingId,
        text: `${state}, ${amount}; live are [${charged}]`,
      });
  }
  return findings;
}
