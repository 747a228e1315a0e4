import pg from 'pg';
import { chanceFrom } from '../../chaos/chance.ts';
import { vaultCardRecord } from '../../src/cards/vault/vault-card.ts';
import { createMerchant } from '../../src/merchants/create-merchant.ts';
import { createCredential } from '../../src/merchants/credentials/create-credential.ts';
import { instant, saoPauloDay } from '../../src/values/instant.ts';
import type { AuditedTools } from '../../test/kit/keys.ts';
import { cardNumber, LOADED_LINK } from '../load/carriers.ts';
import { withBareTables } from './bare-tables.ts';
import { type CopyTarget, type CopyValue, copyRows } from './copy-rows.ts';
import { DAY, drawEnrolment, type LoadedEnrolment, type Place } from './enrolment.ts';
import {
  BILLINGS,
  billingRow,
  CHARGES,
  chargeRows,
  PLANS,
  planRow,
  SUBSCRIPTIONS,
  subscriptionRow,
} from './rows.ts';
import { cardId, plansOf, type Shop } from './shop.ts';

export type LoadTools = Pick<AuditedTools, 'audit' | 'operator' | 'keyring'> & {
  /** Of the owner of a migrated database. */
  readonly address: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly password: string;
    readonly database: string;
  };
  say?(line: string): void;
};

export type WantedEnrolments = {
  readonly subscriptions: number;
  /** At least one for each subscription. */
  readonly billings: number;
  /** Ordinary ones, who share evenly. */
  readonly merchants: number;
  /** Whether one more merchant owns every second subscription. */
  readonly hasGiant: boolean;
  /** The same seed, day and numbers give the same rows. */
  readonly seed: number;
  /** Milliseconds since 1970: what the loaded past ends with. */
  readonly now: number;
};

export type LoadedShop = Shop & {
  /** How many subscriptions and billings it has in each state. */
  readonly subscriptions: Readonly<Record<string, number>>;
  readonly billings: Readonly<Record<string, number>>;
};

export type LoadSummary = {
  readonly giant: LoadedShop | null;
  readonly ordinary: readonly LoadedShop[];
  readonly charges: number;
  readonly seconds: number;
};

/** Enrolments whose rows are in memory at a time. */
const BATCH = 5_000;
const SUBSCRIPTIONS_A_CARD = 3;
/** Plans of each kind. */
const ROUNDS_OF_PLANS = { ordinary: 1, giant: 5 } as const;
/** Of an enterprise of the size that `npm run bench` loads; what waits longer than this waits for nobody. */
export const STATEMENT_TIMEOUT_MILLISECONDS = 1_800_000;

/**
 * Fills plans, stored cards, subscriptions, billings and some of their charges of new merchants, as if they
 * had been at it for two years. Everything is as the service would have left it, under all constraints of
 * the tables. The merchants come with no login (`createCredential` makes one); their names tell the seed,
 * so a seed can be loaded once.
 */
export async function loadEnrolments(tools: LoadTools, wanted: WantedEnrolments): Promise<LoadSummary> {
  const startedAt = performance.now();
  const shops = shopsOf(wanted);
  for (const shop of shops) await createShop(tools, shop);
  const client = new pg.Client({ ...tools.address, statement_timeout: STATEMENT_TIMEOUT_MILLISECONDS });
  client.on('error', () => {});
  await client.connect();
  try {
    await copyRows(client, PLANS, rowsOfPlans(shops));
    await copyRows(client, VAULT_CARDS, rowsOfCards(tools, shops));
    const counts = new Map(shops.map((shop) => [shop, { subscriptions: {}, billings: {} }]));
    let charges = 0;
    await withBareTables(client, [SUBSCRIPTIONS.table, BILLINGS.table, CHARGES.table], async () => {
      for (const batch of batchesOf(enrolmentsOf(shops, wanted))) {
        await copyRows(client, SUBSCRIPTIONS, batch.map(subscriptionRow));
        await copyRows(client, BILLINGS, rowsOfBillings(batch));
        charges += await copyRows(client, CHARGES, rowsOfCharges(batch, charges));
        for (const enrolment of batch) countIn(counts.get(enrolment.shop), enrolment);
        tools.say?.(`${Math.round((performance.now() - startedAt) / 1_000)} s: ${batch.at(-1)?.orderNumber}`);
      }
    });
    for (const table of TABLES) await client.query(`vacuum (analyze) ${table}`);
    const loaded = shops.map((shop): LoadedShop => ({ ...shop, ...(counts.get(shop) as Counts) }));
    const seconds = (performance.now() - startedAt) / 1_000;
    const giant = wanted.hasGiant ? (loaded[0] ?? null) : null;
    return { giant, ordinary: loaded.slice(wanted.hasGiant ? 1 : 0), charges, seconds };
  } finally {
    await client.end();
  }
}

const TABLES = ['plans', 'vault_cards', 'subscriptions', 'billings', 'billing_charges'];

/** The giant first, when there is one. */
function shopsOf({ subscriptions, merchants, hasGiant, seed }: WantedEnrolments): Shop[] {
  const ofGiant = hasGiant ? Math.ceil(subscriptions / 2) : 0;
  const shares = Array.from({ length: merchants }, () => Math.ceil((subscriptions - ofGiant) / merchants));
  let firstCard = 1;
  let firstPlan = 1;
  return (hasGiant ? [ofGiant, ...shares] : shares).map((share, index) => {
    const isGiant = hasGiant && index === 0;
    const merchantId = isGiant ? `gigante-${seed}` : `loja-${seed}-${index + 1}`;
    const plans = plansOf(firstPlan, isGiant ? ROUNDS_OF_PLANS.giant : ROUNDS_OF_PLANS.ordinary);
    const cards = Math.max(1, Math.ceil(share / SUBSCRIPTIONS_A_CARD));
    const shop = { merchantId, accountNumber: '1000001', userName: merchantId, plans, firstCard, cards };
    firstCard += cards;
    firstPlan += plans.length;
    return shop;
  });
}

/** A merchant with one account and no login. */
export async function createShop(
  { audit, operator }: Pick<LoadTools, 'audit' | 'operator'>,
  { merchantId, accountNumber }: Pick<Shop, 'merchantId' | 'accountNumber'>,
): Promise<void> {
  const made = await createMerchant(
    { audit, operator },
    {
      merchantId,
      cnpj: '11.444.777/0001-61',
      legalName: 'Loja de assinaturas Ltda.',
      contact: { name: 'Ana', email: 'ana@example.com', phone: '+55 11 4000 0000' },
      accountNumbers: [accountNumber],
      productionAddresses: [],
      softDescriptor: null,
      businessAddress: null,
    },
  );
  if ('refusal' in made) throw new Error(`${merchantId} was refused: ${made.refusal}`);
}

/** A login of a loaded merchant. */
export async function createLogin(
  tools: Pick<AuditedTools, 'database' | 'audit' | 'operator' | 'cell'>,
  { merchantId }: Pick<Shop, 'merchantId'>,
  scope: 'gateway' | 'recurrence' = 'recurrence',
): Promise<{ readonly userName: string; readonly password: string }> {
  const made = await createCredential(
    { ...tools, enforceAddresses: false },
    { merchantId, accountNumber: null, userName: null, scopes: [scope], allowedAddresses: [] },
  );
  if ('refusal' in made) throw new Error(`the credential was refused: ${made.refusal}`);
  return { userName: made.credential.userName, password: made.password };
}

function* rowsOfPlans(shops: readonly Shop[]): Generator<CopyValue[]> {
  for (const shop of shops) for (const plan of shop.plans) yield planRow(shop, plan);
}

export const VAULT_CARDS: CopyTarget = {
  table: 'vault_cards',
  columns: [
    ...['merchant_id', 'vault_id', 'sealed_number', 'data_key_id', 'brand', 'first_six', 'last_four'],
    ...['expiration_month', 'expiration_year', 'holder_name', 'network_transaction_id', 'created_by'],
    ...['verified_at', 'first_used_at', 'transaction_link_id'],
  ],
};

function* rowsOfCards(tools: LoadTools, shops: readonly Shop[]): Generator<CopyValue[]> {
  for (const shop of shops) {
    for (let number = shop.firstCard; number < shop.firstCard + shop.cards; number += 1) {
      yield cardRow(tools, shop, number);
    }
  }
}

/** Sealed as the vault does it: a charge of a loaded billing finds a card. */
export function cardRow(
  { keyring }: Pick<LoadTools, 'keyring'>,
  { merchantId, userName }: Pick<Shop, 'merchantId' | 'userName'>,
  number: number,
): CopyValue[] {
  const vaultId = cardId(number);
  const digits = cardNumber(number);
  const sealed = keyring.seal('card', vaultCardRecord(merchantId, vaultId), Buffer.from(digits));
  return [
    ...[merchantId, vaultId, `\\x${sealed.bytes.toString('hex')}`, sealed.dataKeyId, 'mastercard'],
    ...[digits.slice(0, 6), digits.slice(-4), '12', '39', 'ANA SOUZA', 'MCC1234567', userName],
    ...['now', 'now', LOADED_LINK],
  ];
}

/** Every second one is the giant's, the others go round. */
function* enrolmentsOf(shops: readonly Shop[], wanted: WantedEnrolments): Generator<LoadedEnrolment> {
  const { hasGiant, seed, subscriptions } = wanted;
  const chance = chanceFrom(seed);
  const today = Date.parse(saoPauloDay(instant(wanted.now))) / DAY;
  const ordinary = shops.slice(hasGiant ? 1 : 0);
  let firstBilling = 1;
  for (let index = 0; index < subscriptions; index += 1) {
    const isGiants = hasGiant && index % 2 === 0;
    const turn = hasGiant ? (index - 1) / 2 : index;
    const shop = (isGiants ? shops[0] : ordinary[turn % ordinary.length]) as Shop;
    const place: Place = { number: index + 1, billings: billingsOf(index, wanted), firstBilling };
    firstBilling += place.billings;
    yield drawEnrolment(shop, place, today, chance);
  }
}

/**
 * From one to nearly twice the mean; each two neighbours of one kind have twice the mean together,
 * so that all are as many as were wanted.
 */
function billingsOf(index: number, { subscriptions, billings, hasGiant, seed }: WantedEnrolments): number {
  const evenly = (at: number) =>
    Math.floor(((at + 1) * billings) / subscriptions) - Math.floor((at * billings) / subscriptions);
  const step = hasGiant ? 2 : 1;
  const isFirst = Math.floor(index / step) % 2 === 0;
  const [first, second] = isFirst ? [index, index + step] : [index - step, index];
  if (second >= subscriptions) return evenly(index);
  const least = -(evenly(first) - 1);
  const shift = chanceFrom(seed + first).whole(least, evenly(second) - 1);
  return evenly(index) + (isFirst ? shift : -shift);
}

function* batchesOf(enrolments: Iterable<LoadedEnrolment>): Generator<LoadedEnrolment[]> {
  let batch: LoadedEnrolment[] = [];
  for (const enrolment of enrolments) {
    batch.push(enrolment);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function* rowsOfBillings(batch: readonly LoadedEnrolment[]): Generator<CopyValue[]> {
  for (const enrolment of batch) {
    for (const billing of enrolment.billings) yield billingRow(enrolment, billing);
  }
}

function* rowsOfCharges(batch: readonly LoadedEnrolment[], before: number): Generator<CopyValue[]> {
  let number = before + 1;
  for (const enrolment of batch) {
    if (!enrolment.hasCharges) continue;
    for (const billing of enrolment.billings) {
      yield* chargeRows(enrolment, billing, number);
      number += billing.chargesMade;
    }
  }
}

type Counts = { readonly subscriptions: Record<string, number>; readonly billings: Record<string, number> };

function countIn(counts: Counts | undefined, { state, billings }: LoadedEnrolment): void {
  if (counts === undefined) return;
  counts.subscriptions[state] = (counts.subscriptions[state] ?? 0) + 1;
  for (const billing of billings) {
    counts.billings[billing.state] = (counts.billings[billing.state] ?? 0) + 1;
  }
}
