import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Demo } from '../../homologation/create-demo-merchant.ts';
import { programOf } from '../../src/platform/home.ts';
import { type Listener, startListener } from '../../test/kit/listener.ts';
import { TEST_CARD } from '../../test/kit/merchant.ts';
import { openPixBank } from '../../test/kit/pix-bank.ts';
import {
  cleanEnvironment,
  databaseUrl,
  type Service,
  startService,
  startTestSimulator,
  type TestSimulator,
  until,
} from '../../test/kit/service.ts';
import { type Cluster, type Clusters, openClusters } from '../../test/restored/clusters.ts';
import { chanceFrom } from '../chance.ts';
import { callGateway } from '../merchant-client.ts';
import { wait } from '../operations/operation.ts';
import { judgeRestore, type LedgerCharge } from './of-restore.ts';
import { PixTill } from './pix-till.ts';
import { type Door, RestoredTill } from './restored-till.ts';
import { type AskShop, ToldShop } from './told-shop.ts';

export type RestoreOptions = {
  /** What is lost: so long is sold behind the instant to which the database is restored. */
  readonly seconds: number;
  readonly perSecond: number;
  readonly seed: number;
  readonly say: (line: string) => void;
};

export type RestoreReport = {
  readonly lines: readonly string[];
  readonly violations: readonly string[];
};

const PARCELA = programOf('src/cli/parcela.ts');
const SUBSCRIPTIONS = 20;
/** Sold before the instant, and when all is well again. */
const CALM_SECONDS = 10;
const END_MILLISECONDS = 300_000;

/** What is ended whatever happens, last first. */
type Opened = { readonly folder: string; readonly ends: (() => Promise<unknown>)[] };

type Stage = {
  readonly options: RestoreOptions;
  readonly opened: Opened;
  readonly archive: string;
  readonly simulator: TestSimulator;
  readonly till: RestoredTill;
  readonly told: ToldShop;
  readonly pixBank: Awaited<ReturnType<typeof openPixBank>>;
  readonly pix: PixTill;
  readonly merchant: Listener;
};

/**
 * Sells under a base backup and an archive of the log, loses the database, recovers it to an instant
 * that has passed, brings its books to the acquirer's, and sells on.
 */
export async function runRestore(options: RestoreOptions): Promise<RestoreReport> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-restore-'));
  const opened: Opened = { folder, ends: [() => rm(folder, { recursive: true, force: true })] };
  try {
    // Under root the servers run as another account, which must pass through.
    await chmod(folder, 0o711);
    const archive = join(folder, 'archive');
    await mkdir(archive);
    await chmod(archive, 0o777);
    await mkdir(join(folder, 'home'));
    const clusters = await openClusters();
    opened.ends.push(() => clusters.close());
    const simulator = await startTestSimulator(join(folder, 'ledger'));
    opened.ends.push(() => simulator.stop());
    const merchant = await startListener(200);
    opened.ends.push(() => merchant.close());
    const till = new RestoredTill(chanceFrom(options.seed), `${merchant.url}/callbacks`);
    const told = new ToldShop(chanceFrom(options.seed + 1));
    const pixBank = await openPixBank(folder);
    opened.ends.push(() => pixBank.pix.stop());
    const pix = new PixTill(pixBank.pix.url);
    const stage = { options, opened, archive, simulator, till, told, pixBank, pix, merchant };
    return await rehearse(stage, clusters);
  } finally {
    for (const end of opened.ends.reverse()) await end().catch(() => {});
  }
}

async function rehearse(stage: Stage, clusters: Clusters): Promise<RestoreReport> {
  const { options, till } = stage;
  const lost = await clusters.make();
  await lost.start({
    ...{ archive_mode: 'on', archive_command: `cp %p ${stage.archive}/%f`, wal_level: 'replica' },
  });
  const making = await serve(stage, lost, {}, null);
  const demo = await making.demo();
  await making.stop();
  const { restoredTo, recovered, logs } = await loseEverything(stage, lost, demo);
  await recover(stage, recovered);

  const held = await serve(stage, recovered, {});
  const ofLost = logs.flatMap((file) => ['--lines', file]);
  const lines = await reconcileByMerchant(stage, recovered, ['--since', restoredTo, ...ofLost]);
  const redo = ['restore', 'redo', ...ofLost, '--do'];
  const { printed: redone } = await parcela(stage, recovered, redo);
  await parcela(stage, recovered, ['restore', 'accept', '--reason', 'rehearsal']);
  await parcela(stage, recovered, ['restore', 'release', '--all', '--reason', 'rehearsal']);
  const door = await doorOf(held, demo);
  await until('work goes on', async () => (await readiness(held)) === 200, END_MILLISECONDS);
  await until('nothing is unknown', async () => (await unknownOf(recovered)) === 0, END_MILLISECONDS);
  const again = [...(await till.sendAgain(door)), ...(await stage.pix.sendAgain(door))];
  await stage.told.comeDue(recovered);
  options.say('accepted; selling on');
  const before = till.sales.length;
  await sellFor(stage, door, CALM_SECONDS);
  await until('nothing is unknown', async () => (await unknownOf(recovered)) === 0, END_MILLISECONDS);
  const violations = [...again, ...(await judge(stage, recovered)), ...(await stage.pix.judge(door))];
  const billed = await recovered.sql(`select from billings where state = 'paid'`);
  await held.stop();
  return {
    lines: [
      ...lines,
      ...stage.told.lines,
      stage.pix.line,
      ...redone.trim().split('\n').slice(0, 1),
      `${before} sales before the restore was accepted, ${till.sales.length - before} behind it`,
      `${billed.length} billings paid, ${stage.merchant.received.length} callbacks received`,
    ],
    violations,
  };
}

/** Sells, backs up, sells, marks the instant, sells what will be lost, and kills everything. */
async function loseEverything(
  stage: Stage,
  lost: Cluster,
  demo: Demo,
): Promise<{ readonly restoredTo: string; readonly recovered: Cluster; readonly logs: readonly string[] }> {
  const { options } = stage;
  const service = await serve(stage, lost, { PARCELA_CHARGES_AT_ONCE: '0' });
  const door = await doorOf(service, demo);
  const { ask, storeCard } = await subscribe(service, demo, door);
  await stage.told.enroll(ask, storeCard, lost);
  await stage.pix.begin(door);
  let isOver = false;
  const selling = stage.till.sell(door, options.perSecond, () => isOver);
  await wait((CALM_SECONDS * 1_000) / 2);
  const recovered = await lost.backUp();
  options.say('backed up under load');
  await wait((CALM_SECONDS * 1_000) / 2);
  const [moment] = await lost.sql('select now() as now, pg_create_restore_point($$instant$$)');
  // From now on billings are charged too.
  const charging = await serve(stage, lost, {});
  const lostTime = options.seconds * 1_000;
  const changing = [stage.told.change(ask, lostTime), stage.pix.change(door, lostTime)];
  await wait(options.seconds * 1_000);
  await Promise.all([service.kill(), charging.kill()]);
  isOver = true;
  await lost.sql('select pg_switch_wal()');
  await lost.stop('fast');
  await Promise.all([selling, ...changing]);
  const logs = await Promise.all(
    [service, charging].map(async ({ log }, index) => {
      const file = join(stage.opened.folder, `lost-${index}.log`);
      await writeFile(file, log.join('\n'));
      return file;
    }),
  );
  options.say(`lost after ${stage.till.sales.length} sales`);
  return { restoredTo: new Date(moment?.now as string).toISOString(), recovered, logs };
}

async function recover({ archive, options }: Stage, recovered: Cluster): Promise<void> {
  await recovered.leave('recovery.signal');
  await recovered.start({
    restore_command: `cp ${archive}/%f %p`,
    recovery_target_name: 'instant',
    recovery_target_action: 'promote',
  });
  await until('it takes writes', async () => {
    const [row] = await recovered.sql('select pg_is_in_recovery() as is_recovering');
    return row?.is_recovering === false;
  });
  options.say('recovered to the instant');
}

/**
 * Reconciles, killed in the middle and begun again; then the merchant says which of its sales were
 * answered.
 */
async function reconcileByMerchant(
  stage: Stage,
  recovered: Cluster,
  given: readonly string[],
): Promise<string[]> {
  const words = ['restore', 'reconcile', ...given];
  await parcela(stage, recovered, words, { killedAt: /charges of the acquirer compared/ });
  // The killed one may end its walk in the moment in which this one begins.
  const again = () => parcela(stage, recovered, words);
  const { printed } = await again().catch(again);
  const { items } = JSON.parse(
    (await parcela(stage, recovered, ['restore', 'list', '--limit', '1000', '--json'])).printed,
  ) as {
    items: { transactionId: string; merchantReference: string; reason: string }[];
  };
  const answered = new Set(
    stage.till.sales.filter(({ paymentId }) => paymentId !== null).map(({ order }) => order),
  );
  const kept = items.filter(({ merchantReference }) => answered.has(merchantReference));
  const decide = (as: string, ids: readonly string[]) =>
    parcela(stage, recovered, [
      ...['restore', 'decide', ...ids.flatMap((id) => ['--charge', id])],
      ...['--as', as, '--reason', 'the merchant has looked'],
    ]);
  if (kept.length > 0)
    await decide(
      'kept',
      kept.map(({ transactionId }) => transactionId),
    );
  const voided = items.filter((item) => !kept.includes(item));
  if (voided.length > 0)
    await decide(
      'voided',
      voided.map(({ transactionId }) => transactionId),
    );
  return [...printed.trim().split('\n'), `Of those a person kept ${kept.length} and voided ${voided.length}`];
}

async function judge({ simulator, till, told }: Stage, recovered: Cluster): Promise<string[]> {
  const ledger: LedgerCharge[] = [];
  for (let after = 0; ; ) {
    const answer = await fetch(`${simulator.url}/ledger/all?after=${after}&limit=1000`);
    const { items, next } = (await answer.json()) as { items: LedgerCharge[]; next: number };
    ledger.push(...items);
    if (items.length === 0) break;
    after = next;
  }
  const booked = await recovered.sql(
    'select transaction_id as id, state, amount::int, canceled_amount::int as "canceledAmount" from transactions',
  );
  const billings = await recovered.sql('select billing_id as id, state from billings where charges_made > 0');
  const waiting = await recovered.sql(
    `select transaction_id as id from restored_charges where decision = 'undecided'`,
  );
  const books = { sales: till.sales, ledger, booked: booked as never, billings: billings as never };
  const undecided = waiting.map(({ id }) => id as string);
  return [...judgeRestore({ ...books, undecided }), ...(await told.judge(recovered, ledger))];
}

async function unknownOf(recovered: Cluster): Promise<number> {
  const rows = await recovered.sql(`
    select from transactions where state in ('charging', 'unresolved', 'capturing')
    union all select from restored_charges where decision = 'unfinished'
    union all select from cancels where state in ('canceling', 'pending')
    union all select from billing_charges where due_at is not null
    union all select from pix_charges where state in ('issuing', 'removing')
    union all select from pix_refunds where state in ('refunding', 'pending')`);
  return rows.length;
}

/** `acquirer` null: the service's own, which makes the merchant. */
async function serve(
  { opened, simulator, pixBank }: Stage,
  cluster: Cluster,
  change: Readonly<Record<string, string>>,
  acquirer: string | null = simulator.url,
): Promise<Service> {
  const settings = {
    DATABASE_URL: databaseUrl(cluster.address),
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '2000',
    PARCELA_REQUESTS_PER_SECOND_PER_CREDENTIAL: '1000000',
    PARCELA_REQUESTS_PER_SECOND_PER_ADDRESS: '1000000',
    PARCELA_REQUESTS_PER_SECOND_PER_MERCHANT: '1000000',
    ...(acquirer === null ? {} : { PARCELA_ACQUIRER_URL: acquirer }),
    ...pixBank.settings,
    ...change,
  };
  const service = await startService({ folder: join(opened.folder, 'home'), settings });
  opened.ends.push(() => service.kill());
  return service;
}

async function readiness({ gatewayUrl }: Service): Promise<number> {
  return (await fetch(new URL('/health/ready', gatewayUrl))).status;
}

async function doorOf({ gatewayUrl: url }: Service, { gateway }: Demo): Promise<Door> {
  return { url, token: await tokenOf(url, gateway) };
}

async function tokenOf(url: string, login: Demo['gateway']): Promise<string> {
  const { body } = await callGateway(url, '/api/auth/token', { body: login });
  return (body as { accessToken: string }).accessToken;
}

/** Their first billings are due today. */
async function subscribe(
  { gatewayUrl: url }: Service,
  demo: Demo,
  door: Door,
): Promise<{ readonly ask: AskShop; readonly storeCard: () => Promise<string> }> {
  const token = await tokenOf(url, demo.recurrence);
  const ask = async (path: string, body: object, by = token) => {
    const answer = await callGateway(url, path, { token: by, body });
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`);
    return answer.body;
  };
  const plan = { name: 'Clube', description: 'Um livro por mês', amount: 49.9, planType: 'Monthly' };
  const planId = await ask('/v1/recurrences/plans', { ...plan, paymentMethod: 'CreditCard' });
  const storeCard = async (): Promise<string> => {
    const tokenized = await ask('/v1/cards/tokenization', { cardNumber: TEST_CARD }, door.token);
    const [{ numberToken = '' } = {}] = tokenized as { numberToken?: string }[];
    const card = { numberToken, brand: 'mastercard', cardholderName: 'ANA SOUZA' };
    const expiry = { expirationMonth: '12', expirationYear: '39' };
    const stored = await ask('/v1/vaults/cards', { ...card, ...expiry }, door.token);
    return (stored as { vaultId: string }).vaultId;
  };
  for (let count = 0; count < SUBSCRIPTIONS; count += 1) {
    const vaultId = await storeCard();
    await ask('/v1/recurrences/subscriptions', { planId, vaultId, orderNumber: `S-${count}` });
  }
  return { ask, storeCard };
}

async function sellFor({ till, options }: Stage, door: Door, seconds: number): Promise<void> {
  const endsAt = performance.now() + seconds * 1_000;
  await till.sell(door, options.perSecond, () => performance.now() > endsAt);
}

/** A command of the operator; `killedAt`: killed as soon as it says so. */
async function parcela(
  { opened, simulator, pixBank, options }: Stage,
  recovered: Cluster,
  words: readonly string[],
  { killedAt }: { readonly killedAt?: RegExp } = {},
): Promise<{ readonly printed: string }> {
  const env = cleanEnvironment({
    DATABASE_URL: databaseUrl(recovered.address),
    PARCELA_ACQUIRER_URL: simulator.url,
    ...pixBank.settings,
    PARCELA_DATA_DIR: join(opened.folder, 'home'),
  });
  const child = spawn(process.execPath, [...PARCELA, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (killedAt?.test(said)) child.kill('SIGKILL');
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  options.say(`${words.slice(0, 2).join(' ')} ended with ${code ?? 'a kill'}`);
  // 1 says that something waits for a person.
  if (killedAt === undefined && printed === '') throw new Error(`${words.join(' ')} failed: ${said}`);
  return { printed };
}
