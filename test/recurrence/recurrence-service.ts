import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createForeignMerchant, FOREIGN_MERCHANT, FOREIGN_USER } from '../kit/foreign-merchant.ts';
import { call, logIn, type Reply, tokenize } from '../kit/merchant.ts';
import {
  type Auditor,
  databaseSettings,
  furnishedDatabase,
  type OpenedService,
  openAuditor,
  openService,
} from '../kit/service.ts';
import { type CuttingProxy, openCuttingProxy } from '../kit/wire-cutter.ts';

const TOKEN_PATH = '/api/auth/token';
/** For tests of everything but charging: what falls due stays as it is. */
export const NOTHING_CHARGED = { PARCELA_CHARGES_AT_ONCE: '0' } as const;

/** A service with the demo merchant and another one, each with a token for recurrence. */
export type RecurrenceService = {
  readonly service: OpenedService;
  readonly url: string;
  readonly merchantId: string;
  readonly foreignMerchantId: string;
  readonly accountNumber: string;
  readonly userName: string;
  readonly token: string;
  readonly foreignToken: string;
  /** For cards. */
  readonly gatewayToken: string;
  /** The wire between the service and PostgreSQL. */
  readonly proxy: CuttingProxy;
  readonly auditor: Auditor;
  /** A connection of its own, to hold locks as somebody else would; the caller ends it. */
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
};

export async function openRecurrenceService(
  settings: Readonly<Record<string, string>> = {},
): Promise<RecurrenceService> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-recurrence-'));
  const database = await furnishedDatabase(folder, settings);
  const proxy = await openCuttingProxy(database.runtime);
  const service = await openService({
    folder,
    settings: { ...databaseSettings(database, proxy.address), ...NOTHING_CHARGED, ...settings },
  });
  const demo = await service.demo();
  const auditor = openAuditor(database.address);
  await createForeignMerchant(auditor, demo.recurrence.userName);
  const foreign = { userName: FOREIGN_USER, password: demo.recurrence.password };
  return {
    service,
    url: service.gatewayUrl,
    merchantId: demo.merchantId,
    foreignMerchantId: FOREIGN_MERCHANT,
    accountNumber: demo.accountNumber,
    userName: demo.recurrence.userName,
    token: await logIn(service.gatewayUrl, demo.recurrence, TOKEN_PATH),
    foreignToken: await logIn(service.gatewayUrl, foreign, TOKEN_PATH),
    gatewayToken: await logIn(service.gatewayUrl, demo.gateway, TOKEN_PATH),
    proxy,
    auditor,
    async connect() {
      const client = new pg.Client(database.address);
      await client.connect();
      return client;
    },
    async close() {
      await service.stop();
      await proxy.close();
      await auditor.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A monthly plan of 49.90 as its row; `change` by column. */
export async function insertPlan(
  { auditor, merchantId }: Pick<RecurrenceService, 'auditor' | 'merchantId'>,
  change: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const row: Record<string, unknown> = {
    merchant_id: merchantId,
    plan_id: randomUUID(),
    name: 'Clube do Livro',
    description: 'Um livro por mês',
    search_name: 'clube do livro',
    amount: '49.9',
    plan_type: 'monthly',
    trial_days: 0,
    interval_days: 30,
    installments: 0,
    max_retries: 4,
    state: 'active',
    created_by: 'loja-01',
    created_at: new Date().toISOString(),
    ...change,
  };
  const columns = Object.keys(row);
  const places = columns.map((_, index) => `$${index + 1}`);
  await auditor.query(`insert into plans (${columns}) values (${places})`, Object.values(row));
  return row.plan_id as string;
}

/** A card in the vault of the demo merchant. */
export async function storeCard({
  url,
  gatewayToken,
}: Pick<RecurrenceService, 'url' | 'gatewayToken'>): Promise<string> {
  const reply: Reply = await call(url, '/v1/vaults/cards', {
    token: gatewayToken,
    body: {
      numberToken: await tokenize(url, gatewayToken),
      brand: 'mastercard',
      cardholderName: 'ANA SOUZA',
      expirationMonth: '12',
      expirationYear: '39',
    },
  });
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.body.vaultId as string;
}
