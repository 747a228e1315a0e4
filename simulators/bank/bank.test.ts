import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registration, startBank } from './running-simulator.ts';

const at = '2026-11-05T12:00:00.000Z';

test('one number is registered once, however many ask at once', async (t) => {
  const { post, get } = await startBank(t);
  const asked = registration('00000000001');
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('/boletos', asked)));
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
  assert.equal(answers[0]?.body.outcome, 'issued');
  assert.equal((await get('/ledger')).body.items.length, 1);
  const other = await post('/boletos', { ...asked, amount: 1 });
  assert.deepEqual([other.status, other.body], [409, { error: 'referenceReused' }]);
  const ofOther = await post('/boletos', { ...asked, merchantId: 'M2', amount: 1 });
  assert.equal(ofOther.body.outcome, 'issued');
});

test('what is no registration is refused with its first wrong field, and leaves its number free', async (t) => {
  const { post } = await startBank(t);
  const asked = registration('00000000001');
  const payer = asked.payer as { address: object };
  const faults: readonly [string, object][] = [
    ['ourNumber', { ourNumber: '1' }],
    ['amount', { amount: 0 }],
    ['amount', { amount: '250.00' }],
    ['dueOn', { dueOn: '2026-02-30' }],
    ['payer', { payer: null }],
    ['payer.documentNumber', { payer: { ...payer, documentNumber: '529.982.247-25' } }],
    ['payer.address.zipCode', { payer: { ...payer, address: { ...payer.address, zipCode: '1001' } } }],
    ['instructions', { instructions: ['a', 'b', 'c', 'd', 'e'] }],
    ['discount.until', { discount: { amount: 1 } }],
  ];
  for (const [field, changed] of faults) {
    const { status, body } = await post('/boletos', { ...asked, ...changed });
    assert.deepEqual([status, body], [400, { error: 'malformed', field }]);
  }
  assert.equal((await post('/boletos', asked)).body.outcome, 'issued');
  assert.deepEqual((await post('/boletos/1/cancel', { merchantId: 'M1', requestedAt: at })).status, 400);
  assert.equal((await post('/boletos/1/pay', {})).body.error, 'unknownPath');
});

test('a payment that was due before a cancel is booked before it', async (t) => {
  const { post, get } = await startBank(t);
  await post('/boletos', registration('00000000001', { amount: 2_021 }));
  const cancel = { merchantId: 'M1', requestedAt: '2026-11-11T12:00:00Z' };
  const { body } = await post('/boletos/00000000001/cancel', cancel);
  assert.deepEqual(body, { ourNumber: '00000000001', outcome: 'refused', reason: 'paid' });
  const { items } = (await get('/changes?until=2026-11-12T00:00:00Z')).body;
  assert.deepEqual([items.length, items[0].event, items[0].at], [1, 'paid', '2026-11-10T23:00:00.000Z']);
});

test('values pay by themselves when their day has come, and what is unpaid is written off', async (t) => {
  const { post, get } = await startBank(t);
  const terms = { finePortion: 200, interestPortion: 300, discount: { amount: 100, until: '2026-11-03' } };
  const amounts = [2_021, 2_022, 2_023, 2_024, 2_025, 2_026, 25_000];
  for (const [index, amount] of amounts.entries())
    await post('/boletos', registration(String(index).padStart(11, '0'), { amount, ...terms }));
  const { items } = (await get('/changes?merchantId=M1&until=2027-01-01T00:00:00Z')).body;
  const rows = items.map((item: Record<string, unknown>) => [
    Number(item.ourNumber),
    item.event,
    item.amount,
    item.paidOn,
  ]);
  assert.deepEqual(rows, [
    [1, 'paid', 1_922, '2026-11-03'],
    [0, 'paid', 2_021, '2026-11-10'],
    [3, 'paid', 1_012, '2026-11-10'],
    [4, 'paid', 2_025, '2026-11-10'],
    [4, 'paid', 2_025, '2026-11-10'],
    [5, 'paid', 2_026, '2026-11-10'],
    [5, 'paid', 2_026, '2026-11-10'],
    // 2 % are 40.46, and 3 % a month for five days 10.115.
    [2, 'paid', 2_023 + 40 + 10, '2026-11-15'],
    [6, 'expired', undefined, undefined],
  ]);
  const ids = items.map((item: { changeId: string }) => item.changeId);
  assert.equal(new Set(ids).size, ids.length - 1);
});

test('pages follow each other from any cursor, and asking for the next instant books nothing', async (t) => {
  const { post, get } = await startBank(t);
  for (let index = 1; index <= 5; index += 1)
    await post('/boletos', registration(String(index).padStart(11, '0'), { amount: 2_021 }));
  const until = 'until=2026-11-11T00:00:00Z';
  assert.deepEqual((await get(`/changes/next?merchantId=M1&${until}`)).body, {
    at: '2026-11-10T23:00:00.000Z',
  });
  assert.deepEqual((await get('/changes/next?merchantId=M1&until=2026-11-10T22:59:59Z')).body, { at: null });
  const whole = (await get(`/changes?${until}`)).body;
  const found: string[] = [];
  for (let cursor = '0', hasMore = true; hasMore; ) {
    const page = (await get(`/changes?${until}&limit=2&cursor=${cursor}`)).body;
    assert.ok(page.items.length <= 2);
    found.push(...page.items.map((item: { changeId: string }) => item.changeId));
    cursor = page.next;
    hasMore = page.hasMore;
  }
  assert.deepEqual(
    found,
    whole.items.map((item: { changeId: string }) => item.changeId),
  );
  assert.deepEqual((await get(`/changes?${until}`)).body, whole);
  assert.deepEqual((await get(`/changes?${until}&cursor=${whole.next}`)).body.items, []);
  assert.deepEqual((await get(`/changes/next?${until}&cursor=${whole.next}`)).body, { at: null });
});

test('payments are forced again and after the end, with what is owed on their day', async (t) => {
  const { post } = await startBank(t);
  const terms = { amount: 10_000, finePortion: 200, interestPortion: 100, payableUntil: '2026-11-30' };
  await post('/boletos', registration('00000000001', terms));
  const pay = (changed: object) =>
    post('/changes', { merchantId: 'M1', ourNumber: '00000000001', event: 'paid', ...changed });
  // The due day is a Tuesday; ten days later are a fine and a third of a month's interest.
  const late = await pay({ at: '2026-11-20T15:00:00Z' });
  assert.deepEqual(
    [late.body.amount, late.body.paidOn, late.body.creditedOn],
    [10_233, '2026-11-20', '2026-11-24'],
  );
  const part = await pay({ at: '2026-11-20T15:00:00Z', amount: 1, paidOn: '2026-11-10' });
  assert.deepEqual([part.body.amount, part.body.fee, part.body.paidOn], [1, 1, '2026-11-10']);
  assert.deepEqual((await pay({ at: '2026-11-20T15:00:00Z', paidOn: '2026-11-21' })).body.field, 'paidOn');
  const cancel = {
    merchantId: 'M1',
    ourNumber: '00000000001',
    event: 'canceled',
    at: '2026-11-21T12:00:00Z',
  };
  assert.equal((await post('/changes', cancel)).status, 409);
  assert.equal((await post('/changes', { ...cancel, ourNumber: '00000000009' })).status, 404);
  await post('/boletos', registration('00000000002', terms));
  assert.equal((await post('/changes', { ...cancel, ourNumber: '00000000002' })).body.event, 'canceled');
  const behind = { ...cancel, ourNumber: '00000000002', event: 'paid', amount: 5 };
  assert.equal((await post('/changes', behind)).status, 200);
});

test('what is worked on is not there yet, and is registered once when it is', async (t) => {
  const { post, get } = await startBank(t);
  const steps = [{ delayMilliseconds: 1_500 }, { delayMilliseconds: 1_500 }];
  await post('/script', { merchantId: 'M1', steps });
  const asked = registration('00000000001');
  const both = [post('/boletos', asked), post('/boletos', asked)];
  assert.equal((await get('/boletos/00000000001?merchantId=M1')).status, 404);
  const [first, second] = await Promise.all(both);
  assert.deepEqual(second, first);
  assert.equal(first?.body.outcome, 'issued');
  assert.equal((await get('/ledger')).body.items.length, 1);
});

test('scripts spoil registrations and cancels in their order, and repetitions are sound', async (t) => {
  const { post, get } = await startBank(t, { options: ['--late-milliseconds', '1'] });
  const steps = [
    { fault: 'unavailable' },
    { refusal: 'termsRefused' },
    { notFoundTimes: 2 },
    { fault: 'late' },
  ];
  await post('/script', { merchantId: 'M1', steps, cancels: [{ fault: 'unavailable' }] });
  const issue = (ourNumber: string) => post('/boletos', registration(ourNumber));
  assert.equal((await issue('00000000001')).status, 503);
  assert.equal((await issue('00000000001')).body.outcome, 'issued');
  assert.equal((await issue('00000000002')).body.reason, 'termsRefused');
  assert.equal((await issue('00000000002')).body.reason, 'termsRefused');
  assert.equal((await get('/boletos/00000000002?merchantId=M1')).status, 404);
  await issue('00000000003');
  const statuses: number[] = [];
  for (let times = 0; times < 3; times += 1)
    statuses.push((await get('/boletos/00000000003?merchantId=M1')).status);
  assert.deepEqual(statuses, [404, 404, 200]);
  assert.equal((await issue('00000000004')).body.outcome, 'issued');
  const cancel = () => post('/boletos/00000000004/cancel', { merchantId: 'M1', requestedAt: at });
  assert.equal((await cancel()).status, 503);
  assert.equal((await cancel()).body.outcome, 'canceled');
});
