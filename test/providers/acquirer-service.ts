import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CIELO_PROGRAM } from '../../simulators/cielo/program.ts';
import { atHour, dayAfter, saoPauloDayOf } from '../../simulators/kit/days.ts';
import { startLedgerServer } from '../../simulators/kit/ledger-server.ts';
import { readLedgerSettings } from '../../simulators/kit/ledger-settings.ts';
import { REDE_PROGRAM } from '../../simulators/rede/program.ts';
import { shortReference } from '../../src/providers/acquirers/short-reference.ts';
import { runParcela } from '../audit/audit-service.ts';
import { call, logIn, paymentRequest, type Reply, tokenize } from '../kit/merchant.ts';
import { openTestService, type RunningService, type TestService, until } from '../kit/service.ts';

export const ESTABLISHMENT = '12345678-1234-1234-1234-123456789012';
/** By which its files name the merchant. */
const PV = '12345678';
export const KEY = 'KEY-OF-A-TEST-0123456789-0123456789-0123';
const LIMIT_MILLISECONDS = 60_000;
const DAY_MILLISECONDS = 86_400_000;

/** A sale in the books of a simulated acquirer. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into its values.
export type Booked = Readonly<Record<string, any>>;

/** A service whose only route is an acquirer's own adapter, and the simulated acquirer behind it. */
export type AcquirerService<S = TestService> = {
  readonly service: S;
  /** Of the simulated acquirer. */
  readonly url: string;
  readonly token: string;
  readonly merchantId: string;
  pay(amount: number, change?: Record<string, unknown>): Promise<Reply & { readonly order: string }>;
  /** A POST to a payment's own path. */
  post(paymentId: string, path: string, body?: object): Promise<Reply>;
  read(paymentId: string): Promise<Reply['body']>;
  transaction(order: string): Promise<Record<string, unknown>>;
  untilState(order: string, state: string): Promise<Record<string, unknown>>;
  /** What is booked under the reference of a payment, or all. */
  booked(paymentId: string | null): Promise<Booked[]>;
  script(...steps: object[]): Promise<void>;
  desk(path: string, body: object): Promise<unknown>;
  /** A day at the acquirer. */
  nextDay(): Promise<unknown>;
  /** Of tomorrow there, so that no day ends while a file is at work. */
  waitForNoon(): Promise<unknown>;
  /** Takes its files of these formats and days, all of them over. */
  takeFiles(formats: readonly string[], days: readonly string[]): Promise<void>;
  parcela(...words: string[]): Promise<string>;
  /** `parcela provider test` with a card. */
  tryCard(...words: string[]): Promise<string>;
  testProvider(): Promise<{ readonly exitCode: number | null; readonly printed: string }>;
  close(): Promise<void>;
};

type Options = {
  readonly settings?: readonly string[];
  readonly simulator?: readonly string[];
  readonly service?: Readonly<Record<string, string>>;
};

const TRIAL_CARD = {
  number: '5555555555554444',
  expirationMonth: '12',
  expirationYear: '39',
  holderName: 'Ana Souza',
  securityCode: '123',
};

const PROGRAMS = { rede: REDE_PROGRAM, cielo: CIELO_PROGRAM } as const;

async function openSimulatedAcquirer(
  program: keyof typeof PROGRAMS,
  folder: string,
  options: readonly string[] = [],
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { options: known } = PROGRAMS[program];
  const words = ['--data', join(folder, program), '--ledger-sync', 'off', ...options];
  const settings = readLedgerSettings(words, known);
  if (typeof settings === 'string') throw new Error(settings);
  const onFailure = (error: Error) => process.stderr.write(`${program} failed: ${error.stack}\n`);
  const running = await startLedgerServer(PROGRAMS[program], settings, onFailure);
  return { url: `http://127.0.0.1:${running.port}`, close: running.close };
}

export async function openAcquirerService(
  program: keyof typeof PROGRAMS,
  options: Options = {},
): Promise<AcquirerService> {
  const service = await openTestService({
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '2000',
    PARCELA_BILLING_SEARCH_MILLISECONDS: '0',
    PARCELA_CHARGES_AT_ONCE: '0',
    ...options.service,
  });
  return withAcquirer(program, service, options);
}

export async function withAcquirer<S extends RunningService & Omit<TestService, keyof RunningService>>(
  program: keyof typeof PROGRAMS,
  service: S,
  options: Options,
): Promise<AcquirerService<S>> {
  const folder = await mkdtemp(join(tmpdir(), `parcela-${program}-`));
  const acquirer = await openSimulatedAcquirer(program, folder, options.simulator);
  const parcela = async (...words: string[]) => {
    const { exitCode, printed, errors } = await runParcela(service.database, service.folder, words);
    assert.equal(exitCode, 0, printed + errors);
    return printed;
  };
  await addToService(parcela, program, { folder, url: acquirer.url, settings: options.settings ?? [] });
  const named = ['--kind', 'acquirer', '--name', program];
  const demo = await service.demo();
  const token = await logIn(service.gatewayUrl, demo.gateway);
  const rowsOf = (order: string) =>
    service.auditor.query('select * from transactions where reference_transaction = $1', [order]);
  const post = (path: string, body: object) =>
    call(service.gatewayUrl, path, { token, body, timeoutMilliseconds: LIMIT_MILLISECONDS });
  async function pay(amount: number, change: Record<string, unknown> = {}) {
    const order = `PEDIDO-${randomUUID().slice(0, 13)}`;
    const numberToken = await tokenize(service.gatewayUrl, token);
    const body = paymentRequest(numberToken, amount, { referenceTransaction: order, ...change });
    return { ...(await post('/v1/payments', body)), order };
  }
  const desk = (path: string, body: object) => askDesk(`${acquirer.url}/simulator/${path}`, body);
  await until(`sales go to ${program}`, async () => {
    const { order } = await pay(100);
    return (await rowsOf(order))[0]?.acquirer === program;
  });
  return {
    ...{ service, token, url: acquirer.url },
    merchantId: demo.merchantId,
    pay,
    post: (paymentId, path, body = {}) => post(`/v1/payments/${paymentId}/${path}`, body),
    async read(paymentId) {
      return (await call(service.gatewayUrl, `/v1/payments/${paymentId}`, { token })).body;
    },
    transaction: (order) => until(`there is ${order}`, async () => (await rowsOf(order))[0]),
    untilState: (order, state) =>
      until(
        `${order} is ${state}`,
        async () => {
          const [row] = await rowsOf(order);
          return row?.state === state && row;
        },
        LIMIT_MILLISECONDS,
      ),
    async booked(paymentId) {
      const of = paymentId === null ? '' : `&reference=${shortReference(paymentId)}`;
      const query = `merchantId=${ESTABLISHMENT}${of}`;
      const told = await fetch(`${acquirer.url}/simulator/ledger?${query}`);
      return ((await told.json()) as { items: Booked[] }).items;
    },
    async script(...steps) {
      await desk('script', { merchantId: ESTABLISHMENT, steps });
    },
    desk,
    nextDay: () => desk('clock', { forwardMilliseconds: DAY_MILLISECONDS }),
    waitForNoon: () => desk('clock', { forwardMilliseconds: millisecondsUntilNoon() }),
    async takeFiles(formats, days) {
      const wanted = formats.flatMap((format) => days.map((day) => ({ format, day })));
      const taken = await Promise.all(wanted.map((one) => writeFileOf(acquirer.url, folder, one)));
      await parcela('reconcile', 'import', ...taken);
    },
    parcela,
    async tryCard(...words) {
      return parcela('provider', 'test', ...named, '--card-file', await writeCard(folder), ...words);
    },
    testProvider: () => runParcela(service.database, service.folder, ['provider', 'test', ...named]),
    async close() {
      await service.close();
      await acquirer.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Pays by a stored Mastercard three times: how each use is called, and what the acquirer was told of it. */
export async function payByStored(
  { service, token, pay, transaction, booked }: AcquirerService,
  named: 'first' | 'latest',
) {
  const numberToken = await tokenize(service.gatewayUrl, token);
  const card = { numberToken, cardholderName: 'ANA SOUZA', expirationMonth: '12', expirationYear: '39' };
  const stored = await call(service.gatewayUrl, '/v1/vaults/cards', { token, body: card });
  const { vaultId } = stored.body;
  const kept = 'select network_transaction_id from vault_cards where vault_id = $1';
  const uses: { readonly id: unknown; readonly link: unknown; readonly told: Booked }[] = [];
  for (const securityCode of ['123', undefined, undefined]) {
    const reply = await pay(12_330, { cardInfo: { vaultId, securityCode } });
    assert.equal(reply.status, 200, reply.text);
    const [sale] = await booked(idOf(reply));
    const { network_transaction_id: id, transaction_link_id: link } = await transaction(reply.order);
    assert.match(String(link), /^[\w-]{22}$/);
    uses.push({ id, link, told: sale?.notes });
    const wanted = uses.at(named === 'latest' ? -1 : 0)?.id;
    await until('the card has the id', async () => {
      const [row] = await service.auditor.query(kept, [vaultId]);
      return row?.network_transaction_id === wanted;
    });
  }
  return uses;
}

export function millisecondsUntilNoon(): number {
  const now = Date.now();
  return atHour(dayAfter(saoPauloDayOf(now), 1), 12) - now;
}

async function askDesk(url: string, body: object): Promise<unknown> {
  const told = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  assert.equal(told.status, 200, url);
  return told.json();
}

async function writeFileOf(
  url: string,
  folder: string,
  { format, day }: { readonly format: string; readonly day: string },
): Promise<string> {
  const query = new URLSearchParams({ format, day, merchantId: ESTABLISHMENT, establishment: PV });
  const told = await fetch(`${url}/simulator/files?${query}`);
  assert.equal(told.status, 200, `${format} ${day}`);
  const file = join(folder, `${format}-${day}.txt`);
  await writeFile(file, Buffer.from(await told.arrayBuffer()));
  return file;
}

async function writeCard(folder: string): Promise<string> {
  const file = join(folder, 'card.json');
  await writeFile(file, JSON.stringify(TRIAL_CARD));
  return file;
}

/** Routes all sales to it. */
async function addToService(
  parcela: (...words: string[]) => Promise<string>,
  program: keyof typeof PROGRAMS,
  added: { readonly folder: string; readonly url: string; readonly settings: readonly string[] },
): Promise<void> {
  const keyFile = join(added.folder, 'key');
  await writeFile(keyFile, `${KEY}\n`);
  const provider = ['--kind', 'acquirer', '--name', program];
  const settings = added.settings.flatMap((setting) => ['--setting', setting]);
  const access = ['--url', added.url, '--establishment', ESTABLISHMENT];
  const key = ['--establishment-key-file', keyFile];
  await parcela('provider', 'add', ...provider, '--adapter', program, ...access, ...key, ...settings);
  await parcela('provider', 'route', '--kind', 'acquirer', '--rule', program);
}

export const idOf = ({ body, text }: Reply): string => {
  assert.ok(body.paymentAuthorization, text);
  return body.paymentAuthorization.paymentId as string;
};
