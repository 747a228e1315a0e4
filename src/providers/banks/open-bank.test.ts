import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startBank } from '../../../simulators/bank/running-simulator.ts';
import { type Channel, openChannel } from '../../platform/channels/open-channel.ts';
import { openGate, whyHeld } from '../../platform/gate.ts';
import { instant } from '../../values/instant.ts';
import { BANK_CONNECT_MILLISECONDS, BANK_PORT, openBank } from './open-bank.ts';

const TIMEOUT = 10_000;
const NO_FILES = { authority: null, certificate: null, certificateKey: null, token: null };
const OPTIONS = { isRealOnly: false, observe: () => {} };
const ALL = { merchantId: 'M1', cursor: null, until: instant(Date.UTC(2027, 0, 1)), limit: 10 };

async function channelOf(t: TestContext): Promise<Channel> {
  const options = { connectTimeoutMilliseconds: BANK_CONNECT_MILLISECONDS, onFault: () => {} };
  const channel = await openChannel(NO_FILES, options);
  t.after(() => channel.close());
  return channel;
}

test('a simulator is no bank of production, and one that is away is a warning until it is there', async (t) => {
  const channel = await channelOf(t);
  const first = await startBank(t);
  await assert.rejects(
    openBank(first.url, channel, { ...OPTIONS, isRealOnly: true }),
    /PARCELA_BANK_URL: .*simulator/,
  );
  const { port } = new URL(first.url);
  await first.end('SIGKILL');
  const { bank, warning } = await openBank(first.url, channel, OPTIONS);
  t.after(() => bank.close());
  assert.match(warning ?? '', /does not answer .*boletos wait/);
  assert.deepEqual([(await bank.changesSince(ALL, TIMEOUT)).kind, bank.bankCode], ['unknown', '']);
  await startBank(t, { options: ['--port', port] });
  assert.deepEqual([(await bank.changesSince(ALL, TIMEOUT)).kind, bank.bankCode], ['changes', '237']);
});

test('while the gate is shut nothing is sent to the bank', async (t) => {
  const simulator = await startBank(t);
  const { bank } = await openBank(simulator.url, await channelOf(t), OPTIONS);
  t.after(() => bank.close());
  const gate = openGate(false, () => {});
  gate.hold('restored', 'for this test');
  const gated = BANK_PORT.gated(bank, () => whyHeld(gate));
  const [ourNumber, at] = ['00000000001', instant(Date.UTC(2026, 10, 5))];
  assert.deepEqual(await gated.cancel('M1', ourNumber, at, TIMEOUT), {
    kind: 'notConnected',
    cause: 'notAsked',
    reason: 'all work is held (restored)',
  });
  assert.equal((await gated.changesSince(ALL, TIMEOUT)).kind, 'unknown');
  gate.open();
  assert.deepEqual(await gated.cancel('M1', ourNumber, at, TIMEOUT), {
    kind: 'refused',
    reason: 'unknownBoleto',
  });
  assert.equal(gated.bankCode, '237');
});
