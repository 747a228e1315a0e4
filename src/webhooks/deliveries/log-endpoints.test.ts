import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { DeliveryToSend } from './delivery.ts';
import { logEndpoints } from './log-endpoints.ts';

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
