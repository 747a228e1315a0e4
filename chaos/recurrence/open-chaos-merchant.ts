import { randomUUID } from 'node:crypto';
import { vaultCardRecord } from '../../src/cards/vault/vault-card.ts';
import type { Keyring } from '../../src/keys/open-keyring.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { auditedTools } from '../../test/kit/keys.ts';
import type { Chance } from '../chance.ts';
import type { ChaosBench } from '../chaos-bench.ts';
import type { Gateway } from '../gateways.ts';
import { callGateway } from '../merchant-client.ts';
import {
  type ChargingShop,
  drawEnrolled,
  type Enrolled,
  type ShopCard,
  type ShopSettings,
  withCheckDigit,
} from './chaos-merchant.ts';

/**
 * Makes a new merchant for a round, with everybody who is enrolled there. Throws when the gateway
 * does not log it in.
 */
export type OpenShop = (
  round: string,
  gateway: Gateway,
  chance: Chance,
  settings: ShopSettings,
) => Promise<ChargingShop>;

/** The keys are read once: a database that is away later keeps nobody from sealing cards. */
export async function shopOpener(bench: ChaosBench): Promise<OpenShop> {
  const database = openDatabase(bench.address, () => {});
  const { keyring } = await auditedTools(database);
  await database.close();
  let shops = 0;
  let numbers = 0;
  return async (round, gateway, chance, settings) => {
    shops += 1;
    const merchantId = `assinaturas-${shops}`;
    const [now] = await bench.query(NOW);
    const today = String(now?.day);
    const tools = {
      ...{ chance, today, newId: randomUUID },
      newNumber: () => {
        numbers += 1;
        // A Mastercard of a bank that has no trigger cards.
        return withCheckDigit(`555566${String(numbers).padStart(9, '0')}`);
      },
    };
    const { enrolled, spares } = drawEnrolled(tools, settings);
    await copyMerchant(bench, merchantId);
    const planOfNow = randomUUID();
    await writeEnrolled(bench, keyring, { merchantId, enrolled, spares, planOfNow });
    const token = await logIn(bench, gateway, merchantId);
    const targets = targetsOf(chance, today, String(now?.time), settings.days);
    const made = { round, merchantId, token, enrolled, spares, planOfNow, targets };
    return { ...made, calls: [], sleepers: [], isAcquirerWell: settings.isAcquirerWell ?? false };
  };
}

const NOW = `select to_char(n, 'YYYY-MM-DD') as day, to_char(n, 'HH24:MI:SS') as time
  from (select now() at time zone 'America/Sao_Paulo' as n) as sao_paulo`;

/** In one jump or two: between them nothing is under way, and the merchant does what he does. */
function targetsOf(chance: Chance, today: string, time: string, days: number): string[] {
  const to = (day: number) =>
    `${new Date(Date.parse(today) + day * 86_400_000).toISOString().slice(0, 10)}T${time}`;
  if (days === 0) return [];
  return chance.isIn(0.5) || days < 4 ? [to(days)] : [to(chance.whole(1, days - 1)), to(days)];
}

const COPY_MERCHANT = `insert into merchants select (jsonb_populate_record(m, $2)).* from merchants m where m.merchant_id = $1
  on conflict do nothing`;
const COPY_CREDENTIAL = `insert into credentials select (jsonb_populate_record(c, $2)).* from credentials c where c.user_name = $1
  on conflict do nothing`;

/** A copy of the demo merchant, password too: hashing one takes longer than all the rest. */
export async function copyMerchant(bench: ChaosBench, merchantId: string): Promise<void> {
  const [demo] = bench.shops;
  await bench.query(COPY_MERCHANT, [demo?.merchantId, JSON.stringify({ merchant_id: merchantId })]);
  await insertRows(bench, 'accounts', [{ merchant_id: merchantId, account_number: ACCOUNT, position: 1 }]);
  const credential = {
    ...{ merchant_id: merchantId, account_number: ACCOUNT, credential_id: randomUUID() },
    ...{ user_name: merchantId, scopes: ['gateway', 'recurrence'] },
  };
  await bench.query(COPY_CREDENTIAL, [demo?.login.userName, JSON.stringify(credential)]);
}

const ACCOUNT = '1000001';

export async function logIn(bench: ChaosBench, gateway: Gateway, userName: string): Promise<string> {
  const { password } = bench.shops[0]?.login ?? { password: '' };
  const reply = await callGateway(gateway.url, '/api/auth/token', { body: { userName, password } });
  if (reply.status !== 200) throw new Error(`the login of ${userName} was answered ${reply.status}`);
  return (reply.body as { accessToken: string }).accessToken;
}

type Written = Pick<ChargingShop, 'merchantId' | 'enrolled' | 'spares' | 'planOfNow'>;

async function writeEnrolled(
  bench: ChaosBench,
  keyring: Pick<Keyring, 'seal'>,
  { merchantId, enrolled, spares, planOfNow }: Written,
): Promise<void> {
  const made = { merchant_id: merchantId, created_by: merchantId, created_at: new Date().toISOString() };
  const cards = new Map([...spares, ...enrolled.map(({ card }) => card)].map((card) => [card.vaultId, card]));
  await insertRows(
    bench,
    'vault_cards',
    [...cards.values()].map((card) => ({ ...made, ...cardRow(keyring, merchantId, card) })),
  );
  const plans = enrolled.map((one) => ({ ...made, ...planRow(one.planId), ...termsOf(one) }));
  await insertRows(bench, 'plans', [...plans, { ...made, ...planRow(planOfNow), ...TERMS_OF_NOW }]);
  await insertRows(
    bench,
    'subscriptions',
    enrolled.map((one, index) => ({ ...made, ...subscriptionRow(one, index), ...termsOf(one) })),
  );
  await insertRows(
    bench,
    'billings',
    enrolled.map((one) => ({ ...made, ...billingRow(one) })),
  );
  await insertRows(bench, 'webhook_endpoints', [{ ...made, ...SILENT_SERVER }]);
  await insertRows(bench, 'webhook_endpoints', [
    { ...made, ...ALERT_ENDPOINT, endpoint: `alerts:${randomUUID()}` },
  ]);
}

/** Disabled: what is written for it stays as it was written, and no jump waits for it. */
const SILENT_SERVER = {
  ...{ endpoint: 'origin:http://127.0.0.1:49151', state: 'disabled', openings: 0, registration: 1 },
  changed_at: new Date().toISOString(),
};

const ALERT_ENDPOINT = {
  ...{ name: 'Assinaturas', search_name: 'assinaturas', description: 'Avisa a loja', state: 'active' },
  ...{ server: SILENT_SERVER.endpoint, url: 'http://127.0.0.1:49151/avisos' },
  ...{ openings: 0, registration: 1, changed_at: SILENT_SERVER.changed_at },
  events: ['failed', 'paid', 'canceled', 'blocked', 'reactivated', 'completed', 'upcoming'],
};

function cardRow(keyring: Pick<Keyring, 'seal'>, merchantId: string, card: ShopCard): object {
  const { vaultId, number, brand } = card;
  const sealed = keyring.seal('card', vaultCardRecord(merchantId, vaultId), Buffer.from(number));
  return {
    ...{ vault_id: vaultId, brand, sealed_number: `\\x${sealed.bytes.toString('hex')}` },
    ...{ data_key_id: sealed.dataKeyId, first_six: number.slice(0, 6), last_four: number.slice(-4) },
    ...{ expiration_month: '12', expiration_year: '39', holder_name: 'ANA SOUZA' },
  };
}

function planRow(planId: string): object {
  const named = { name: 'Clube do Livro', description: 'Um livro', search_name: 'clube do livro' };
  return { plan_id: planId, ...named, state: 'active' };
}

const TERMS_OF_NOW = {
  ...{
    amount: '49.9',
    plan_type: 'monthly',
    trial_days: 0,
    interval_days: 30,
    installments: 0,
    max_retries: 2,
  },
};

function termsOf({ amount, planType, intervalDays, installments, maxRetries }: Enrolled): object {
  const rhythm = { plan_type: planType, interval_days: intervalDays, installments, trial_days: 0 };
  return { amount: (amount / 100).toFixed(2), ...rhythm, max_retries: maxRetries };
}

function subscriptionRow(one: Enrolled, index: number): object {
  return {
    ...{ subscription_id: one.subscriptionId, plan_id: one.planId, vault_id: one.card.vaultId },
    ...{ order_number: `P-${index + 1}`, account_number: ACCOUNT, state: 'active' },
    ...{ state_since: new Date().toISOString(), first_due_on: one.firstDueOn },
  };
}

function billingRow({ billingId, subscriptionId, amount, firstDueOn }: Enrolled): object {
  return {
    ...{ billing_id: billingId, subscription_id: subscriptionId, installment: 1, state: 'opened' },
    ...{ amount, due_on: firstDueOn, charge_on: firstDueOn },
  };
}

/**
 * One statement; written once, also when its answer was lost and it is sent again. All rows have
 * the columns of the first.
 */
async function insertRows(bench: ChaosBench, table: string, rows: readonly object[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  const text = `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1)
    on conflict do nothing`;
  await bench.query(text, [JSON.stringify(rows)]);
}
