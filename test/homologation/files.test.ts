import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readFileOf } from '../../simulators/acquirer/file-reader.ts';
import type { FileFormat } from '../../simulators/acquirer/files.ts';
import { bankDayFrom } from '../../simulators/kit/bank-days.ts';
import { addDays, type Day, instant, saoPauloDay } from '../../src/values/instant.ts';
import { arrive } from '../kit/clock.ts';
import { call, logIn, pay, type Reply } from '../kit/merchant.ts';
import { openTestService, type TestService } from '../kit/service.ts';

let service: TestService;
let url: string;
let token: string;

before(async () => {
  service = await openTestService();
  url = service.gatewayUrl;
  token = await logIn(url, (await service.demo()).gateway);
});
after(() => service?.close());

const fileOf = (query: string, asked = token): Promise<Reply> =>
  call(url, `/homologation/acquirer/files?${query}`, { token: asked });

async function entriesOf(format: FileFormat, day: Day, more = '') {
  const reply = await fileOf(`format=${format}&day=${day}${more}`);
  assert.equal(reply.status, 200, reply.text);
  return readFileOf(format, reply.text.slice(0, -2).split('\r\n'), day);
}

test('the files of a day are those of the merchant that asks, once its clock has passed the day', async () => {
  const payment = { transactionType: 'credit', productType: 'lojista', installments: 3 };
  const { reply } = await pay(url, token, 30_000, { payment: { ...payment, amount: 30_000 } });
  assert.equal(reply.status, 200, reply.text);
  const { paymentId } = reply.body.paymentAuthorization;
  const order = (paymentId as string).replaceAll('-', '').slice(-16);
  const soldOn = saoPauloDay(instant(Date.now()));
  assert.equal((await fileOf(`format=redeEevc&day=${soldOn}`)).status, 409);

  await arrive(url, token, { advanceDays: 2 });
  const canceled = await call(url, `/v1/payments/${paymentId}/cancel`, { token, body: { amount: 500 } });
  assert.equal(canceled.status, 200, canceled.text);
  // Further than the weekend and the holidays behind the day of the payout.
  await arrive(url, token, { advanceDays: 36 });
  const paidOn = bankDayFrom(addDays(soldOn, 30)) as Day;
  const [sale, ...others] = await entriesOf('redeEevc', soldOn);
  assert.deepEqual([sale?.order, sale?.gross, others.length], [order, 30_000, 0]);
  const [cancel] = await entriesOf('cielo04', addDays(soldOn, 2));
  assert.deepEqual(
    [cancel?.kind, cancel?.order.slice(-16), cancel?.gross],
    ['cancel', order, 500],
    'its day is that of the clock',
  );
  const [payout] = await entriesOf('adiq', paidOn);
  assert.deepEqual(
    [payout?.kind, payout?.order.slice(-16), payout?.installment, payout?.gross],
    ['payout', order, 1, 10_000],
  );
  assert.deepEqual(await entriesOf('adiq', paidOn, '&fault=rowMissing'), []);
  const reply409 = await fileOf(`format=adiq&day=${paidOn}&fault=rowMissing&row=2`);
  assert.deepEqual([reply409.status, reply409.body[0].tag], [409, 'row']);
});

test('what is asked for wrongly is named', async () => {
  for (const [query, tag] of [
    ['format=pdf&day=2026-01-02', 'format'],
    ['format=adiq', 'day'],
    ['format=adiq&day=2026-02-30', 'day'],
    ['format=adiq&day=2026-01-02&fault=fire', 'fault'],
    ['format=adiq&day=2026-01-02&row=0', 'row'],
  ] as const) {
    const reply = await fileOf(query);
    assert.deepEqual([reply.status, reply.body[0].tag], [400, tag], query);
  }
  assert.equal((await fileOf('format=adiq&day=2026-01-02', 'nobody')).status, 401);
});
