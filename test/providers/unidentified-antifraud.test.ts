import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startSimulator } from '../../simulators/antifraud/running-simulator.ts';
import { openProductionService, type ProductionService } from '../antifraud/production-service.ts';
import { runParcela } from '../audit/audit-service.ts';
import { type Listener, startListener } from '../kit/listener.ts';
import { pay } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';

const LIMIT_MILLISECONDS = 60_000;

let simulator: Awaited<ReturnType<typeof startSimulator>>;
/** Of the settings, and one that was added. Each is away when it is opened. */
let named: Listener;
let added: Listener;
let production: ProductionService;

before(async () => {
  simulator = await startSimulator();
  [named, added] = [await startListener(503), await startListener(503)];
  production = await openProductionService({
    PARCELA_ANTIFRAUD_URL: named.url,
    PARCELA_ANTIFRAUD_WHEN_SILENT: 'reject',
    // One card pays until the rule is known: a rule of velocity would reject it as a silent provider does.
    PARCELA_ANTIFRAUD_RULES: 'none',
  });
});

after(async () => {
  await production?.close();
  await named?.close();
  await added?.close();
  await simulator?.stop();
});

async function payOnce(): Promise<number> {
  const { service, token } = production;
  const sellerInfo = { codeAntiFraud: await production.newCode() };
  return (await pay(service.gatewayUrl, token, 1_000, { sellerInfo })).reply.status;
}

/** The simulator at another address. What it says it is can be changed. */
function answerAs(listener: Listener, isSimulator: boolean): void {
  listener.answerWith(async ({ method, path, body }) => {
    if (path.endsWith('/about'))
      return { status: 200, body: JSON.stringify({ name: 'x', protocol: 1, simulator: isSimulator }) };
    const answer = await fetch(simulator.url + path, { method, body });
    return { status: answer.status, headers: { connection: 'close' }, body: await answer.text() };
  });
}

const isAskedBy = ({ received }: Listener) => received.some(({ path }) => path.endsWith('/decisions'));

/** Until it has said that it is no simulator, its silence decides. */
async function assertCheckedFirst(listener: Listener): Promise<void> {
  assert.equal(await payOnce(), 402, 'away');
  answerAs(listener, true);
  assert.equal(await payOnce(), 402, 'a simulator');
  assert.equal(isAskedBy(listener), false, 'no sale was shown to it');
  answerAs(listener, false);
  assert.equal(await payOnce(), 200);
  assert.equal(isAskedBy(listener), true);
}

test('in production the provider of the settings that was away at the start is asked once it is known', async () => {
  await assertCheckedFirst(named);
  const told = /calls to the anti-fraud provider (broke|get no clear answer)/;
  await until('the log tells of it', async () => production.service.log.some((line) => told.test(line)));
});

test('in production an added provider that was away when it was opened is asked once it is known', async () => {
  const { keys, settings } = production;
  const parcela = (...words: string[]) => runParcela(keys.database, keys.folder, words, settings);
  const of = ['--kind', 'antifraud'];
  await parcela('provider', 'add', ...of, '--name', 'added', '--url', added.url);
  const routed = await parcela('provider', 'route', ...of, '--rule', 'added');
  assert.equal(routed.exitCode, 0, routed.printed + routed.errors);
  await until('the rule is known', async () => (await payOnce()) === 402, LIMIT_MILLISECONDS);
  await assertCheckedFirst(added);
});
