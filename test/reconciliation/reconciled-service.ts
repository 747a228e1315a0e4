import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runParcela } from '../audit/audit-service.ts';
import { DAY, readClock } from '../kit/clock.ts';
import type { TestDatabase } from '../kit/database.ts';
import { call, logIn, pay, type Reply } from '../kit/merchant.ts';
import {
  type Auditor,
  databaseSettings,
  demoIn,
  furnishedDatabase,
  openAuditor,
  openService,
  openSimulator,
  type ServiceHere,
} from '../kit/service.ts';

export type ReconciledService = ServiceHere & {
  readonly database: TestDatabase;
  readonly auditor: Auditor;
  readonly merchantId: string;
  readonly simulatorUrl: string;
  /** `parcela …` as a process of its own. */
  parcela(...words: string[]): ReturnType<typeof runParcela>;
  /** Another process on the same database. */
  startBeside(change?: Readonly<Record<string, string>>): Promise<ServiceHere>;
  readonly token: string;
  readonly integrationToken: string;
  readonly accountNumber: string;
  /** Gives the id of an approved sale. */
  sell(amount: number, installments: number, change?: Record<string, unknown>): Promise<Sold>;
  searchByCode(sold: Pick<Sold, 'nsu' | 'codAuth'>): Promise<Shown[]>;
  ask(path: string, query: Record<string, string>): Promise<Reply>;
  event(paymentId: string, type: string, installmentNumber: number, amount?: number): Promise<void>;
  /** The fee of the acquirer for the merchant's next charges, in hundredths of a percent. */
  chargeFees(feePortion: number): Promise<void>;
  today(): Promise<string>;
  close(): Promise<void>;
};

export type Sold = {
  readonly paymentId: string;
  readonly nsu: string;
  readonly codAuth: string;
  readonly reference: string;
  readonly reply: Reply;
};
export type Shown = Record<string, unknown>;

/** A service with fees, and the simulator beside it, whose script the test writes. */
export async function openReconciledService(
  settings: Readonly<Record<string, string>> = {},
): Promise<ReconciledService> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-reconciled-'));
  const database = await furnishedDatabase(folder, settings);
  const { gateway, integration, merchantId, accountNumber } = await demoIn(folder);
  const auditor = openAuditor(database.address);
  const simulator = await openSimulator(join(folder, 'ledger'));
  const acquirer = { PARCELA_ACQUIRER_URL: simulator.url };
  const all = { ...databaseSettings(database), ...acquirer, ...settings };
  const service = await openService({ folder, settings: all });
  const token = await logIn(service.gatewayUrl, gateway);
  const integrationToken = await logIn(service.integrationUrl, integration, '/api/authentication/login');
  const ask = (path: string, query: Record<string, string>) =>
    call(service.integrationUrl, `${path}?${new URLSearchParams(query)}`, { token: integrationToken });
  return {
    ...service,
    database,
    auditor,
    merchantId,
    simulatorUrl: simulator.url,
    parcela: (...words) => runParcela(database, folder, words, acquirer),
    startBeside: (change = {}) => openService({ folder, settings: { ...all, ...change } }),
    token,
    integrationToken,
    accountNumber,
    ask,
    async sell(amount, installments, change = {}) {
      const productType = installments === 1 ? 'avista' : 'lojista';
      const payment = { transactionType: 'credit', amount, productType, installments };
      const reference = `PEDIDO-${crypto.randomUUID()}`;
      const { reply } = await pay(service.gatewayUrl, token, amount, {
        payment,
        referenceTransaction: reference,
        ...change,
      });
      assert.equal(reply.status, 200, reply.text);
      const { paymentId, nsu, authorizationCode } = reply.body.paymentAuthorization;
      return { paymentId, nsu, codAuth: authorizationCode, reference, reply };
    },
    async searchByCode({ nsu, codAuth }) {
      const path = `/api/transaction/concil/search-by-code?${new URLSearchParams({ accountNumber })}`;
      const reply = await call(service.integrationUrl, path, {
        token: integrationToken,
        body: { nsu, codAuth },
      });
      assert.equal(reply.status, 200, reply.text);
      return reply.body as Shown[];
    },
    async event(paymentId, type, installmentNumber, amount) {
      const path = `/homologation/transactions/${paymentId}/events`;
      const body = { type, installmentNumber, ...(amount === undefined ? {} : { amount }) };
      const reply = await call(service.gatewayUrl, path, { token, body });
      assert.equal(reply.status, 200, reply.text);
    },
    async chargeFees(feePortion) {
      const steps = Array.from({ length: 50 }, () => ({ feePortion }));
      const written = await fetch(`${simulator.url}/script`, {
        method: 'POST',
        body: JSON.stringify({ merchantId, steps }),
      });
      assert.equal(written.status, 200);
    },
    today: async () => ((await readClock(service.gatewayUrl, token)).now as string).slice(0, 10),
    async close() {
      await service.stop();
      await simulator.stop();
      await auditor.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The day so many calendar days later. */
export const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);
