import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeBarCode } from '../../src/values/bar-code.ts';
import { cents } from '../../src/values/cents.ts';
import type { Day } from '../../src/values/instant.ts';
import type { TestDatabase } from '../kit/database.ts';
import { logIn } from '../kit/merchant.ts';
import {
  type Auditor,
  databaseSettings,
  furnishedDatabase,
  type OpenedService,
  openAuditor,
  openService,
  openSimulator,
  type Service,
  type Simulator,
  startService,
} from '../kit/service.ts';

/** As `BoletoShop`, on a database that stays while the operator goes from one bank to another. */
export type TurningShop = {
  readonly service: { readonly auditor: Auditor; readonly folder: string; readonly database: TestDatabase };
  readonly url: string;
  readonly token: string;
  readonly accountNumber: string;
  readonly merchantId: string;
};

export type BanksInTurn = {
  /** The simulator: bank 237. */
  readonly first: Simulator;
  /** Opens the service anew with this bank; null: without one. */
  open(bankUrl: string | null, settings?: Readonly<Record<string, string>>): Promise<TurningShop>;
  /** The same as a process, to be killed. */
  start(bankUrl: string, settings?: Readonly<Record<string, string>>): Promise<TurningShop>;
  /** Kills the process, as kill -9 does. */
  kill(): Promise<void>;
  close(): Promise<void>;
};

export async function openBanksInTurn(): Promise<BanksInTurn> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-banks-'));
  const database = await furnishedDatabase(folder, {});
  const auditor = openAuditor(database.address);
  const acquirer = await openSimulator(join(folder, 'of-operator'));
  const first = await openSimulator(join(folder, 'bank-237'), [], 'bank');
  let service: OpenedService | null = null;
  let running: Service | null = null;
  const settingsWith = (bankUrl: string | null, settings: Readonly<Record<string, string>> = {}) => ({
    ...databaseSettings(database),
    PARCELA_BANK_CHANGES_SECONDS: '1',
    // Beside an acquirer of the operator's no simulator of a bank is started.
    ...(bankUrl === null ? { PARCELA_ACQUIRER_URL: acquirer.url } : { PARCELA_BANK_URL: bankUrl }),
    ...settings,
  });
  async function shopAt({ integrationUrl: url, demo }: OpenedService): Promise<TurningShop> {
    const token = await logIn(url, (await demo()).integration, '/api/authentication/login');
    const [account] = await auditor.query('select merchant_id, account_number from accounts limit 1');
    const { merchant_id, account_number } = account as { merchant_id: string; account_number: string };
    const kept = { auditor, folder, database };
    return { service: kept, url, token, merchantId: merchant_id, accountNumber: account_number };
  }
  return {
    first,
    async open(bankUrl, settings) {
      await service?.stop();
      service = await openService({ folder, settings: settingsWith(bankUrl, settings) });
      return shopAt(service);
    },
    async start(bankUrl, settings) {
      await service?.stop();
      running = await startService({ folder, settings: settingsWith(bankUrl, settings) });
      service = running;
      return shopAt(running);
    },
    async kill() {
      await running?.kill();
      service = null;
    },
    async close() {
      await service?.stop();
      await acquirer.stop();
      await first.stop();
      await auditor.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Registered = { readonly ourNumber: string; readonly amount: number; readonly dueOn: Day };
type Reported = { readonly ourNumber: string; readonly event: string; readonly amount: number };

export type OtherBank = {
  readonly url: string;
  /** The paths of all questions. */
  readonly asked: string[];
  /** Reports a payment, with the next number as its id, as the simulator does. */
  pay(ourNumber: string, amount: number): void;
  close(): Promise<void>;
};

/** Bank 341: registers all that it is asked for, and numbers its changes from 1, behind the prefix. */
export async function openOtherBank(merchantId: string, changePrefix = ''): Promise<OtherBank> {
  const changes: Reported[] = [];
  const asked: string[] = [];
  const answers: Readonly<Record<string, (url: URL, body: Registered) => object | null>> = {
    'GET /about': () => ({ name: 'other', simulator: true, protocol: 1, bankCode: '341' }),
    'POST /boletos': (_url, { ourNumber, amount, dueOn }) => {
      const parts = { bankCode: '341', amount: cents(amount), dueOn, freeField: '7'.repeat(25) };
      return { ourNumber, outcome: 'issued', barCode: composeBarCode(parts), pixEmv: null };
    },
    'GET /changes': (url) => {
      const from = Number(url.searchParams.get('cursor') ?? '0');
      const at = url.searchParams.get('until');
      const items = changes
        .map((change, index) => ({
          changeId: `${changePrefix}${index + 1}`,
          merchantId,
          at,
          fee: null,
          ...change,
        }))
        .slice(from);
      return { items, next: String(Math.max(from, changes.length)), hasMore: false };
    },
  };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://other');
    asked.push(`${request.method} ${url.pathname}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
    const answer = answers[`${request.method} ${url.pathname}`]?.(url, body as Registered) ?? null;
    response.writeHead(answer === null ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { error: 'notFound' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    pay: (ourNumber, amount) => void changes.push({ ourNumber, event: 'paid', amount }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
