import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startSimulator } from '../../simulators/antifraud/running-simulator.ts';
import { runParcela } from '../audit/audit-service.ts';
import { runSql } from '../kit/database.ts';
import { type Answering, type Listener, startListener } from '../kit/listener.ts';
import { logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';

const LIMIT_MILLISECONDS = 60_000;

let service: TestService;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
/** Two that were added, each before the simulator. */
let small: Listener;
let large: Listener;
let token: string;

const askSimulator: Answering = async ({ method, path, body }) => {
  const answer = await fetch(simulator.url + path, { method, ...(method === 'POST' ? { body } : {}) });
  return { status: answer.status, headers: { connection: 'close' }, body: await answer.text() };
};

const decisionsOf = (listener: Listener) =>
  listener.received.filter(({ path }) => path.endsWith('/decisions')).length;

before(async () => {
  simulator = await startSimulator();
  [small, large] = [await startListener(askSimulator), await startListener(askSimulator)];
  service = await openTestService();
  for (const [name, { url }] of Object.entries({ small, large }))
    await parcela('provider', 'add', '--kind', 'antifraud', '--name', name, '--url', url);
  const rules = ['--rule', 'amount=1-9999 small', '--rule', 'large'];
  await parcela('provider', 'route', '--kind', 'antifraud', ...rules);
  token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
  await until('both are known', async () => (await providerOf(20_000)) === 'large', LIMIT_MILLISECONDS);
});

after(async () => {
  await service?.close();
  await small?.close();
  await large?.close();
  await simulator?.stop();
});

async function parcela(...words: string[]): Promise<string> {
  const { exitCode, printed, errors } = await runParcela(service.database, service.folder, words);
  assert.equal(exitCode, 0, printed + errors);
  return printed;
}

async function providerOf(amount: number): Promise<unknown> {
  const { reply } = await pay(service.gatewayUrl, token, amount);
  assert.equal(reply.status, 200, reply.text);
  const [row] = await service.auditor.query(
    'select anti_fraud_provider from transactions where transaction_id = $1',
    [reply.body.paymentAuthorization.paymentId],
  );
  return row?.anti_fraud_provider;
}

test('a sale is judged by the provider that the rules choose, and its row names it', async () => {
  const [ofSmall, ofLarge] = [decisionsOf(small), decisionsOf(large)];
  assert.equal(await providerOf(5_000), 'small');
  assert.equal(decisionsOf(small), ofSmall + 1);
  assert.equal(decisionsOf(large), ofLarge, 'the other one was not asked');
  assert.equal(await providerOf(10_000), 'large');
});

test('an adapter that this version does not know is refused, and stored by another version it is absent', async () => {
  const of = ['--kind', 'antifraud', '--name', 'later'];
  const added = await runParcela(service.database, service.folder, [
    ...['provider', 'add', ...of],
    ...['--url', large.url, '--adapter', 'soap'],
  ]);
  assert.notEqual(added.exitCode, 0);
  assert.match(added.errors, /--adapter: soap is no adapter of this kind/);
  await runSql(
    service.database.address,
    `insert into providers (kind, name, adapter, url, created_by)
     values ('antifraud', 'later', 'soap', '${large.url}', 'test')`,
  );
  assert.match(await parcela('provider', 'list'), /later +soap +absent: unknown adapter/);
  await parcela('provider', 'route', '--kind', 'antifraud', '--rule', 'later', '--rule', 'small');
  await until('the rules are known', async () => (await providerOf(10_000)) === 'small', LIMIT_MILLISECONDS);
  const tested = await runParcela(service.database, service.folder, ['provider', 'test', ...of]);
  assert.match(tested.printed, /cannot be used: this version has no adapter soap/);
});

test('a provider that was added is at fault by its name and its option, not by a setting', async () => {
  const wrong = await startListener({ status: 200, body: JSON.stringify({ name: 'x', protocol: 9 }) });
  for (const kind of ['antifraud', 'bank', 'acquirer']) {
    const of = ['--kind', kind, '--name', 'wrong'];
    const words = ['provider', 'add', ...of, '--url', wrong.url];
    const added = await runParcela(service.database, service.folder, words);
    const tested = await runParcela(service.database, service.folder, ['provider', 'test', ...of]);
    // The one did what it was to do, and the other answers what it was asked.
    assert.deepEqual([added.exitCode, tested.exitCode], [0, 1]);
    assert.match(added.printed, /It was added all the same, and cannot be used yet/);
    for (const { printed } of [added, tested]) {
      assert.match(printed, new RegExp(`--url of the ${kind} wrong: .*protocol 9`));
      assert.doesNotMatch(printed, /PARCELA_/);
    }
  }
  await wrong.close();
});
