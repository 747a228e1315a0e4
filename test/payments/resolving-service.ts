import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Demo } from '../../homologation/create-demo-merchant.ts';
import { runParcela } from '../audit/audit-service.ts';
import type { TestDatabase } from '../kit/database.ts';
import { call, logIn, paymentRequest, type Reply, tokenize } from '../kit/merchant.ts';
import {
  type Auditor,
  databaseSettings,
  demoIn,
  furnishedDatabase,
  type OpenedService,
  type OwnProcess,
  openAuditor,
  openOwnProcess,
  openService,
  openSimulator,
  type Service,
  startService,
  until,
} from '../kit/service.ts';
import { openResolvingBridge, type ResolvingBridge } from '../kit/spoiling-acquirer.ts';

export type Printed = { readonly exitCode: number | null; readonly printed: string; readonly errors: string };

/**
 * A service whose acquirer is the simulator behind a bridge that can be spoiled, and the operator's
 * command line beside it.
 */
export type ResolvingService = OpenedService & Resolving;
/** In a process of its own, to be killed. */
export type ResolvingProcess = Service & Resolving;

type Resolving = {
  readonly merchantId: string;
  /** The merchant's login for the other APIs. */
  readonly integration: Demo['integration'];
  readonly bridge: ResolvingBridge;
  readonly simulatorUrl: string;
  readonly database: TestDatabase;
  readonly auditor: Auditor;
  readonly token: string;
  /** Another process on the same database; it ends with the setup. */
  ownProcess: OwnProcess['running'];
  /** `parcela …` as a process of its own. */
  parcela(...words: string[]): Promise<Printed>;
  /** Pays; without a token of a card one is made. */
  pay(order: string, amount: number, numberToken?: string): Promise<Reply>;
  /** The row of an order, once it is there. */
  transaction(order: string): Promise<Record<string, unknown>>;
  /** `statusDescription` of a payment, as the merchant reads it. */
  read(paymentId: string): Promise<Reply['body']>;
  /** One number of `/metrics`, by its name with labels; 0 where there is none. */
  metric(name: string): Promise<number>;
  close(): Promise<void>;
};

/** `timeout`: how long the acquirer may take, in milliseconds. */
export function openResolvingService(timeout: number): Promise<ResolvingService> {
  return openResolving(openService, timeout);
}

export function openResolvingProcess(timeout: number): Promise<ResolvingProcess> {
  return openResolving(startService, timeout);
}

async function openResolving<S extends OpenedService>(
  startHere: (options: { folder: string; settings: Record<string, string> }) => Promise<S>,
  timeout: number,
): Promise<S & Resolving> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-settling-'));
  const database = await furnishedDatabase(folder, {});
  const demo = await demoIn(folder);
  const auditor = openAuditor(database.address);
  const simulator = await openSimulator(join(folder, 'ledger'));
  const bridge = await openResolvingBridge(simulator.url);
  const acquirer = {
    PARCELA_ACQUIRER_URL: bridge.url,
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: String(timeout),
    PARCELA_REQUEST_DEADLINE_MILLISECONDS: String(timeout + 10_000),
  };
  // What is planted stays as it is; the search before a void has tests of its own
  // (test/recurrence/charging-slow.test.ts).
  const still = { PARCELA_CHARGES_AT_ONCE: '0', PARCELA_BILLING_SEARCH_MILLISECONDS: '0' };
  const settings = { ...databaseSettings(database), ...acquirer, ...still };
  const service = await startHere({ folder, settings });
  const own = openOwnProcess({ folder, settings });
  const token = await logIn(service.gatewayUrl, demo.gateway);
  const rowsOf = (order: string) =>
    auditor.query('select * from transactions where reference_transaction = $1', [order]);
  return {
    merchantId: demo.merchantId,
    integration: demo.integration,
    bridge,
    simulatorUrl: simulator.url,
    database,
    auditor,
    ...service,
    token,
    ownProcess: own.running,
    parcela: (...words) => runParcela(database, folder, words, acquirer),
    async pay(order, amount, numberToken) {
      const card = numberToken ?? (await tokenize(service.gatewayUrl, token));
      const body = paymentRequest(card, amount, { referenceTransaction: order });
      return call(service.gatewayUrl, '/v1/payments', { token, body, timeoutMilliseconds: 120_000 });
    },
    transaction: (order) => until(`there is ${order}`, async () => (await rowsOf(order))[0]),
    async read(paymentId) {
      const reply = await call(service.gatewayUrl, `/v1/payments/${paymentId}`, { token });
      assert.equal(reply.status, 200, reply.text);
      return reply.body;
    },
    async metric(name) {
      const lines = (await (await fetch(service.metricsUrl)).text()).split('\n');
      return Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1] ?? 0);
    },
    async close() {
      bridge.spoil(null);
      bridge.release();
      await own.stop();
      await service.stop();
      await bridge.close();
      await simulator.stop();
      await auditor.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A reference of the merchant's that nobody else uses. */
export function newOrder(): string {
  return `PEDIDO-${randomUUID().slice(0, 13)}`;
}

/**
 * Pays an amount whose charge the simulator books, and answers with garbage: its outcome is unknown
 * at once.
 */
export async function payUnknown(
  setup: ResolvingService,
  order: string,
  numberToken?: string,
): Promise<string> {
  const reply = await setup.pay(order, BOOKED_AND_GARBLED, numberToken);
  assert.equal(reply.status, 500, reply.text);
  return (await setup.transaction(order)).transaction_id as string;
}

const BOOKED_AND_GARBLED = 1_004;

export function untilState(
  setup: ResolvingService,
  order: string,
  state: string,
): Promise<Record<string, unknown>> {
  return until(
    `${order} is ${state}`,
    async () => {
      const row = await setup.transaction(order);
      return row.state === state && row;
    },
    90_000,
  );
}
