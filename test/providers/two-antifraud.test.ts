import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startSimulator } from '../../simulators/antifraud/running-simulator.ts';
import { runParcela } from '../audit/audit-service.ts';
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
  const parcela = async (...words: string[]) => {
    const { exitCode, printed, errors } = await runParcela(service.database, service.folder, words);
    assert.equal(exitCode, 0, printed + errors);
  };
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
  const before = decisionsOf(large);
  assert.equal(await providerOf(5_000), 'small');
  assert.equal(decisionsOf(small), 1);
  assert.equal(decisionsOf(large), before, 'the other one was not asked');
  assert.equal(await providerOf(10_000), 'large');
});
