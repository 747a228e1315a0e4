import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  daysAgo,
  deliveryRow,
  FOREIGN_ACCOUNT,
  FOREIGN_MERCHANT,
  type HistoryService,
  openHistoryService,
  plantDelivery,
  plantEndpoint,
} from './history-service.ts';

let service: HistoryService;

before(async () => {
  service = await openHistoryService();
  // Held, so that nobody sends what these tests make wait.
  for (const accountNumber of [service.accountNumber, service.otherAccount])
    await plantEndpoint(service, accountNumber, 'https://loja.example/webhooks', { state: 'disabled' });
});
after(() => service.close());

const resend = (id: string) => service.ask(`/api/webhooks/deliveries/${id}/resend`, { method: 'POST' });

for (const state of ['delivered', 'givenUp']) {
  test(`what is ${state} is sent again under its own id, with the whole schedule before it`, async () => {
    const id = await plantDelivery(service, service.accountNumber, { state, tries: 12, fence: 5 });
    const { status, body } = await resend(id);
    assert.equal(status, 200);
    assert.deepEqual([body.id, body.status, body.endedAt], [id, 'Waiting', null]);
    const row = await deliveryRow(service, id);
    assert.deepEqual(
      [row.state, row.tries, row.tries_before, row.fence, row.ended_at, row.lease_expires_at],
      ['waiting', 12, 12, 6, null, null],
    );
    assert.deepEqual(row.due_at, row.scheduled_at);
    assert.ok(Math.abs((row.due_at as Date).getTime() - Date.now()) < 60_000, 'due now');
    assert.equal(Date.parse(body.nextTryAt), (row.due_at as Date).getTime());
  });
}

test('of two who ask for it at once, one sends it again', async () => {
  const id = await plantDelivery(service, service.accountNumber, { state: 'givenUp' });
  const statuses = (await Promise.all([resend(id), resend(id), resend(id)])).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [200, 409, 409]);
  assert.equal((await deliveryRow(service, id)).fence, 1);
});

test('what waits, is too old, is a test, was tried too often or has no target is not sent again', async () => {
  const { accountNumber } = service;
  await plantEndpoint(service, 'removed', 'https://loja.example/', {
    endpoint: 'origin:https://removed.example',
    url: null,
    state: 'removed',
  });
  const refused = {
    'ainda está em andamento': { state: 'waiting' },
    'há mais de 30 dias': { state: 'givenUp', created_at: daysAgo(34), ended_at: daysAgo(30.1) },
    'Um teste não é reenviado': { kind: 'test', transaction_id: null },
    'tentada vezes demais': { state: 'givenUp', tries: 89 },
    'Não há mais webhook': { state: 'givenUp', endpoint: 'origin:https://removed.example' },
    'mais webhook registrado': { state: 'givenUp', endpoint: 'origin:https://never.example' },
  };
  for (const [sentence, change] of Object.entries(refused)) {
    const id = await plantDelivery(service, accountNumber, change);
    const before = await deliveryRow(service, id);
    const { status, body } = await resend(id);
    assert.equal(status, 409, sentence);
    assert.equal(body[0].tag, '__general__');
    assert.ok(body[0].description.includes(sentence), body[0].description);
    assert.deepEqual(await deliveryRow(service, id), before);
  }
  const old = { state: 'givenUp', created_at: daysAgo(34), ended_at: daysAgo(29.9), tries: 88 };
  const { status } = await resend(await plantDelivery(service, accountNumber, old));
  assert.equal(status, 200, 'thirty days are counted from its end');
});

const HOUR = 3_600_000;
const START = Date.now() - 20 * 24 * HOUR;
const at = (hours: number) => new Date(START + hours * HOUR);

const resendAll = (body: Record<string, unknown>, accountNumber = service.otherAccount, ask = service.ask) =>
  ask(`/api/webhooks/resend?accountNumber=${accountNumber}`, { body });

test('what was given up in a period is sent again, and nothing else', async () => {
  const { otherAccount, accountNumber, auditor } = service;
  const plant = (change: Record<string, unknown>, account = otherAccount) =>
    plantDelivery(service, account, { state: 'givenUp', ...change });
  const wanted = [await plant({ created_at: at(1) }), await plant({ created_at: at(1.99) })];
  const delivered = await plant({ created_at: at(1.5), state: 'delivered' });
  const left = [
    await plant({ created_at: new Date(START + HOUR - 1) }),
    await plant({ created_at: at(2) }),
    await plant({ created_at: at(1) }, accountNumber),
    await plant({ created_at: at(1), kind: 'test', transaction_id: null }),
    await plant({ created_at: at(1), tries: 89 }),
    await plant({ created_at: at(1), endpoint: 'origin:https://never.example' }),
    await plant({ created_at: at(1), ended_at: daysAgo(30.1) }),
  ];
  const foreign = await plantDelivery({ auditor, merchantId: FOREIGN_MERCHANT }, FOREIGN_ACCOUNT, {
    state: 'givenUp',
    created_at: at(1),
  });
  const stateOf = async (id: string) => (await deliveryRow(service, id)).state;
  const period = { from: at(1).toISOString(), to: at(2).toISOString() };
  const first = await resendAll(period);
  assert.deepEqual([first.status, first.body], [200, { resent: 2, next: null }]);
  for (const id of wanted) assert.equal(await stateOf(id), 'waiting');
  for (const id of left) assert.equal(await stateOf(id), 'givenUp');
  assert.equal(await stateOf(delivered), 'delivered');
  assert.deepEqual((await resendAll(period)).body, { resent: 0, next: null }, 'what waits is left alone');
  assert.deepEqual((await resendAll({ ...period, status: 'All' })).body, { resent: 1, next: null });
  assert.equal(await stateOf(delivered), 'waiting');
  const theirs = await deliveryRow({ auditor, merchantId: FOREIGN_MERCHANT }, foreign);
  assert.equal(theirs.state, 'givenUp');
  const { tries_before: before, fence } = await deliveryRow(service, wanted[0] as string);
  assert.deepEqual([before, fence], [0, 1]);
});

test('a long period is walked over in calls that never meet, also when all of it was written at one moment', async () => {
  const { auditor, merchantId, accountNumber } = service;
  const moment = at(100).toISOString();
  const count = 10_500;
  await auditor.query(
    `insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, transaction_id, installment_number,
       nsu, body, state, scheduled_at, created_at, ended_at)
     select $1, nextval('movement_ids'), 'movement', 'account:' || $2, $2, gen_random_uuid(), 1, '1', '{}',
       case when n <= $4 then 'delivered' else 'givenUp' end, $3, $3::timestamptz + n % 3 * interval '1 microsecond', now()
     from generate_series(1, 2 * $4::int) n`,
    [merchantId, accountNumber, moment, count],
  );
  const period = { from: at(99).toISOString(), to: at(101).toISOString(), status: 'All' };
  const answers: { resent: number; next: string | null }[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const { status, body } = await resendAll(
      after === undefined ? period : { ...period, after },
      accountNumber,
    );
    assert.equal(status, 200);
    answers.push(body);
    after = body.next;
    assert.ok(answers.length <= 40, 'it comes to an end');
  }
  assert.equal(
    answers.reduce((sum, { resent }) => sum + resent, 0),
    2 * count,
  );
  assert.ok(answers.every(({ resent }) => resent <= 10_000));
  const rows = await auditor.query(
    `select state, fence, count(*)::int as count from deliveries where merchant_id = $1 and scheduled_at > $2
       and created_at between $2 and $2::timestamptz + interval '1 second' group by 1, 2`,
    [merchantId, moment],
  );
  assert.deepEqual(rows, [{ state: 'waiting', fence: 1, count: 2 * count }], 'each once');
});

test('what is no moment, no period and no place of this walk is refused by name', async () => {
  const tagsOf = async (body: Record<string, unknown>) => {
    const reply = await resendAll(body);
    assert.equal(reply.status, 400, JSON.stringify(body));
    return reply.body.map(({ tag }: { tag: string }) => tag);
  };
  const [from, to] = ['2026-11-01T00:00:00-03:00', '2026-11-02T03:00:00Z'];
  assert.deepEqual(await tagsOf({}), ['from', 'to']);
  assert.deepEqual(await tagsOf({ from: '2026-11-01', to: '2026-11-02T00:00:00' }), ['from', 'to']);
  assert.deepEqual(await tagsOf({ from: to, to: from }), ['to']);
  assert.deepEqual(await tagsOf({ from, to: from }), ['to']);
  assert.deepEqual(await tagsOf({ from, to: '2026-12-02T00:00:01-03:00' }), ['to']);
  assert.deepEqual(await tagsOf({ from, to, status: 'Waiting' }), ['status']);
  assert.deepEqual(await tagsOf({ from, to, after: 'x' }), ['after']);
  assert.deepEqual(await tagsOf({ from, to, after: 'd-1763730000123456-42' }), ['after']);
  assert.equal((await resendAll({ from, to, after: 'g-1763730000123456-42' })).status, 200);
  assert.equal((await resendAll({ from, to: '2026-12-02T00:00:00-03:00' })).status, 200, '31 days');
  const likeCard = '2026-11-01T10:00:47.123456789-04:00';
  assert.equal((await resendAll({ from: likeCard, to })).status, 200, 'its last digits pass for a card');
  const refused = await resendAll({ from: '4111 1111 1111 1111', to });
  assert.equal(refused.status, 400);
  assert.doesNotMatch(JSON.stringify(refused.body), /1111/);
});

test('the period of an account of another merchant is as unknown as that of nobody’s', async () => {
  const period = { from: at(0).toISOString(), to: at(24).toISOString() };
  const unknown = await resendAll(period, '3333333');
  const other = await resendAll(period, FOREIGN_ACCOUNT);
  assert.equal(unknown.status, 404);
  assert.deepEqual([other.status, other.text], [404, unknown.text]);
  assert.equal(
    (await resendAll(period, FOREIGN_ACCOUNT, service.askAsForeign)).body.resent,
    0,
    'it has no endpoint',
  );
});
