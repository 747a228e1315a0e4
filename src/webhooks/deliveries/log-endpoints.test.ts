import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { DeliveryToSend } from './delivery.ts';
import { logEndpoints } from './module.ts';

test('an endpoint that stays away is said now and then, and a name server that is away is not a line for each', (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  t.after(() => mock.timers.reset());
  const said: (readonly [string, object])[] = [];
  const write = (fields: object, sentence: string) => void said.push([sentence, fields]);
  const observe = logEndpoints({ info: write, warn: write });
  const of = (merchantId: string) => ({ merchantId, endpoint: 'account:1' }) as DeliveryToSend;
  observe('opened', of('LOJA'), { reason: 'connect' });
  for (let minute = 0; minute < 9; minute += 1) observe('stillAway', of('LOJA'), { reason: 'connect' });
  assert.deepEqual(
    said.splice(0).map(([sentence]) => sentence),
    [
      'a webhook endpoint fails too often: nothing is sent there for a while',
      'a webhook endpoint is still away',
    ],
  );
  observe('disabled', of('LOJA'), { reason: 'gone' });
  observe('disabled', of('OUTRA'), { reason: 'gone' });
  assert.equal(said.splice(0).length, 2, 'that is for good, and each is said');
  for (let merchant = 0; merchant < 1_000; merchant += 1)
    observe('opened', of(`M-${merchant}`), { reason: 'dns' });
  assert.ok(said.length <= 101, String(said.length));
});

test('it is said again while it lasts, and not when it is over', (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  let now = 0;
  const said: string[] = [];
  const write = (_: object, sentence: string) => void said.push(sentence);
  const observe = logEndpoints({ info: write, warn: write }, () => now);
  const shop = { merchantId: 'LOJA', endpoint: 'account:1' } as DeliveryToSend;
  const pass = (minutes: number) => {
    now += minutes * 60_000;
    mock.timers.tick(minutes * 60_000);
  };
  observe('stillAway', shop, { reason: 'connect' });
  for (let minute = 0; minute < 10; minute += 1) {
    pass(1);
    observe('stillAway', shop, { reason: 'connect' });
  }
  assert.deepEqual(said.splice(0), ['a webhook endpoint is still away', 'a webhook endpoint is still away']);
  for (const change of ['opened', 'returned', 'opened', 'returned'] as const) {
    observe(change, shop, { reason: 'connect' });
    pass(2);
  }
  said.splice(0);
  pass(30);
  assert.deepEqual(said, ['a webhook endpoint is back']);
});
