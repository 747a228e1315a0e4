import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { addDays, instant, saoPauloDay } from '../../src/values/instant.ts';
import { centsOfPlanAmount, parsePlanAmount } from '../../src/values/plan-amount.ts';
import { call, type Reply } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import {
  insertPlan,
  openRecurrenceService,
  type RecurrenceService,
  storeCard,
} from './recurrence-service.ts';

const PATH = '/v1/recurrences/subscriptions';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let service: RecurrenceService;
let vaultId: string;
let planId: string;

before(async () => {
  service = await openRecurrenceService();
  vaultId = await storeCard(service);
  planId = await insertPlan(service);
});
after(() => service.close());

type Options = { readonly token?: string; readonly key?: string; readonly language?: string };

/** Sends it; on a busy machine it may be refused with 503, and then it is sent again, as any caller would. */
async function post(path: string, body: unknown, { token = service.token, key, language }: Options = {}) {
  const headers = {
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(language === undefined ? {} : { 'accept-language': language }),
  };
  const send = () => call(service.url, path, { token, body, headers });
  let reply = await send();
  for (let tries = 1; reply.status === 503 && tries < 5; tries += 1) reply = await send();
  return reply;
}

const create = (change: Record<string, unknown> = {}, options?: Options) =>
  post(PATH, { vaultId, orderNumber: 'P-1001', planId, ...change }, options);
const get = (id: string, token = service.token) => call(service.url, `${PATH}/${id}`, { token });
const setStatus = (id: string, status: string, options?: Options) =>
  post(`${PATH}/${id}/status`, { status }, options);
const setVault = (id: string, other: string, options?: Options) =>
  post(`${PATH}/${id}/vault`, { vaultId: other }, options);

async function created(change: Record<string, unknown> = {}): Promise<string> {
  const reply = await create(change);
  assert.equal(reply.status, 200, reply.text);
  return reply.body as string;
}

const rowOf = async (id: string) => {
  const [row] = await service.auditor.query(
    `select *, first_due_on::text as first_due_on, amount::text as amount from subscriptions where subscription_id = $1`,
    [id],
  );
  return row as Record<string, unknown>;
};
const billingsOf = (id: string) =>
  service.auditor.query(
    `select *, due_on::text as due_on, charge_on::text as charge_on, amount::int8::text as amount
     from billings where subscription_id = $1 order by created_at, installment`,
    [id],
  );
const subscriptionsOf = async (plan: string) => {
  const rows = await service.auditor.query('select 1 from subscriptions where plan_id = $1', [plan]);
  return rows.length;
};

const today = () => saoPauloDay(instant(Date.now()));
const tagsOf = ({ body }: Reply) => (body as { tag: string }[]).map(({ tag }) => tag).sort();

test('a customer is enrolled: the answer is the id, and the first billing is open for the day after the trial', async () => {
  const trial = await insertPlan(service, { trial_days: 10, amount: '49.905' });
  const reply = await create({ planId: trial });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.text, JSON.stringify(reply.body));
  assert.match(reply.body, UUID);
  const row = await rowOf(reply.body);
  const dueOn = addDays(today(), 10);
  assert.deepEqual(
    [row.state, row.reason, row.first_due_on, row.amount, row.account_number, row.created_by],
    ['active', null, dueOn, '49.905000', service.accountNumber, service.userName],
  );
  const [billing, ...others] = await billingsOf(reply.body);
  assert.equal(others.length, 0);
  assert.deepEqual(
    [billing?.state, billing?.installment, billing?.due_on, billing?.charge_on, billing?.amount],
    ['opened', 1, dueOn, dueOn, '4990'],
  );
});

test('a subscription is shown with its plan and the terms of its enrolment, every digit of its amount', async () => {
  const plan = await insertPlan(service, {
    amount: '123456789012.123456',
    name: 'Ouro',
    search_name: 'ouro',
  });
  const id = await created({ planId: plan });
  await service.auditor.query(
    `update plans set name = 'Prata', amount = 1, max_retries = 0, state = 'inactive' where plan_id = $1`,
    [plan],
  );
  const reply = await get(id.toUpperCase());
  assert.equal(reply.status, 200, reply.text);
  assert.ok(reply.text.includes('"amount":123456789012.123456'), reply.text);
  const { plan: shown, createdDate, timeline, ...rest } = reply.body;
  assert.deepEqual(rest, {
    id,
    vaultId,
    orderNumber: 'P-1001',
    status: 'Active',
    createdBy: service.userName,
  });
  assert.deepEqual(timeline, [{ at: createdDate, type: 'Created', by: service.userName }]);
  assert.match(createdDate, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);
  assert.deepEqual(
    [shown.id, shown.name, shown.attempts, shown.interval, shown.status, shown.paymentMethod],
    [plan, 'Prata', 4, 30, 'Inactive', 'CreditCard'],
  );
});

test('what is charged is rounded half to even, exactly as everywhere else', async () => {
  const amounts = [
    '0.005',
    '0.015',
    '0.025',
    '0.025001',
    '0.034999',
    '49.904999',
    '49.905',
    '49.915',
    '1',
    '0.000001',
  ];
  amounts.push('2.675', '123456789012.125', '123456789012.135', '999999999999.999999', '0.995', '1.005');
  for (const amount of amounts) {
    const id = await created({ planId: await insertPlan(service, { amount }) });
    const [billing] = await billingsOf(id);
    assert.equal(billing?.amount, String(centsOfPlanAmount(parsePlanAmount(amount))), amount);
  }
});

test('unknown, foreign and malformed ids are refused alike, both at once', async () => {
  const foreignPlan = await insertPlan({ ...service, merchantId: service.foreignMerchantId });
  const [card] = await service.auditor.query(
    'select to_jsonb(v) as row from vault_cards v where vault_id = $1',
    [vaultId],
  );
  const foreignCard = randomUUID();
  await service.auditor.query(
    `insert into vault_cards select (jsonb_populate_record(v, $2)).* from vault_cards v where vault_id = $1`,
    [vaultId, JSON.stringify({ merchant_id: service.foreignMerchantId, vault_id: foreignCard })],
  );
  assert.ok(card !== undefined);
  const texts = new Set<string>();
  for (const [plan, other] of [
    [randomUUID(), randomUUID()],
    [foreignPlan, foreignCard],
    ['nobody', 'x'],
    ['nobody', randomUUID()],
  ]) {
    const reply = await create({ planId: plan, vaultId: other });
    assert.equal(reply.status, 400);
    texts.add(reply.text);
  }
  assert.equal(texts.size, 1);
  assert.deepEqual(JSON.parse([...texts][0] as string), [
    { tag: 'planId', description: 'Plano não encontrado.' },
    { tag: 'vaultId', description: 'Cofre não encontrado' },
  ]);
  const plan = await create({ planId: foreignPlan }, { language: 'en' });
  assert.deepEqual([plan.status, plan.body], [400, [{ tag: 'planId', description: 'Plan not found.' }]]);
  const own = await create({ vaultId: foreignCard });
  assert.deepEqual([own.status, tagsOf(own)], [400, ['vaultId']]);
});

test('only an active plan takes new subscriptions', async () => {
  for (const state of ['inactive', 'canceled']) {
    const plan = await insertPlan(service, { state });
    const reply = await create({ planId: plan });
    assert.deepEqual([reply.status, tagsOf(reply)], [409, ['planId']]);
    const both = await create({ planId: plan, vaultId: randomUUID() });
    assert.deepEqual([both.status, tagsOf(both)], [400, ['planId', 'vaultId']]);
    assert.equal(await subscriptionsOf(plan), 0);
  }
});

test('all faults of a body are reported at once, and nothing is made', async () => {
  const before = await service.auditor.query('select count(*) from subscriptions');
  const reply = await post(PATH, { vaultId: 7, OrderNumber: 'x'.repeat(11) });
  assert.deepEqual([reply.status, tagsOf(reply)], [400, ['OrderNumber', 'planId', 'vaultId']]);
  for (const orderNumber of ['', '  ', 'a\nb', null, 1])
    assert.deepEqual(tagsOf(await create({ orderNumber })), ['orderNumber'], String(orderNumber));
  assert.deepEqual(await service.auditor.query('select count(*) from subscriptions'), before);
});

test('read-only and unknown fields are ignored', async () => {
  const id = await created({ id: randomUUID(), status: 'Canceled', createdBy: 'x', merchantId: 'OUTRA' });
  const row = await rowOf(id);
  assert.deepEqual(
    [row.state, row.created_by, row.merchant_id],
    ['active', service.userName, service.merchantId],
  );
});

test('fifty requests at once with one key make one subscription', async () => {
  const plan = await insertPlan(service);
  const key = randomUUID();
  const replies = await Promise.all(Array.from({ length: 50 }, () => create({ planId: plan }, { key })));
  const ids = new Set(replies.filter(({ status }) => status === 200).map(({ body }) => body));
  assert.equal(ids.size, 1, JSON.stringify(replies.map(({ status }) => status)));
  assert.ok(replies.every(({ status }) => status === 200 || status === 409));
  assert.equal(await subscriptionsOf(plan), 1);
  const again = await create({ planId: plan }, { key });
  assert.deepEqual([again.body, again.headers.get('idempotent-replayed')], [[...ids][0], 'true']);
  assert.equal((await create({ planId: plan, orderNumber: 'outro' }, { key })).status, 422);
  assert.equal(await subscriptionsOf(plan), 1);
});

test('a refused request leaves its key free', async () => {
  const plan = await insertPlan(service, { state: 'inactive' });
  const key = randomUUID();
  assert.equal((await create({ planId: plan }, { key })).status, 409);
  await service.auditor.query(`update plans set state = 'active' where plan_id = $1`, [plan]);
  assert.equal((await create({ planId: plan }, { key })).status, 200);
  assert.equal(await subscriptionsOf(plan), 1);
});

test('a creation whose connection to the database breaks is made once, and answered', async () => {
  const plan = await insertPlan(service);
  const { cuts } = service.proxy;
  service.proxy.cutAfter('enrolments.insert');
  const reply = await create({ planId: plan }, { key: randomUUID() });
  assert.equal(reply.status, 200, reply.text);
  assert.ok(service.proxy.cuts > cuts);
  assert.equal(await subscriptionsOf(plan), 1);
  assert.equal((await billingsOf(reply.body)).length, 1);
});

test('two hundred creations at once, good and bad, each get their own answer', async () => {
  const inactive = await insertPlan(service, { state: 'inactive' });
  const plans = await Promise.all(Array.from({ length: 5 }, () => insertPlan(service)));
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, index) => {
      if (index % 7 === 0) return create({ planId: inactive });
      if (index % 11 === 0) return create({ planId: plans[index % 5], vaultId: randomUUID() });
      return create({ planId: plans[index % 5], orderNumber: `N-${index}` });
    }),
  );
  for (const [index, reply] of replies.entries()) {
    const wanted = index % 7 === 0 ? 409 : index % 11 === 0 ? 400 : 200;
    assert.equal(reply.status, wanted, `${index}: ${reply.text}`);
    if (wanted === 200) assert.equal((await rowOf(reply.body)).order_number, `N-${index}`);
  }
});

test('who enrols while the plan is edited gets its old terms or its new ones, never a mixture', async () => {
  const plan = await insertPlan(service, { amount: '10', trial_days: 0, max_retries: 1 });
  const editor = await service.connect();
  let isOver = false;
  const editing = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      await editor.query('begin');
      await editor.query('select 1 from plans where plan_id = $1 for no key update', [plan]);
      const [amount, trial] = turn % 2 === 0 ? [20, 5] : [10, 0];
      await editor.query(
        'update plans set amount = $2, trial_days = $3, max_retries = $4 where plan_id = $1',
        [plan, amount, trial, turn % 2 === 0 ? 2 : 1],
      );
      await editor.query('commit');
    }
  })();
  const day = today();
  const replies: Reply[] = [];
  for (let round = 0; round < 5; round += 1)
    replies.push(...(await Promise.all(Array.from({ length: 30 }, () => create({ planId: plan })))));
  isOver = true;
  await editing;
  await editor.end();
  const seen = new Set<string>();
  for (const reply of replies) {
    assert.equal(reply.status, 200, reply.text);
    const row = await rowOf(reply.body);
    const [billing] = await billingsOf(reply.body);
    seen.add(
      JSON.stringify([
        row.amount,
        row.trial_days,
        row.max_retries,
        row.first_due_on,
        billing?.amount,
        billing?.due_on,
      ]),
    );
  }
  const later = addDays(day, 5);
  const allowed = [
    JSON.stringify(['10.000000', 0, 1, day, '1000', day]),
    JSON.stringify(['20.000000', 5, 2, later, '2000', later]),
  ];
  for (const terms of seen) assert.ok(allowed.includes(terms), terms);
});

test('who enrols waits for the plan that is being changed, and gets what became of it', async () => {
  const plan = await insertPlan(service);
  const editor = await service.connect();
  for (const change of [`amount = 70, interval_days = 60`, `state = 'inactive'`]) {
    await editor.query('begin');
    await editor.query(`update plans set ${change} where plan_id = $1`, [plan]);
    const creating = create({ planId: plan });
    await until('the creation waits for the plan', async () => {
      const waiting = await service.auditor.query(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'with input as%created_on%'`,
      );
      return waiting.length > 0;
    });
    await editor.query('commit');
    const reply = await creating;
    if (change.startsWith('state')) {
      assert.deepEqual([reply.status, tagsOf(reply)], [409, ['planId']]);
    } else {
      const row = await rowOf(reply.body);
      assert.deepEqual([row.amount, row.interval_days], ['70.000000', 60]);
      assert.equal((await billingsOf(reply.body))[0]?.amount, '7000');
    }
  }
  await editor.end();
});

test('unknown, malformed and foreign subscriptions are not found, all alike, whatever is wished', async () => {
  const id = await created();
  const texts = new Set<string>();
  for (const reply of [
    await get(randomUUID()),
    await get('not-an-id'),
    await get(id, service.foreignToken),
    await setStatus(id, 'Canceled', { token: service.foreignToken }),
    await setStatus('not-an-id', 'Canceled'),
    await setVault(id, vaultId, { token: service.foreignToken }),
    await setVault(randomUUID(), randomUUID()),
  ]) {
    assert.equal(reply.status, 404, reply.text);
    texts.add(reply.text);
  }
  assert.equal(texts.size, 1);
  assert.equal((await rowOf(id)).state, 'active');
});

test('a credential without the scope of recurrence is refused', async () => {
  assert.equal((await create({}, { token: service.gatewayToken })).status, 403);
  assert.equal((await call(service.url, PATH, { token: service.gatewayToken })).status, 403);
});

test('canceling ends the open billing without using up its day, and activating opens it again', async () => {
  const id = await created();
  const canceled = await setStatus(id, 'Canceled');
  assert.deepEqual([canceled.status, canceled.body], [200, { id }]);
  const row = await rowOf(id);
  assert.deepEqual([row.state, row.reason, row.modified_by], ['canceled', 'user', service.userName]);
  const [skipped] = await billingsOf(id);
  assert.deepEqual([skipped?.state, skipped?.is_skipped, skipped?.charge_on], ['canceled', true, null]);
  const shown = await get(id);
  assert.deepEqual([shown.body.status, shown.body.modifiedBy], ['Canceled', service.userName]);
  assert.equal((await setStatus(id, 'Canceled')).status, 200);
  assert.deepEqual((await rowOf(id)).modified_at, row.modified_at, 'canceled again: nothing changed');
  assert.equal((await setStatus(id, 'Actived')).status, 200);
  const active = await rowOf(id);
  assert.deepEqual([active.state, active.reason], ['active', null]);
  assert.ok((active.state_since as Date) > (row.state_since as Date));
  const billings = await billingsOf(id);
  assert.deepEqual(
    billings.map(({ state, installment, due_on, amount }) => [state, installment, due_on, amount]),
    [
      ['canceled', 1, today(), '4990'],
      ['opened', 1, today(), '4990'],
    ],
  );
});

test('active to active changes nothing', async () => {
  const id = await created();
  for (const status of ['Active', 'Actived']) assert.equal((await setStatus(id, status)).status, 200);
  assert.equal((await rowOf(id)).modified_at, null);
  assert.equal((await billingsOf(id)).length, 1);
  const reply = await setStatus(id, 'Blocked');
  assert.deepEqual([reply.status, tagsOf(reply)], [400, ['status']]);
});

/** As if it had been enrolled earlier: days move, and its first billing with them. */
async function moveBack(id: string, days: number): Promise<void> {
  await service.auditor.query(
    'update subscriptions set first_due_on = first_due_on - $2::integer where subscription_id = $1',
    [id, days],
  );
  await service.auditor.query(
    `update billings set due_on = due_on - $2::integer, charge_on = charge_on - $2::integer where subscription_id = $1`,
    [id, days],
  );
}

const pay = (id: string) =>
  service.auditor.query(
    `update billings set state = 'paid', charge_on = null, charges_made = 1 where subscription_id = $1 and state = 'opened'`,
    [id],
  );

test('activated after months it goes on with the next day of its series, and owes nothing of the past', async () => {
  const id = await created();
  await moveBack(id, 100);
  await pay(id);
  await setStatus(id, 'Canceled');
  assert.equal((await setStatus(id, 'Actived')).status, 200);
  const [, opened] = await billingsOf(id);
  assert.deepEqual([opened?.state, opened?.installment, opened?.due_on], ['opened', 2, addDays(today(), 20)]);
});

test('canceled before its first charge and activated behind its day, it begins on that day, and gives nothing away', async () => {
  const id = await created();
  await setStatus(id, 'Canceled');
  await moveBack(id, 8);
  assert.equal((await setStatus(id, 'Actived')).status, 200);
  const [, opened] = await billingsOf(id);
  assert.deepEqual([opened?.state, opened?.installment, opened?.due_on], ['opened', 1, today()]);
});

test('a blocked subscription may be activated, also under a plan that is canceled', async () => {
  const plan = await insertPlan(service);
  const id = await created({ planId: plan });
  await moveBack(id, 1);
  await service.auditor.query(
    `update billings set state = 'denied', charge_on = null, charges_made = 1 where subscription_id = $1`,
    [id],
  );
  await service.auditor.query(
    `update subscriptions set state = 'blocked', reason = 'cardCanceled' where subscription_id = $1`,
    [id],
  );
  await service.auditor.query(`update plans set state = 'canceled' where plan_id = $1`, [plan]);
  assert.equal((await get(id)).body.status, 'Blocked');
  assert.equal((await setStatus(id, 'Active')).status, 200);
  const [, opened] = await billingsOf(id);
  assert.deepEqual([opened?.installment, opened?.due_on], [2, addDays(today(), 29)]);
});

test('a billing that somebody tried to collect is canceled, and keeps its day and installment', async () => {
  for (const tried of ['charges', 'row'] as const) {
    const id = await created();
    const [billing] = await billingsOf(id);
    if (tried === 'charges')
      await service.auditor.query('update billings set charges_made = 1 where subscription_id = $1', [id]);
    else
      await service.auditor.query(
        `insert into billing_charges (merchant_id, billing_id, charge_number, started_at, ended_at, outcome, created_by)
         values ($1, $2, 1, now(), now(), 'invalid', 'system')`,
        [service.merchantId, billing?.billing_id],
      );
    await setStatus(id, 'Canceled');
    const [canceled] = await billingsOf(id);
    assert.deepEqual([canceled?.state, canceled?.is_skipped], ['canceled', false]);
    await setStatus(id, 'Actived');
    const [, opened] = await billingsOf(id);
    assert.deepEqual([opened?.installment, opened?.due_on], [2, addDays(today(), 30)]);
  }
});

test('a charge that is under way takes its outcome first', async () => {
  const id = await created();
  await service.auditor.query(
    'update billings set transaction_id = gen_random_uuid() where subscription_id = $1',
    [id],
  );
  for (const status of ['Canceled', 'Actived', 'Canceled']) {
    assert.equal((await setStatus(id, status)).status, 200);
    const billings = await billingsOf(id);
    assert.deepEqual(
      billings.map(({ state }) => state),
      ['opened'],
    );
  }
  assert.equal((await rowOf(id)).state, 'canceled');
});

test('when its installments are over a subscription is not activated again', async () => {
  const plan = await insertPlan(service, { plan_type: 'custom', installments: 1 });
  const id = await created({ planId: plan });
  await pay(id);
  await setStatus(id, 'Canceled');
  const spent = await setStatus(id, 'Actived');
  // Some may have been canceled or denied: it is not said that all were charged.
  const description = 'Todas as parcelas da assinatura já foram encerradas; ela não pode ser reativada.';
  assert.deepEqual([spent.status, spent.body], [409, [{ tag: 'status', description }]]);
  await service.auditor.query(
    `update subscriptions set state = 'completed', reason = 'completed' where subscription_id = $1`,
    [id],
  );
  assert.equal((await setStatus(id, 'Active')).status, 409);
  assert.equal((await setStatus(id, 'Canceled')).status, 200);
  const row = await rowOf(id);
  assert.deepEqual([row.state, row.reason], ['completed', 'completed']);
  assert.equal((await get(id)).body.status, 'Canceled');
});

test('canceled and activated by many at once it has one state and at most one open billing', async () => {
  const id = await created();
  for (let round = 0; round < 5; round += 1) {
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => setStatus(id, index % 2 === 0 ? 'Canceled' : 'Actived')),
    );
    assert.ok(replies.every(({ status }) => status === 200));
    const open = (await billingsOf(id)).filter(({ state }) => state === 'opened').length;
    const { state } = await rowOf(id);
    assert.equal(open, state === 'active' ? 1 : 0, String(state));
  }
});

test('a change whose connection to the database breaks at the commit is done once, and answered', async () => {
  const id = await created();
  service.proxy.cutAfter('commit');
  assert.equal((await setStatus(id, 'Canceled')).status, 200);
  service.proxy.cutAfter('commit');
  assert.equal((await setStatus(id, 'Actived')).status, 200);
  const open = (await billingsOf(id)).filter(({ state }) => state === 'opened');
  assert.equal(open.length, 1);
});

const removeCard = (vaultId: string) =>
  call(service.url, `/v1/vaults/cards/${vaultId}`, { method: 'DELETE', token: service.gatewayToken });

test('the card of a canceled subscription may be removed, and then it needs another one to be active again', async () => {
  const card = await storeCard(service);
  const id = await created({ vaultId: card });
  assert.equal((await removeCard(card)).status, 409);
  await setStatus(id, 'Canceled');
  assert.equal((await removeCard(card)).status, 200);
  assert.equal((await get(id)).body.vaultId, card);
  const refused = await setStatus(id, 'Actived');
  assert.deepEqual([refused.status, tagsOf(refused)], [409, ['status']]);
  assert.equal((await rowOf(id)).state, 'canceled');
  assert.equal((await setStatus(id, 'Canceled')).status, 200);
  assert.equal((await setVault(id, await storeCard(service))).status, 200);
  assert.equal((await setStatus(id, 'Actived')).status, 200);
});

test('a card is not removed while somebody makes a subscription with it active', async () => {
  const card = await storeCard(service);
  const id = await created({ vaultId: card });
  await setStatus(id, 'Canceled');
  const other = await service.connect();
  await other.query('begin');
  await other.query('select from vault_cards where vault_id = $1 for key share', [card]);
  await other.query(`update subscriptions set state = 'active', reason = null where subscription_id = $1`, [
    id,
  ]);
  const removing = removeCard(card);
  await until('the removal waits for the card', async () => {
    const waiting = await service.auditor.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%vault_cards%'`,
    );
    return waiting.length > 0;
  });
  await other.query('commit');
  await other.end();
  assert.equal((await removing).status, 409);
});

test('another stored card is taken, and the status stays', async () => {
  const id = await created();
  const other = await storeCard(service);
  await setStatus(id, 'Canceled');
  const { modified_at } = await rowOf(id);
  const same = await setVault(id, vaultId.toUpperCase());
  assert.equal(same.status, 200);
  assert.deepEqual((await rowOf(id)).modified_at, modified_at, 'the same card: nothing changed');
  const reply = await setVault(id, other);
  assert.deepEqual([reply.status, reply.body], [200, { id }]);
  const row = await rowOf(id);
  assert.deepEqual([row.vault_id, row.state], [other, 'canceled']);
  assert.ok((row.modified_at as Date) > (modified_at as Date));
  for (const unknown of [randomUUID(), 'x']) {
    const refused = await setVault(id, unknown);
    assert.deepEqual(
      [refused.status, refused.body],
      [400, [{ tag: 'vaultId', description: 'Cofre não encontrado' }]],
    );
  }
  assert.equal((await rowOf(id)).vault_id, other);
});
