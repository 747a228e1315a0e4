import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { call, logIn, paymentRequest, type Reply, TEST_CARD, tokenize } from '../kit/merchant.ts';
import {
  cleanEnvironment,
  databaseUrl,
  type Service,
  startService,
  startTestSimulator,
  type TestSimulator,
  until,
} from '../kit/service.ts';
import { askToPreauthorize, captureOf } from '../payments/preauthorized.ts';
import { type Cluster, type Clusters, openClusters } from './clusters.ts';

const PARCELA = fileURLToPath(new URL('../../src/cli/parcela.ts', import.meta.url));
/** The simulator books it and is silent. */
const BOOKED_AND_SILENT = 1_002;
const SUBSCRIPTIONS = '/v1/recurrences/subscriptions';

let root: string;
let clusters: Clusters;
let recovered: Cluster;
let simulator: TestSimulator;
const services: Service[] = [];
let onRecovered: Service;
let merchantId: string;
let token: string;
/** Payments by what was done with them, and when. */
const ids: Record<string, string> = {};
let since: string;

type Shop = { readonly gatewayUrl: string; readonly token: string };

const settingsOf = (cluster: Cluster, more: Readonly<Record<string, string>> = {}) => ({
  DATABASE_URL: databaseUrl(cluster.address),
  PARCELA_ACQUIRER_URL: simulator.url,
  PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '2000',
  ...more,
});

/** It ends with the tests, however far they come. */
async function started(options: Parameters<typeof startService>[0]): Promise<Service> {
  const service = await startService(options);
  services.push(service);
  return service;
}

async function pay(shop: Shop, amount: number, order: string): Promise<Reply> {
  const numberToken = await tokenize(shop.gatewayUrl, shop.token);
  const body = paymentRequest(numberToken, amount, { referenceTransaction: order });
  return call(shop.gatewayUrl, '/v1/payments', { token: shop.token, body, timeoutMilliseconds: 60_000 });
}

async function paid(shop: Shop, amount: number, order: string): Promise<string> {
  const reply = await pay(shop, amount, order);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.paymentAuthorization.paymentId as string;
}

async function held(shop: Shop, amount: number): Promise<string> {
  const setup = { ...shop, merchantId, simulatorUrl: simulator.url };
  const { reply } = await askToPreauthorize(setup as never, amount);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.paymentAuthorization.paymentId as string;
}

async function cancel(shop: Shop, paymentId: string, amount?: number): Promise<void> {
  const body = amount === undefined ? {} : { amount };
  const reply = await call(shop.gatewayUrl, `/v1/payments/${paymentId}/cancel`, { token: shop.token, body });
  assert.equal(reply.status, 200, reply.text);
}

async function subscribe(shop: Shop, gatewayToken: string): Promise<void> {
  const ask = async (path: string, body: object, by = shop.token) => {
    const reply = await call(shop.gatewayUrl, path, { token: by, body });
    assert.equal(reply.status, 200, `${path}: ${reply.text}`);
    return reply.body;
  };
  const plan = { name: 'Clube', description: 'Um livro por mês', amount: 49.9, planType: 'Monthly' };
  const planId = await ask('/v1/recurrences/plans', { ...plan, paymentMethod: 'CreditCard' });
  const numberToken = await tokenize(shop.gatewayUrl, gatewayToken);
  const card = { numberToken, brand: 'mastercard', cardholderName: 'ANA SOUZA' };
  const expiry = { expirationMonth: '12', expirationYear: '39' };
  const { vaultId } = await ask('/v1/vaults/cards', { ...card, ...expiry }, gatewayToken);
  await ask(SUBSCRIPTIONS, { planId, vaultId, orderNumber: 'P-1' });
}

async function ledger(): Promise<Record<string, unknown>[]> {
  const query = new URLSearchParams({ merchantId, limit: '1000' });
  const answer = await fetch(`${simulator.url}/ledger?${query}`);
  return ((await answer.json()) as { items: Record<string, unknown>[] }).items;
}

const rowOf = async (paymentId: string | undefined) =>
  (
    await recovered.sql(`select state, origin, amount::int, canceled_amount::int from transactions
    where transaction_id = '${paymentId}'`)
  )[0];

/** A command of the operator, on the recovered database. */
async function parcela(...words: string[]): Promise<{ code: number; printed: string; said: string }> {
  const env = cleanEnvironment({ ...settingsOf(recovered), PARCELA_DATA_DIR: join(root, 'home') });
  return new Promise((resolve) => {
    execFile(process.execPath, [PARCELA, ...words], { env }, (error, printed, said) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, printed, said }),
    );
  });
}

async function reconcile(...words: string[]): Promise<Record<string, unknown> & { code: number }> {
  const { code, printed, said } = await parcela('restore', 'reconcile', '--json', ...words);
  assert.ok(printed.startsWith('{'), said);
  return { ...(JSON.parse(printed) as Record<string, unknown>), code };
}

/**
 * A service works on a server whose log is archived, under a base backup; then everything that
 * happened after a moment is lost: the backup is recovered up to it.
 */
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'parcela-reconciled-'));
  await chmod(root, 0o711);
  const archive = join(root, 'archive');
  await mkdir(archive, { mode: 0o777 });
  await chmod(archive, 0o777);
  clusters = await openClusters();
  const lost = await clusters.make();
  const archiving = { archive_mode: 'on', archive_command: `cp %p ${archive}/%f`, wal_level: 'replica' };
  await lost.start(archiving);
  simulator = await startTestSimulator(join(root, 'ledger'));
  const folder = join(root, 'home');
  await mkdir(folder);

  const making = await started({ folder, settings: { DATABASE_URL: databaseUrl(lost.address) } });
  const demo = await making.demo();
  ({ merchantId } = demo);
  await making.stop();

  const first = await started({
    folder,
    settings: settingsOf(lost, { PARCELA_CHARGES_AT_ONCE: '0' }),
  });
  token = await logIn(first.gatewayUrl, demo.gateway);
  const before = { gatewayUrl: first.gatewayUrl, token };
  ids.kept = await paid(before, 10_000, 'KEPT');
  ids.captured = await held(before, 20_000);
  ids.released = await held(before, 21_000);
  ids.waiting = await held(before, 22_000);
  await subscribe({ ...before, token: await logIn(first.gatewayUrl, demo.recurrence) }, token);
  const base = await lost.backUp();
  const [moment] = await lost.sql('select now() as now, pg_create_restore_point($$moment$$)');
  since = new Date(moment?.now as string).toISOString();
  await first.stop();

  const second = await started({ folder, settings: settingsOf(lost) });
  const later = { gatewayUrl: second.gatewayUrl, token };
  await until('the billing is charged', async () => (await ledger()).some(({ amount }) => amount === 4_990));
  ids.lost = await paid(later, 11_000, 'LOST');
  ids.lostInPart = await paid(later, 12_000, 'LOST-IN-PART');
  await cancel(later, ids.lostInPart, 500);
  await cancel(later, ids.kept, 300);
  assert.equal((await captureOf(later, ids.captured, 15_000)).status, 200);
  await cancel(later, ids.released);
  ids.lostHeld = await held(later, 23_000);
  await until('the billing is paid', async () => {
    const rows = await lost.sql(`select from billings where state = 'paid'`);
    return rows.length === 1;
  });
  void pay(later, BOOKED_AND_SILENT, 'SILENT').catch(() => {});
  ids.silent = await until('the silent charge is booked', async () => {
    const found = (await ledger()).find(({ amount }) => amount === BOOKED_AND_SILENT);
    return found?.paymentId as string | undefined;
  });
  await second.kill();
  await lost.sql('select pg_switch_wal()');
  await lost.stop();

  recovered = base;
  await recovered.leave('recovery.signal');
  await recovered.start({
    restore_command: `cp ${archive}/%f %p`,
    recovery_target_name: 'moment',
    recovery_target_action: 'promote',
  });
  await until('it takes writes', async () => {
    const [row] = await recovered.sql('select pg_is_in_recovery() as is_recovering');
    return row?.is_recovering === false;
  });
  onRecovered = await started({ folder, settings: settingsOf(recovered) });
});

after(async () => {
  for (const service of services) await service.kill();
  await clusters?.close();
  await simulator?.stop();
  await rm(root, { recursive: true, force: true });
});

test('the recovered database is held, and knows nothing of what came after the moment', async () => {
  const ready = await fetch(new URL('/health/ready', onRecovered.gatewayUrl));
  assert.equal(((await ready.json()) as { reason: string }).reason, 'restored');
  assert.deepEqual(
    [await rowOf(ids.lost), await rowOf(ids.lostInPart), await rowOf(ids.lostHeld)],
    [undefined, undefined, undefined],
  );
});

test('a dry run says what would be done and changes nothing: what is new may be unanswered, the rest is not', async () => {
  // The server says up to which commit it was recovered: not behind the moment.
  const said = await reconcile('--dry-run');
  const restoredTo = Date.parse(said.restoredTo as string);
  assert.ok(
    restoredTo <= Date.parse(since) && restoredTo > Date.parse(since) - 3_600_000,
    String(said.restoredTo),
  );
  // The canceled one was answered, and the billing has no caller.
  const { code, filled, voided, undecided, leftToServices, notOurs } = said;
  assert.deepEqual(
    { code, filled, voided, undecided, leftToServices, notOurs },
    {
      ...{ code: 1, filled: 5, voided: 0, undecided: 3, leftToServices: 0, notOurs: 0 },
    },
  );
  assert.deepEqual(await recovered.sql('select from restore_runs'), []);
  assert.equal(await rowOf(ids.lostInPart), undefined);
});

test('reconciling fills in what was answered, asks a person for the rest, and does nothing twice', async () => {
  const first = await reconcile('--since', since);
  assert.deepEqual([first.code, first.filled, first.undecided], [1, 5, 3], JSON.stringify(first));
  assert.deepEqual(await rowOf(ids.lostInPart), {
    ...{ state: 'approved', origin: 'payment', amount: 12_000, canceled_amount: 500 },
  });
  assert.deepEqual((await rowOf(ids.kept))?.canceled_amount, 300);
  const captured = await rowOf(ids.captured);
  assert.deepEqual([captured?.state, captured?.amount], ['approved', 15_000]);
  assert.equal((await rowOf(ids.released))?.state, 'unresolved');
  assert.equal((await rowOf(ids.waiting))?.state, 'preauthorized');
  const charges = await recovered.sql(`select origin, state from transactions where origin = 'billing'`);
  assert.deepEqual(charges, [{ origin: 'billing', state: 'approved' }]);
  const again = await reconcile('--since', since);
  assert.deepEqual([again.filled, again.voided, again.seen], [0, 0, first.seen]);
  const rows = await recovered.sql('select count(*)::int as count from movements');
  assert.equal(rows.length, 1);
});

test('a person decides what is left, and it is in the audit log', async () => {
  const listed = await parcela('restore', 'list', '--json');
  const { items } = JSON.parse(listed.printed) as { items: { transactionId: string; reason: string }[] };
  assert.deepEqual(
    items.map(({ transactionId }) => transactionId).toSorted(),
    [ids.lost, ids.lostHeld, ids.silent].toSorted(),
  );
  const reason = ['--reason', 'asked the merchant'];
  const kept = ['--charge', ids.lost as string, '--charge', ids.lostHeld as string];
  const keeping = await parcela('restore', 'decide', ...kept, '--as', 'kept', ...reason);
  assert.equal(keeping.code, 0, keeping.said + keeping.printed);
  const voiding = await parcela('restore', 'decide', '--all', '--as', 'voided', ...reason);
  assert.equal(voiding.code, 0, voiding.said + voiding.printed);
  assert.equal((await rowOf(ids.lost))?.state, 'approved');
  assert.equal((await rowOf(ids.lostHeld))?.state, 'preauthorized');
  const silent = (await ledger()).find(({ paymentId }) => paymentId === ids.silent);
  assert.equal(silent?.status, 'undone');
  const { printed } = await parcela('audit', 'list', '--action', 'restore.decide', '--json');
  assert.equal((JSON.parse(printed) as { items: unknown[] }).items.length, 3);
});

test('once it is accepted nothing is charged twice, and the books have every live charge', async () => {
  const accepted = await parcela('restore', 'accept', '--reason', 'a rehearsal of the tests');
  assert.equal(accepted.code, 0, accepted.said);
  assert.match(accepted.printed, /It was compared with the acquirer\./);
  await until('it is ready', async () => {
    return (await fetch(new URL('/health/ready', onRecovered.gatewayUrl))).status === 200;
  });
  await until('the billing is paid', async () => {
    return (await recovered.sql(`select from billings where state = 'paid'`)).length === 1;
  });
  await until('nothing is unknown', async () => {
    const open = await recovered.sql(`select from transactions where state in ('charging', 'unresolved')
      union all select from cancels where state = 'canceling'`);
    return open.length === 0;
  });
  const there = await ledger();
  assert.equal(there.filter(({ amount }) => amount === 4_990).length, 1);
  for (const { paymentId, status, amount, canceledAmount } of there) {
    const row = await rowOf(paymentId as string);
    if (status === 'undone') assert.ok(row === undefined || row.state === 'voided', String(paymentId));
    else assert.deepEqual([row?.amount, row?.canceled_amount], [amount, canceledAmount], String(paymentId));
  }
  const shop = { gatewayUrl: onRecovered.gatewayUrl, token };
  await cancel(shop, ids.lost as string);
  assert.equal((await captureOf(shop, ids.lostHeld as string)).status, 200);
  const audit = await parcela('audit', 'verify');
  assert.equal(audit.code, 0, audit.said + audit.printed);
});

test('what was authorized when no service was left is voided; what is accepted is not compared by mistake', async () => {
  const refused = await parcela('restore', 'reconcile', '--since', since);
  assert.notEqual(refused.code, 0);
  assert.match(refused.said, /was not restored since it was accepted/);
  const late = await fetch(`${simulator.url}/authorizations`, {
    method: 'POST',
    body: JSON.stringify({
      ...{ reference: randomUUID(), merchantId, merchantReference: 'LATE', amount: 13_000, installments: 1 },
      ...{ initiator: 'cardholder', networkTransactionId: null, storedCard: null },
      card: {
        ...{ number: TEST_CARD, brand: 'mastercard', holderName: 'ANA SOUZA', securityCode: '123' },
        ...{ expirationMonth: '12', expirationYear: '39' },
      },
    }),
  });
  assert.equal(((await late.json()) as { outcome: string }).outcome, 'approved');
  const aMinuteAgo = new Date(Date.now() - 60_000).toISOString();
  const words = ['--held-by-hand', '--since', since, '--stopped-at', aMinuteAgo];
  const done = await reconcile(...words);
  assert.deepEqual([done.code, done.voided, done.filled, done.undecided], [0, 1, 0, 0], JSON.stringify(done));
  const [charge] = (await ledger()).filter(({ amount }) => amount === 13_000);
  assert.equal(charge?.status, 'undone');
});
