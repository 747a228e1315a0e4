import assert from 'node:assert/strict';
import { createMerchant } from '../../../src/merchants/create-merchant.ts';
import { createCredential } from '../../../src/merchants/credentials/create-credential.ts';
import { type Database, openDatabase } from '../../../src/platform/postgres/database.ts';
import { type AuditedTools, auditedTools } from '../../kit/keys.ts';
import { call, logIn, TEST_CARD, tokenize } from '../../kit/merchant.ts';
import { openTestService, type TestService } from '../../kit/service.ts';
import type { Door } from './door.ts';
import { dayOf, dayText, type ModelBilling, type ModelCard } from './shop-model.ts';

export type ModelService = {
  /** Two merchants who have just come, each at nine in the morning of a day that lasts as long as a run. */
  openDoors(run: string): Promise<readonly [Door, Door]>;
  close(): Promise<void>;
};

/** Cards as the simulator knows them: what each does at a merchant is counted there. */
const CARDS: readonly CardKind[] = [
  { number: TEST_CARD, brand: 'mastercard' },
  { number: TEST_CARD, brand: 'mastercard' },
  { number: TEST_CARD, brand: 'mastercard', goodForDays: 75 },
  { number: '5200050000000168', brand: 'mastercard', lacksFunds: 1 },
  { number: '5200050000000176', brand: 'mastercard', lacksFunds: 2 },
  { number: '4000050000000130', brand: 'visa', lacksFunds: 3 },
  { number: '5200050000000200', brand: 'mastercard', lacksFunds: 5 },
  { number: '4000050000000239', brand: 'visa', approvals: 1 },
  { number: '5200059000000953', brand: 'mastercard', approvals: 1 },
];
/** A test clock goes no further than two years from the real day. */
const MOST_DAYS = 700;
const PLENTY = '1000000';
const SETTINGS = {
  PARCELA_REQUESTS_PER_SECOND_PER_CREDENTIAL: PLENTY,
  PARCELA_REQUESTS_PER_SECOND_PER_MERCHANT: PLENTY,
};

export async function openModelService(): Promise<ModelService> {
  const service = await openTestService(SETTINGS);
  const database: Database = openDatabase(service.database.address, () => {});
  const tools = await auditedTools(database);
  return {
    openDoors: async (run) => [
      await openDoor(service, tools, `modelo-${run}-a`),
      await openDoor(service, tools, `modelo-${run}-b`),
    ],
    async close() {
      await database.close();
      await service.close();
    },
  };
}

async function openDoor(service: TestService, tools: AuditedTools, merchantId: string): Promise<Door> {
  const merchant = await createMerchant(tools, {
    merchantId,
    cnpj: '11.444.777/0001-61',
    legalName: 'Loja de assinaturas Ltda.',
    contact: { name: 'Ana', email: 'ana@example.com', phone: '+55 11 4000 0000' },
    accountNumbers: [merchantId],
    productionAddresses: [],
    softDescriptor: null,
    businessAddress: null,
  });
  assert.ok(!('refusal' in merchant));
  const made = await createCredential(
    { ...tools, enforceAddresses: false },
    {
      merchantId,
      accountNumber: null,
      userName: null,
      scopes: ['gateway', 'recurrence'],
      allowedAddresses: [],
    },
  );
  assert.ok(!('refusal' in made));
  const { userName } = made.credential;
  const url = service.gatewayUrl;
  const token = await logIn(url, { userName, password: made.password });
  const today = await goToTomorrowMorning(url, token);
  const cards = await Promise.all(CARDS.map((kind) => storeCard(url, token, kind, today)));
  const lastDay = today + MOST_DAYS;
  const charged = new Set<ModelBilling>();
  const model = { merchantId, userName, cards, today, lastDay, charged, plans: [], subscriptions: [] };
  return { url, token, model };
}

type CardKind = {
  readonly number: string;
  readonly brand: string;
  readonly lacksFunds?: number;
  readonly approvals?: number | null;
  /** At least: it is good until the end of that month. */
  readonly goodForDays?: number;
};

async function storeCard(
  url: string,
  token: string,
  { number, brand, lacksFunds = 0, approvals = null, goodForDays = YEARS }: CardKind,
  today: number,
): Promise<ModelCard> {
  const [year = '', month = ''] = dayText(today + goodForDays).split('-');
  const body = {
    numberToken: await tokenize(url, token, number),
    brand,
    cardholderName: 'ANA SOUZA',
    expirationMonth: month,
    expirationYear: year.slice(2),
  };
  const reply = await call(url, '/v1/vaults/cards', { token, body });
  assert.equal(reply.status, 200, reply.text);
  const goodUntil = lastDayOfMonth(Number(year), Number(month));
  const vaultId = reply.body.vaultId as string;
  return { vaultId, lacksFunds, approvals, goodUntil, approved: 0, declined: 0, isCanceled: false };
}

const YEARS = 5_000;

const lastDayOfMonth = (year: number, month: number) =>
  dayOf(new Date(Date.UTC(year, month, 0)).toISOString());

/** Midnight is far from there: what a run does in a few minutes is done on one day. */
async function goToTomorrowMorning(url: string, token: string): Promise<number> {
  const path = '/homologation/clock';
  const now = await call(url, path, { token });
  assert.equal(now.status, 200, now.text);
  const tomorrow = dayOf(now.body.now) + 1;
  const reply = await call(url, path, { token, body: { to: `${dayText(tomorrow)}T09:00:00` } });
  assert.equal(reply.status, 200, reply.text);
  return tomorrow;
}
