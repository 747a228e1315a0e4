import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { checkProvider, ProviderDecider } from '../../src/antifraud/adapters/provider/provider-decider.ts';

import { NO_FINGERPRINTS, type Sale } from '../../src/antifraud/anti-fraud.ts';
import { newId } from '../../src/platform/chance.ts';
import { NO_CHANNEL_FILES } from '../../src/platform/channels/channel-files.ts';
import { plainChannel } from '../../src/platform/channels/open-channel.ts';
import { cents } from '../../src/values/cents.ts';
import { instant } from '../../src/values/instant.ts';
import { type Answering, startListener } from '../kit/listener.ts';
import { patiently } from '../kit/patience.ts';
import { until } from '../kit/service.ts';
import { NO_BUYER } from './no-buyer.ts';

const TIMEOUT_MILLISECONDS = patiently(30_000);
const NEVER = new AbortController().signal;

const settingsOf = (url: string) => ({
  url,
  channel: NO_CHANNEL_FILES,
  timeoutMilliseconds: TIMEOUT_MILLISECONDS,
});
const CHANNEL = plainChannel(TIMEOUT_MILLISECONDS);

function saleOf(merchantId: string): Sale {
  return {
    merchantId,
    transactionId: newId(),
    referenceTransaction: null,
    amount: cents(1_000),
    installmentCount: 1,
    card: { brand: 'visa', firstSix: '411111', lastFour: '1111', fingerprints: [] },
    isCardStored: false,
    buyer: NO_BUYER,
    antiFraudCode: randomUUID(),
    session: NO_FINGERPRINTS,
    split: null,
    moment: instant(Date.now()),
  };
}

const accept: Answering = ({ body }) => {
  const { transactionId } = JSON.parse(body) as { transactionId: string };
  return { status: 200, body: JSON.stringify({ transactionId, verdict: 'accept' }) };
};

test('a merchant with a burst of sales has half of the calls, and another is decided at once', async () => {
  const held = Promise.withResolvers<void>();
  const provider = await startListener(async (asked, before) => {
    if (asked.body.includes('LOJA1')) await held.promise;
    return accept(asked, before);
  });
  const results: string[] = [];
  const decider = new ProviderDecider(settingsOf(provider.url), CHANNEL, (result) => results.push(result));
  const burst = Array.from({ length: 80 }, () => decider.decide(saleOf('LOJA1'), NEVER));
  await until('its share is under way', async () => provider.busy.now === 64);
  assert.equal((await decider.decide(saleOf('LOJA2'), NEVER)).verdict, 'accept');
  assert.equal(provider.received.filter(({ body }) => body.includes('LOJA1')).length, 64);
  held.resolve();
  assert.ok((await Promise.all(burst)).every(({ verdict }) => verdict === 'accept'));
  assert.deepEqual([results.length, new Set(results)], [81, new Set(['accept'])]);
  await decider.close();
  await provider.close();
});

test('when more sales wait than may, the next counts as one without an answer, and is not refused', async () => {
  const provider = await startListener('hang');
  const results: string[] = [];
  const decider = new ProviderDecider(settingsOf(provider.url), CHANNEL, (result) => results.push(result));
  const stopping = new AbortController();
  const waiting = Array.from({ length: 64 + 512 }, () =>
    decider.decide(saleOf('LOJA1'), stopping.signal).catch((error: Error) => error.name),
  );
  await assert.rejects(decider.decide(saleOf('LOJA1'), NEVER), {
    name: 'ProviderSilent',
    message: /too many calls/,
  });
  assert.deepEqual(results, ['full']);
  stopping.abort();
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['ProviderSilent']));
  assert.ok(provider.received.length <= 64, 'those that waited were not sent when their time was over');
  await decider.close();
  await provider.close();
});

test('production asks no simulator, and a provider that does not answer is said to be away', async () => {
  const about = (body: object) => startListener({ status: 200, body: JSON.stringify(body) });
  const simulator = await about({ name: 'x', simulator: true, protocol: 1 });
  assert.equal(await checkProvider(simulator.url, 'homologation', CHANNEL), null);
  await assert.rejects(checkProvider(simulator.url, 'production', CHANNEL), {
    name: 'ProviderUnfit',
  });
  const real = await about({ name: 'x', simulator: false, protocol: 1 });
  assert.equal(await checkProvider(real.url, 'production', CHANNEL), null);
  const later = await about({ name: 'x', simulator: false, protocol: 2 });
  await assert.rejects(checkProvider(later.url, 'homologation', CHANNEL), /speaks protocol 2, not 1/);
  for (const listener of [simulator, real, later]) await listener.close();
  assert.match((await checkProvider(real.url, 'production', CHANNEL)) ?? '', /ECONNREFUSED/);
});
