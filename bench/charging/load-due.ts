import pg from 'pg';
import { instant, saoPauloDay } from '../../src/values/instant.ts';
import { withBareTables } from '../recurrence/bare-tables.ts';
import { type CopyValue, copyRows } from '../recurrence/copy-rows.ts';
import { DAY, type LoadedBilling, type LoadedEnrolment } from '../recurrence/enrolment.ts';
import {
  cardRow,
  createShop,
  type LoadTools,
  STATEMENT_TIMEOUT_MILLISECONDS,
  VAULT_CARDS,
} from '../recurrence/load-enrolments.ts';
import {
  BILLINGS,
  billingRow,
  CHARGES,
  PLANS,
  planRow,
  SUBSCRIPTIONS,
  subscriptionRow,
} from '../recurrence/rows.ts';
import { cardId, idAt, type LoadedPlan, plansOf, type Shop } from '../recurrence/shop.ts';

export type WantedDue = {
  /** Milliseconds since 1970: what is due is due on this day. */
  readonly now: number;
  /** Subscriptions whose billing is due today. */
  readonly due: number;
  /** Subscriptions whose billing lies ahead, over a month. */
  readonly ahead: number;
  /**
   * Paid billings of each subscription. None: the one that is open is its first, which comes before
   * all others.
   */
  readonly paidBefore: number;
  /**
   * Whether keys and indexes are made again after the rows, which is faster when there are very many. No
   * other program may use the tables meanwhile, and no connection keeps a plan.
   */
  readonly isBare?: boolean;
  /**
   * Whether foreign keys are taken for granted, which is faster: rows are computed, and a test
   * looks at them.
   */
  readonly isTrusted?: boolean;
  /** Days from today on which what is due is due. */
  readonly inDays?: number;
};

/**
 * The numbers of the subscriptions of one call: `subscriptionIdOf(now, number)`, owned by the shops
 * in turn.
 */
export type LoadedDue = { readonly first: number; readonly count: number };

export type DueLoader = {
  readonly merchantIds: readonly string[];
  /** The plan that all are enrolled in, of each merchant its own. */
  readonly plan: LoadedPlan;
  load(wanted: WantedDue): Promise<LoadedDue>;
  /** As autovacuum leaves tables in the end. */
  vacuum(): Promise<void>;
  close(): Promise<void>;
};

const TABLES = [VAULT_CARDS.table, SUBSCRIPTIONS.table, BILLINGS.table];
const DAYS_AHEAD = 29;
const NOON = 12 * 3_600_000;
const SYSTEM = 'system';

/**
 * Merchants whose subscriptions are loaded in bulk, each with a stored card of its own that opens and that
 * the simulator approves. The billings of one call come in one commit, so that all of them fall due at
 * once.
 */
export async function openDueLoader(tools: LoadTools, name: string, merchants: number): Promise<DueLoader> {
  const shops = shopsOf(name, merchants);
  for (const shop of shops) await createShop(tools, shop);
  const client = new pg.Client({ ...tools.address, statement_timeout: STATEMENT_TIMEOUT_MILLISECONDS });
  client.on('error', () => {});
  await client.connect();
  await copyRows(client, PLANS, rowsOfPlans(shops));
  let first = 1;
  return {
    merchantIds: shops.map(({ merchantId }) => merchantId),
    plan: planOf(shops[0] as Shop),
    async load(wanted) {
      const loaded = { first, count: wanted.due + wanted.ahead };
      first += loaded.count;
      // Everything is computed from its number, so that it can be passed through as often as there
      // are tables.
      const enrolments = () => enrolmentsOf(shops, loaded, wanted);
      const copyAll = async () => {
        await copyRows(
          client,
          VAULT_CARDS,
          mapped(enrolments(), ({ shop, card }) => cardRow(tools, shop, card)),
        );
        await copyRows(client, SUBSCRIPTIONS, mapped(enrolments(), subscriptionRow));
        await copyRows(client, BILLINGS, rowsOfBillings(enrolments()));
      };
      if (wanted.isTrusted === true) await client.query('set session_replication_role = replica');
      if (wanted.isBare === true) {
        await withBareTables(client, [SUBSCRIPTIONS.table, BILLINGS.table, CHARGES.table], copyAll);
      } else await copyAll();
      if (wanted.isTrusted === true) await client.query('reset session_replication_role');
      return loaded;
    },
    async vacuum() {
      for (const table of TABLES) await client.query(`vacuum (analyze) ${table}`);
    },
    close: () => client.end(),
  };
}

/**
 * The id of the subscription of this number. All but the last twelve hexadecimal digits are those
 * of every other one of this call.
 */
export function subscriptionIdOf(wanted: WantedDue, number: number): string {
  return idAt(subscribedAt(wanted), 3, number);
}

function shopsOf(name: string, merchants: number): Shop[] {
  return Array.from({ length: merchants }, (_, index): Shop => {
    const merchantId = `${name}-${index + 1}`;
    const plans = plansOf(index * 10 + 1, 1);
    return { merchantId, accountNumber: '1000001', userName: merchantId, plans, firstCard: 1, cards: 0 };
  });
}

/** Monthly, without trial and end, with four retries. */
function planOf({ plans }: Shop): LoadedPlan {
  return plans[0] as LoadedPlan;
}

function* rowsOfPlans(shops: readonly Shop[]): Generator<CopyValue[]> {
  for (const shop of shops) for (const plan of shop.plans) yield planRow(shop, plan);
}

type DueEnrolment = LoadedEnrolment & { readonly card: number };

function* enrolmentsOf(
  shops: readonly Shop[],
  { first, count }: LoadedDue,
  wanted: WantedDue,
): Generator<DueEnrolment> {
  for (let index = 0; index < count; index += 1) {
    const shop = shops[index % shops.length] as Shop;
    yield newSubscriptionOf(shop, first + index, index < wanted.due ? null : index, wanted);
  }
}

/** `ahead` says which of those it is that are not due; null: it is due. */
function newSubscriptionOf(
  shop: Shop,
  number: number,
  ahead: number | null,
  wanted: WantedDue,
): DueEnrolment {
  const plan = planOf(shop);
  const chargeOn = today(wanted) + (ahead === null ? (wanted.inDays ?? 0) : 1 + (ahead % DAYS_AHEAD));
  const firstDueOn = chargeOn - wanted.paidBefore * plan.intervalDays;
  const created = { by: shop.userName, at: subscribedAt(wanted) };
  const billings: LoadedBilling[] = [];
  let since = created;
  for (let index = 0; index <= wanted.paidBefore; index += 1) {
    const isOpen = index === wanted.paidBefore;
    const dueOn = firstDueOn + index * plan.intervalDays;
    const paid = { by: SYSTEM, at: Math.min(dueOn * DAY + NOON, wanted.now) };
    billings.push({
      billingId: billingIdOf(since.at, number * (wanted.paidBefore + 1) + index),
      installment: index + 1,
      state: isOpen ? 'opened' : 'paid',
      isSkipped: false,
      amount: plan.charged,
      dueOn,
      chargeOn: isOpen ? dueOn : null,
      chargesMade: isOpen ? 0 : 1,
      created: since,
      modified: isOpen ? null : paid,
    });
    since = paid;
  }
  return {
    ...{ shop, plan, card: number, vaultId: cardId(number), orderNumber: `D-${number % 100_000_000}` },
    subscriptionId: subscriptionIdOf(wanted, number),
    ...{ state: 'active', reason: null, firstDueOn, created, modified: null, billings, hasCharges: false },
  };
}

function today({ now }: WantedDue): number {
  return Date.parse(saoPauloDay(instant(now))) / DAY;
}

function subscribedAt(wanted: WantedDue): number {
  return (today(wanted) - wanted.paidBefore * 30 - 30) * DAY + NOON;
}

const SCATTER = 40_503;
const TURNS = 65_536;

/**
 * The last two bytes, which give a billing its turn of the day, stand in no order, as those of the
 * service.
 */
function billingIdOf(createdAt: number, number: number): string {
  return idAt(createdAt, 4, number * TURNS + ((number * SCATTER) % TURNS));
}

function* rowsOfBillings(enrolments: Iterable<LoadedEnrolment>): Generator<CopyValue[]> {
  for (const enrolment of enrolments) {
    for (const billing of enrolment.billings) yield billingRow(enrolment, billing);
  }
}

function* mapped<From, To>(all: Iterable<From>, rowOf: (one: From) => To): Generator<To> {
  for (const one of all) yield rowOf(one);
}
