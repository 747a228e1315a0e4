import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { runSql, serverAddress, type TestDatabaseAddress } from '../kit/database.ts';
import { keyFileIn, rememberKeyFile } from '../kit/keys.ts';
import { type Listener, startListener } from '../kit/listener.ts';
import { call, paymentRequest } from '../kit/merchant.ts';
import { databaseUrl, openAuditor, type Service, until } from '../kit/service.ts';
import { command } from '../merchants/merchants-door.ts';
import {
  billingsOf,
  type ChargingProcess,
  ledgerOf,
  openChargingProcess,
  type Shop,
  type Shown,
  subscribe,
} from '../recurrence/charging-service.ts';

/** The simulator books it and is silent: the charge is under way for as long as the acquirer may take. */
const BOOKED_AND_SILENT = 1_002;

let service: ChargingProcess;
let shop: Shop;
let merchant: Listener;
let subscriptionId: string;
let underWay: string;
let paidBefore: string;
let copy: TestDatabaseAddress;
let onCopy: Service;

/**
 * The service is killed with a charge under way, a billing due and a webhook waiting; then its database is
 * copied, and the same service is started on the copy.
 */
before(async () => {
  service = await openChargingProcess({ PARCELA_CHARGES_AT_ONCE: '0' });
  shop = await service.openShop('COPIADA');
  merchant = await startListener(503);
  ({ subscriptionId } = await subscribe(shop));
  const paid = await pay({ urlCallBack: `${merchant.url}/avisos` }, 1_000);
  assert.equal(paid.status, 200, paid.text);
  paidBefore = paid.body.paymentAuthorization.paymentId;
  await until('the webhook was tried', async () => merchant.received.length > 0);
  void pay({}, BOOKED_AND_SILENT).catch(() => {});
  underWay = await until('the acquirer has booked the charge', async () => {
    const rows = await ledgerOf(service, shop);
    return rows.find(({ amount }: Shown) => amount === BOOKED_AND_SILENT)?.reference as string | undefined;
  });
  await service.kill();
  const [row] = await service.auditor.query('select current_database() as name');
  await service.auditor.query(`update transactions set due_at = now() where state = 'charging'`);
  await service.auditor.query(`update deliveries set due_at = '2000-01-01', lease_expires_at = null`);
  copy = { ...serverAddress(), database: `${row?.name}_copy` };
  await runSql(
    serverAddress(),
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${row?.name}'`,
  );
  await runSql(serverAddress(), `create database ${copy.database} template ${row?.name}`);
  rememberKeyFile(copy.database, keyFileIn(service.folder));
  service.bridge.asked.length = 0;
  merchant.received.length = 0;
  merchant.answerWith(200);
  onCopy = await service.startBeside({
    DATABASE_URL: databaseUrl(copy),
    PARCELA_OWNER_DATABASE_URL: '',
    PARCELA_CHARGES_AT_ONCE: '64',
  });
});

after(async () => {
  await onCopy.stop();
  await runSql(serverAddress(), `drop database if exists ${copy.database} with (force)`);
  await service.close();
  await merchant.close();
});

async function pay(change: Readonly<Record<string, unknown>>, amount: number) {
  const tokenized = await shop.ask('/v1/cards/tokenization', { body: { cardNumber: '5155901222280001' } });
  return shop.ask('/v1/payments', { body: paymentRequest(tokenized.body[0].numberToken, amount, change) });
}

const onCopyOf = (path: string, body?: unknown) =>
  call(onCopy.gatewayUrl, path, { token: shop.token, ...(body === undefined ? {} : { body }) });

const stateAtAcquirer = async () =>
  (await ledgerOf(service, shop)).find(({ reference }: Shown) => reference === underWay)?.status;

async function readiness(): Promise<unknown[]> {
  const answer = await fetch(new URL('/health/ready', onCopy.gatewayUrl));
  return [answer.status, ((await answer.json()) as { reason?: string }).reason ?? null];
}

/** Until the service on the copy has looked at its database so many times more. */
async function untilBeats(count: number): Promise<void> {
  const auditor = openAuditor(copy);
  const newest = async () => {
    const [row] = await auditor.query(
      'select beat::int as beat from service_beats order by beaten_at desc limit 1',
    );
    return row?.beat as number;
  };
  const from = await newest();
  await until(`it beats ${count} times`, async () => (await newest()) >= from + count);
  await auditor.close();
}

test('a copy of the database asks the acquirer nothing and sends merchants nothing', async () => {
  assert.deepEqual(await readiness(), [503, 'restored']);
  await untilBeats(4);
  assert.deepEqual(service.bridge.asked, []);
  assert.deepEqual(merchant.received, []);
  assert.equal(await stateAtAcquirer(), 'approved');
});

test('it answers reads, and refuses what would act with a sentence that says that nothing was done', async () => {
  const read = await onCopyOf(`/v1/payments/${paidBefore}`);
  assert.equal(read.status, 200, read.text);
  for (const [path, body] of [
    ['/v1/payments', paymentRequest('x', 1_000)],
    [`/v1/payments/${paidBefore}/cancel`, {}],
    ['/v1/cards/tokenization', { cardNumber: '5155901222280001' }],
  ] as const) {
    const refused = await onCopyOf(path, body);
    assert.equal(refused.status, 503, refused.text);
    assert.match(refused.text, /Nada foi feito/);
    assert.ok(refused.headers.get('retry-after') !== null);
  }
});

test('it says so in its metrics, in its log, to its operator and to the command line', async () => {
  const metrics = await (await fetch(onCopy.metricsUrl)).text();
  assert.match(metrics, /^parcela_held\{reason="restored"\} 1$/m);
  assert.ok(onCopy.said.some((line) => /All work is held: this database is a copy/.test(line)));
  assert.ok(onCopy.log.some((line) => line.includes('all work is held')));
  const database = openDatabase(copy, () => {});
  const shown = await command(database, ['restore', 'show', '--json']);
  await database.close();
  assert.equal(shown.exitCode, 1);
  const { stampedAs, is, isAccepted } = JSON.parse(shown.printed);
  assert.deepEqual([isAccepted, stampedAs === is], [false, false]);
});

test('once the operator accepts it, it goes on where the other stood still', async () => {
  const database = openDatabase(copy, () => {});
  const early = await command(database, ['restore', 'accept', '--reason', 'not compared']);
  assert.equal(early.exitCode, 1);
  assert.match(early.errors, /restore reconcile was not run/);
  const accepted = await command(database, [
    'restore',
    'accept',
    '--unreconciled',
    '--reason',
    'a drill of the tests',
  ]);
  assert.deepEqual([accepted.exitCode, accepted.errors], [0, '']);
  const { printed } = await command(database, ['audit', 'list', '--action', 'restore.accept', '--json']);
  const release = ['restore', 'release', '--reason', 'nothing was canceled'];
  const unknown = await command(database, [
    ...release,
    '--merchant',
    shop.merchantId,
    '--merchant',
    'NOBODY',
  ]);
  assert.deepEqual(
    [unknown.exitCode, unknown.errors],
    [1, 'the restore does not hold NOBODY; nothing was released'],
  );
  const releases = await command(database, ['audit', 'list', '--action', 'billing.release', '--json']);
  assert.deepEqual(JSON.parse(releases.printed).items, [], 'of two names neither');
  const [entry] = JSON.parse(printed).items;
  assert.equal(entry.detail.reason, 'a drill of the tests');
  await until('it is ready', async () => (await readiness())[0] === 200);
  await until('the charge is voided', async () => (await stateAtAcquirer()) === 'undone');
  await until('the webhook is sent', async () => merchant.received.length > 0);
  const ask = (path: string) => onCopyOf(path);
  const get = async (path: string) => (await onCopyOf(path)).body;
  const status = async () => (await billingsOf({ ...shop, ask, get }, subscriptionId))[0]?.status;
  assert.equal(await status(), 'Opened', 'billings stay held');
  const twice = ['--merchant', shop.merchantId, '--merchant', shop.merchantId];
  const released = await command(database, [...release, ...twice, '--json']);
  await database.close();
  assert.equal(JSON.parse(released.printed).released, 1, released.errors);
  await until('the billing is paid', async () => (await status()) === 'Paid');
});
