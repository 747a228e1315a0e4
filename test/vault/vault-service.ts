import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { DemoLogin } from '../../homologation/create-demo-merchant.ts';
import { runParcela } from '../audit/audit-service.ts';
import { createForeignMerchant, FOREIGN_USER } from '../kit/foreign-merchant.ts';
import { call, logIn, type Reply, tokenize } from '../kit/merchant.ts';
import { openRecordingBridge, type RecordingBridge } from '../kit/recording-acquirer.ts';
import {
  type Auditor,
  currentService,
  databaseSettings,
  demoIn,
  furnishedDatabase,
  type OpenedService,
  type OwnProcess,
  openAuditor,
  openOwnProcess,
  openService,
  openSimulator,
  type RunningService,
  until,
} from '../kit/service.ts';
import { type CuttingProxy, openCuttingProxy } from '../kit/wire-cutter.ts';

const ACQUIRER_TIMEOUT = 3_000;
/** Of a request, in milliseconds: long, for the machine may be busy. */
const DEADLINE = 12_000;

/**
 * A service whose acquirer is the simulator behind a bridge that listens, with the demo merchant
 * and another one.
 */
export type VaultService = OpenedService & Vault;

type Vault = {
  readonly merchantId: string;
  readonly bridge: RecordingBridge;
  readonly simulatorUrl: string;
  /** The wire between the service and PostgreSQL. */
  readonly proxy: CuttingProxy;
  readonly auditor: Auditor;
  readonly userName: string;
  token(): string;
  /** A token of the other merchant. */
  foreignToken(): string;
  /** Opens the service again, after it was stopped. */
  restart(): Promise<void>;
  /** Another service on the same database, perhaps with other settings. */
  startBeside(change?: Readonly<Record<string, string>>): Promise<OpenedService>;
  ownProcess: OwnProcess['running'];
  /** The operator's command line. */
  parcela(...words: string[]): ReturnType<typeof runParcela>;
  /** A connection of its own, to hold locks as somebody else would; the caller ends it. */
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
};

/** `change`: settings that are not the usual ones. */
export async function openVaultService(change: Readonly<Record<string, string>> = {}): Promise<VaultService> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-vault-'));
  const database = await furnishedDatabase(folder, change);
  const demo = await demoIn(folder);
  const auditor = openAuditor(database.address);
  await createForeignMerchant(auditor, demo.gateway.userName);
  const foreign = { userName: FOREIGN_USER, password: demo.gateway.password };
  const simulator = await openSimulator(join(folder, 'ledger'));
  const bridge = await openRecordingBridge(simulator.url);
  const proxy = await openCuttingProxy(database.runtime);
  const settings = {
    ...databaseSettings(database, proxy.address),
    PARCELA_ACQUIRER_URL: bridge.url,
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: String(ACQUIRER_TIMEOUT),
    PARCELA_REQUEST_DEADLINE_MILLISECONDS: String(DEADLINE),
    ...change,
  };
  const start = (more = {}) => openService({ folder, settings: { ...settings, ...more } });
  let service = await start();
  let token = await logIn(service.gatewayUrl, demo.gateway);
  let foreignToken = await logIn(service.gatewayUrl, foreign);
  const own = openOwnProcess({ folder, settings });
  return currentService<OpenedService, Vault>(() => service, {
    merchantId: demo.merchantId,
    userName: demo.gateway.userName,
    bridge,
    simulatorUrl: simulator.url,
    proxy,
    auditor,
    token: () => token,
    foreignToken: () => foreignToken,
    async restart() {
      service = await start();
      token = await logInWhenReady(service, demo.gateway);
      foreignToken = await logIn(service.gatewayUrl, foreign);
    },
    startBeside: start,
    ownProcess: own.running,
    parcela: (...words) => runParcela(database, folder, words),
    async connect() {
      const client = new pg.Client(database.address);
      await client.connect();
      return client;
    },
    async close() {
      await own.stop();
      await service.stop();
      await bridge.close();
      await simulator.stop();
      await proxy.close();
      await auditor.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  });
}

/**
 * On a busy machine the first connections of a pool may take longer than they may: 503 then, and
 * the next try has them.
 */
async function logInWhenReady(service: RunningService, login: DemoLogin): Promise<string> {
  await until('logins are answered', async () => {
    const reply = await call(service.gatewayUrl, '/api/auth/token', { body: login });
    return reply.status === 200;
  });
  return logIn(service.gatewayUrl, login);
}

/** The fields beside a token of the usual test card. */
export const BESIDE = {
  brand: 'mastercard',
  cardholderName: 'ANA SOUZA',
  expirationMonth: '12',
  expirationYear: '39',
};

/** Stores a card of a fresh token. */
export async function store(
  setup: VaultService,
  change: Record<string, unknown> = {},
  cardNumber?: string,
): Promise<Reply> {
  const numberToken = await tokenize(setup.gatewayUrl, setup.token(), cardNumber);
  return storeBy(setup, { numberToken, ...BESIDE, ...change });
}

export function storeBy(setup: VaultService, body: Record<string, unknown>): Promise<Reply> {
  return call(setup.gatewayUrl, '/v1/vaults/cards', { token: setup.token(), body });
}

export async function storedId(
  setup: VaultService,
  change: Record<string, unknown> = {},
  cardNumber?: string,
): Promise<string> {
  const reply = await store(setup, change, cardNumber);
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.body.vaultId as string;
}

export function readCard(setup: VaultService, vaultId: string, token = setup.token()): Promise<Reply> {
  return call(setup.gatewayUrl, `/v1/vaults/cards/${vaultId}`, { token });
}

export function deleteCard(setup: VaultService, vaultId: string, token = setup.token()): Promise<Reply> {
  return call(setup.gatewayUrl, `/v1/vaults/cards/${vaultId}`, { method: 'DELETE', token });
}

/** A payment by the carrier and fields in `cardInfo`. */
export function paymentBy(cardInfo: Record<string, unknown>, amount = 1000) {
  return {
    payment: { transactionType: 'credit', amount, productType: 'avista', installments: 1 },
    referenceTransaction: `PEDIDO-${randomUUID().slice(0, 8)}`,
    sellerInfo: { codeAntiFraud: randomUUID() },
    cardInfo,
  };
}

export function payBy(
  setup: VaultService,
  cardInfo: Record<string, unknown>,
  amount = 1000,
  token = setup.token(),
): Promise<Reply> {
  return call(setup.gatewayUrl, '/v1/payments', { token, body: paymentBy(cardInfo, amount) });
}

/** What the acquirer was asked under a path since so many questions. */
export function askedOf(setup: VaultService, path: string, since = 0) {
  return setup.bridge.asked
    .slice(since)
    .filter((asked) => asked.path === path)
    .map((asked) => asked.body);
}

export async function storedRow(setup: VaultService, vaultId: string): Promise<Record<string, unknown>> {
  const [row] = await setup.auditor.query('select * from vault_cards where vault_id = $1', [vaultId]);
  if (row === undefined) throw new Error(`there is no card ${vaultId}`);
  return row;
}

export async function countOf(setup: VaultService, text: string, values: unknown[] = []): Promise<number> {
  const [row] = await setup.auditor.query(text, values);
  return Number(row?.count);
}
