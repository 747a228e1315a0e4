import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Listener, startListener } from '../kit/listener.ts';
import { logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';

let collector: Listener;
let service: TestService;

before(async () => {
  collector = await startListener('hang');
  service = await openTestService({ PARCELA_OTLP_URL: collector.url, PARCELA_TRACE_RATIO: '1' });
});
after(async () => {
  await service.close();
  await collector.close();
});

async function spansThatAre(fate: string): Promise<number> {
  const text = await (await fetch(service.metricsUrl)).text();
  const line = new RegExp(`^parcela_trace_spans_total\\{fate="${fate}"\\} (\\d+)$`, 'm').exec(text);
  assert.ok(line, text.slice(0, 500));
  return Number(line[1]);
}

test('a collector that hangs, refuses or is away fails no payment, and what it did not take is counted', async () => {
  const token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
  const paid = async () => assert.equal((await pay(service.gatewayUrl, token, 1_000)).reply.status, 200);
  await paid();
  await until('a batch is given up', async () => (await spansThatAre('notTaken')) > 0);
  collector.answerWith({ status: 400, headers: { 'content-type': 'application/json' }, body: '{}' });
  const hung = await spansThatAre('notTaken');
  await paid();
  await until('a batch is refused', async () => (await spansThatAre('notTaken')) > hung);
  assert.equal(await spansThatAre('exported'), 0);
  const partly = { partialSuccess: { rejectedSpans: '1' } };
  const headers = { 'content-type': 'application/json' };
  collector.answerWith({ status: 200, headers, body: JSON.stringify(partly) });
  const refused = await spansThatAre('notTaken');
  await paid();
  await until('a batch is taken but for one', async () => (await spansThatAre('exported')) > 0);
  assert.ok((await spansThatAre('notTaken')) > refused);
  await collector.close();
  const before = await spansThatAre('notTaken');
  await paid();
  await until('a batch finds nobody', async () => (await spansThatAre('notTaken')) > before);
});
