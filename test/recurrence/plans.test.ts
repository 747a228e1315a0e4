import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import {
  createdPlan,
  enrol,
  movePlan,
  openPlansService,
  PLANS,
  type PlansService,
  planBody,
  rawPlan,
  readPlan,
  tagsOf,
  updatePlan,
} from './plans-service.ts';

let service: PlansService;
before(async () => {
  service = await openPlansService();
});
after(() => service.close());

const WITHOUT_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/;

test('a plan is created with its id alone, and read with every field', async () => {
  const reply = await service.ask(PLANS, { body: planBody({ trialDays: 10, attempts: 4 }) });
  assert.equal(reply.status, 200, reply.text);
  const { createdDate, ...plan } = (await readPlan(service, reply.body)).body;
  assert.match(createdDate, WITHOUT_ZONE);
  assert.deepEqual(plan, {
    id: reply.body,
    merchantId: service.merchantId,
    name: 'Clube do Livro',
    description: 'Um livro por mês',
    amount: 49.9,
    planType: 'Monthly',
    trialDays: 10,
    paymentMethod: 'CreditCard',
    interval: 30,
    installments: 0,
    attempts: 4,
    softDescriptor: null,
    status: 'Active',
    createdBy: service.userName,
  });
});

test('the service sets interval and installments of every type but Custom, and takes the same values', async () => {
  const intervals = { Monthly: 30, Bimonthly: 60, Quarterly: 90, Semesterly: 180, Yearly: 365 };
  for (const [planType, interval] of Object.entries(intervals)) {
    for (const change of [{}, { interval, installments: 0 }, { interval: 0 }]) {
      const { body } = await readPlan(service, await createdPlan(service, { planType, ...change }));
      assert.deepEqual(
        [body.interval, body.installments, body.trialDays, body.attempts],
        [interval, 0, 0, 0],
        planType,
      );
    }
    const other = planBody({ planType, interval: interval + 1, installments: 12 });
    const wrong = planType === 'Monthly' ? ['interval'] : ['installments', 'interval'];
    assert.deepEqual(tagsOf(await service.ask(PLANS, { body: other })), [400, wrong]);
  }
  const custom = { planType: 'Custom', interval: 20, installments: 999 };
  const { body } = await readPlan(service, await createdPlan(service, custom));
  assert.deepEqual([body.interval, body.installments], [20, 999]);
});

test('a monthly plan may end after so many installments, and keeps their number when it is changed', async () => {
  const id = await createdPlan(service, { planType: 'Monthly', interval: 30, installments: 12 });
  const shown = async () => {
    const { body } = await readPlan(service, id);
    return [body.planType, body.interval, body.installments];
  };
  assert.deepEqual(await shown(), ['Monthly', 30, 12]);
  const update = (change: Readonly<Record<string, unknown>>) =>
    updatePlan(service, id, { ...planBody(change), merchantId: service.merchantId });
  for (const [change, then] of [
    [{ name: 'Outro', installments: 0, interval: 0 }, ['Monthly', 30, 12]],
    [{ installments: 999 }, ['Monthly', 30, 999]],
    [{ planType: 'Yearly' }, ['Yearly', 365, 0]],
    [{ planType: 'Monthly' }, ['Monthly', 30, 0]],
  ] as const) {
    const reply = await update(change);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(await shown(), then, JSON.stringify(change));
  }
  assert.deepEqual(tagsOf(await update({ installments: 1000 })), [400, ['installments']]);
});

test('a plan that would charge nothing is refused, made or changed', async () => {
  const id = await createdPlan(service);
  for (const amount of ['0.000001', '0.004', '0.005', '5e-3']) {
    assert.deepEqual(tagsOf(await service.ask(PLANS, { raw: rawPlan(amount) })), [400, ['amount']], amount);
    const raw = rawPlan(amount, { merchantId: service.merchantId });
    assert.deepEqual(tagsOf(await service.ask(`${PLANS}/${id}`, { raw })), [400, ['amount']], amount);
  }
  assert.equal((await service.ask(PLANS, { raw: rawPlan('0.005001') })).status, 200);
});

test('an amount comes back digit for digit, by itself and in a search', async () => {
  for (const amount of ['123456789012.123456', '0.005001', '999999999999.999999', '10.100000', '1e2']) {
    const name = `Exato ${randomUUID()}`;
    const reply = await service.ask(PLANS, { raw: rawPlan(amount, { name }) });
    assert.equal(reply.status, 200, reply.text);
    const shown = { '10.100000': '10.1', '1e2': '100' }[amount] ?? amount;
    for (const path of [`${PLANS}/${reply.body}`, `${PLANS}?${new URLSearchParams({ name })}`])
      assert.ok((await service.ask(path)).text.includes(`"amount":${shown},`), path);
  }
});

test('every fault of a plan is reported at once', async () => {
  const faults: [Record<string, unknown>, string[]][] = [
    [{ amount: 0 }, ['amount']],
    [{ amount: -1 }, ['amount']],
    [{ amount: '10' }, ['amount']],
    [{ amount: 1.0000001 }, ['amount']],
    [{ amount: 1_000_000_000_000 }, ['amount']],
    [{ name: ' \t\n', description: '' }, ['description', 'name']],
    [{ name: 'a'.repeat(256), description: '😀'.repeat(256) }, ['description', 'name']],
    [{ planType: 'Daily', paymentMethod: 'Boleto' }, ['paymentMethod', 'planType']],
    [{ planType: 'Custom' }, ['installments', 'interval']],
    [{ planType: 'Custom', interval: 0, installments: 1 }, ['interval']],
    [{ amount: 0.004, attempts: 5 }, ['amount', 'attempts']],
    [{ planType: 'Custom', interval: 19, installments: 0 }, ['installments', 'interval']],
    [{ planType: 'Custom', interval: 3651, installments: 1000 }, ['installments', 'interval']],
    [{ attempts: 5, trialDays: 731 }, ['attempts', 'trialDays']],
    [{ attempts: '4', trialDays: 1.5 }, ['attempts', 'trialDays']],
    [{ merchantId: 'OUTRA' }, ['merchantId']],
    [{ merchantId: 'OUTRA', attempts: 5 }, ['attempts', 'merchantId']],
  ];
  for (const [change, tags] of faults) {
    const reply = await service.ask(PLANS, { body: planBody(change) });
    assert.deepEqual(tagsOf(reply), [400, tags], JSON.stringify(change));
  }
  assert.deepEqual(tagsOf(await service.ask(PLANS, { body: {} })), [
    400,
    ['amount', 'description', 'name', 'paymentMethod', 'planType'],
  ]);
});

test('sizes count characters, texts of several lines are fine, and read-only fields are ignored', async () => {
  const sent = {
    name: '😀'.repeat(255),
    description: 'Uma linha\ne outra',
    merchantId: service.merchantId,
    id: randomUUID(),
    status: 'Canceled',
    createdBy: 'eu',
  };
  const { body } = await readPlan(service, await createdPlan(service, sent));
  assert.deepEqual([body.name, body.description], [sent.name, sent.description]);
  assert.deepEqual([body.status, body.createdBy], ['Active', service.userName]);
  assert.notEqual(body.id, sent.id);
});

test('one key makes one plan, however often and however many at once ask with it', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const name = `Uma vez ${randomUUID()}`;
  const asked = () => service.ask(PLANS, { body: planBody({ name }), headers });
  const replies = await Promise.all(Array.from({ length: 20 }, asked));
  for (const reply of replies) assert.ok([200, 409].includes(reply.status), reply.text);
  const again = await asked();
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  const ids = new Set(replies.filter(({ status }) => status === 200).map(({ body }) => body));
  assert.deepEqual([...ids], [again.body]);
  assert.equal((await service.ask(`${PLANS}?${new URLSearchParams({ name })}`)).body.total, 1);
  const other = await service.ask(PLANS, { body: planBody({ name: 'Outro' }), headers });
  assert.equal(other.status, 422);
});

test("an unknown, a malformed and another merchant's plan are not found, all alike, by every endpoint", async () => {
  const planId = await createdPlan(service);
  const body = planBody({ merchantId: service.merchantId });
  for (const [suffix, options] of [
    ['', {}],
    ['', { body }],
    ['/status', { body: { status: 'Canceled' } }],
    ['/calendar', {}],
  ] as const) {
    const asForeign =
      'body' in options && suffix === '' ? { body: { ...body, merchantId: 'OUTRA' } } : options;
    const replies = [
      await service.ask(`${PLANS}/${randomUUID()}${suffix}`, options),
      await service.ask(`${PLANS}/nada${suffix}`, options),
      await service.askAsForeign(`${PLANS}/${planId}${suffix}`, asForeign),
    ];
    for (const reply of replies)
      assert.deepEqual([reply.status, reply.text], [404, replies[0]?.text], suffix);
  }
  assert.equal((await readPlan(service, planId)).body.status, 'Active');
});

test('what an update leaves out keeps its value, and whoever changed it is shown', async () => {
  const custom = { planType: 'Custom', interval: 45, installments: 12, attempts: 3, trialDays: 7 };
  const planId = await createdPlan(service, custom);
  const reply = await updatePlan(service, planId.toUpperCase(), { planType: 'Custom', name: 'Outro nome' });
  assert.deepEqual([reply.status, reply.body], [200, planId]);
  const { body } = await readPlan(service, planId);
  const { planType, interval, installments, attempts, trialDays } = body;
  assert.deepEqual({ planType, interval, installments, attempts, trialDays }, custom);
  assert.equal(body.name, 'Outro nome');
  assert.equal(body.modifiedBy, service.userName);
  assert.match(body.modifiedDate, WITHOUT_ZONE);
});

test('an update that changes nothing leaves no trace', async () => {
  const planId = await createdPlan(service, { amount: 10.5 });
  assert.equal((await updatePlan(service, planId, { amount: 10.5 })).status, 200);
  assert.equal((await readPlan(service, planId)).body.modifiedBy, undefined);
});

test('an update needs the own merchantId and every field that a plan must have', async () => {
  const planId = await createdPlan(service);
  assert.deepEqual(tagsOf(await service.ask(`${PLANS}/${planId}`, { body: {} })), [
    400,
    ['amount', 'description', 'merchantId', 'name', 'paymentMethod', 'planType'],
  ]);
  assert.deepEqual(tagsOf(await updatePlan(service, planId, { merchantId: 'OUTRA' })), [400, ['merchantId']]);
});

test('the amount of an active plan cannot change; of an inactive one that nobody uses everything can', async () => {
  const planId = await createdPlan(service, { amount: 49.9 });
  const refused = await updatePlan(service, planId, { amount: 49.90001, planType: 'Yearly' });
  assert.deepEqual(tagsOf(refused), [409, ['amount']]);
  assert.equal((await readPlan(service, planId)).body.planType, 'Monthly');
  assert.equal((await movePlan(service, planId, 'Inactive')).status, 200);
  const change = { amount: 60, planType: 'Custom', interval: 21, installments: 2, attempts: 1, trialDays: 5 };
  assert.equal((await updatePlan(service, planId, change)).status, 200);
  const { body } = await readPlan(service, planId);
  const { amount, planType, interval, installments, attempts, trialDays } = body;
  assert.deepEqual({ amount, planType, interval, installments, attempts, trialDays }, change);
});

test('a plan that becomes Custom must say its interval and installments, and one that was follows its new type', async () => {
  const planId = await createdPlan(service);
  assert.deepEqual(tagsOf(await updatePlan(service, planId, { planType: 'Custom' })), [
    400,
    ['installments', 'interval'],
  ]);
  const rhythm = { planType: 'Custom', interval: 45, installments: 3 };
  assert.equal((await updatePlan(service, planId, rhythm)).status, 200);
  assert.equal((await updatePlan(service, planId, { planType: 'Yearly' })).status, 200);
  const { body } = await readPlan(service, planId);
  assert.deepEqual([body.interval, body.installments], [365, 0]);
});

for (const state of ['active', 'blocked'] as const) {
  test(`while a subscription is ${state}, only name and description change, and every other field is named`, async () => {
    const planId = await createdPlan(service, { planType: 'Custom', interval: 30, installments: 5 });
    await enrol(service, planId, 1, state);
    const same = { planType: 'Custom', interval: 30, installments: 5 };
    const all = { planType: 'Custom', interval: 31, installments: 6, amount: 1, attempts: 1, trialDays: 1 };
    const tags = ['amount', 'attempts', 'installments', 'interval', 'trialDays'];
    assert.deepEqual(tagsOf(await updatePlan(service, planId, all)), [409, tags]);
    await movePlan(service, planId, 'Inactive');
    assert.deepEqual(tagsOf(await updatePlan(service, planId, all)), [409, tags]);
    assert.deepEqual(tagsOf(await updatePlan(service, planId, { planType: 'Yearly' })), [409, ['planType']]);
    const texts = { name: 'Novo nome', description: 'Nova descrição' };
    assert.equal((await updatePlan(service, planId, { ...same, ...texts })).status, 200);
    const { body } = await readPlan(service, planId);
    assert.deepEqual([body.name, body.description, body.amount], ['Novo nome', 'Nova descrição', 49.9]);
  });
}

test('a plan whose subscriptions are all canceled is not in use', async () => {
  const planId = await createdPlan(service);
  await enrol(service, planId, 3, 'canceled');
  assert.equal((await updatePlan(service, planId, { attempts: 2 })).status, 200);
});

test('nobody is enrolled under an edit: it sees who came before, and who comes after has its terms', async () => {
  for (let turn = 0; turn < 10; turn += 1) {
    const planId = await createdPlan(service, { attempts: 1 });
    const [edited, enrolled] = await Promise.all([
      updatePlan(service, planId, { attempts: 4 }),
      enrol(service, planId),
    ]);
    assert.equal(enrolled.length, 1);
    const [terms] = await service.auditor.query('select max_retries from subscriptions where plan_id = $1', [
      planId,
    ]);
    assert.equal(terms?.max_retries, edited.status === 200 ? 4 : 1, edited.text);
    assert.ok(edited.status === 200 || tagsOf(edited)[1].join() === 'attempts', edited.text);
  }
});

const searched = async (query: Record<string, string>, ask = service.ask) =>
  (await ask(`${PLANS}?${new URLSearchParams(query)}`)).body;
const namesOf = (items: readonly { name: string }[]) => items.map(({ name }) => name);

test('a search finds parts of names, whatever their capitals and accents, and wildcards are characters', async () => {
  const mark = randomUUID().slice(0, 8);
  for (const name of [`${mark} Promoção É`, `${mark} 100% _ok`, `${mark} 1000 xok`])
    await createdPlan(service, { name });
  assert.deepEqual(namesOf((await searched({ name: `${mark} PROMOCAO e` })).items), [`${mark} Promoção É`]);
  assert.deepEqual(namesOf((await searched({ name: `${mark.toUpperCase()} 100%` })).items), [
    `${mark} 100% _ok`,
  ]);
  assert.deepEqual(namesOf((await searched({ name: '_ok' })).items), [`${mark} 100% _ok`]);
  assert.deepEqual(await searched({ name: `${mark}%ok` }), { items: [], page: 1, limit: 20, total: 0 });
});

test('a search by status finds exactly those, and no other merchant’s', async () => {
  const mark = randomUUID().slice(0, 8);
  for (const status of ['Active', 'Inactive', 'Canceled'])
    await movePlan(service, await createdPlan(service, { name: `${mark} ${status}` }), status);
  for (const status of ['Active', 'Inactive', 'Canceled']) {
    const found = await searched({ name: mark, status });
    assert.deepEqual([namesOf(found.items), found.total], [[`${mark} ${status}`], 1]);
  }
  assert.equal((await searched({ name: mark })).total, 3);
  assert.equal((await searched({ name: mark }, service.askAsForeign)).total, 0);
});

test('pages do not overlap and leave nothing out, in every order; beyond the last page nothing stands', async () => {
  const mark = randomUUID().slice(0, 8);
  const amounts = ['9', '10', '100', '9.5', '123456789012.123456', '123456789012.123455', '10'];
  for (const [index, amount] of amounts.entries())
    await service.ask(PLANS, { raw: rawPlan(amount, { name: `${mark} ${index % 2 === 0 ? 'b' : 'Á'}` }) });
  const fields = Object.keys((await searched({ name: mark })).items[0]);
  for (const field of [...fields, 'modifiedBy', 'modifiedDate']) {
    for (const orderBy of [field, `${field} asc`, `${field} desc`]) {
      const pages = [1, 2, 3].map((page) => searched({ name: mark, orderBy, page: `${page}`, limit: '3' }));
      const found = await Promise.all(pages);
      const ids = found.flatMap(({ items }) => items.map(({ id }: { id: string }) => id));
      assert.deepEqual([ids.length, new Set(ids).size], [7, 7], orderBy);
      assert.deepEqual(
        found.map(({ total }) => total),
        [7, 7, 7],
      );
    }
  }
  const sorted = await service.ask(`${PLANS}?${new URLSearchParams({ name: mark, orderBy: 'amount desc' })}`);
  assert.deepEqual(
    [...sorted.text.matchAll(/"amount":([\d.]+)/g)].map(([, amount]) => amount),
    ['123456789012.123456', '123456789012.123455', '100', '10', '10', '9.5', '9'],
  );
  const names = namesOf((await searched({ name: mark, orderBy: 'name' })).items).map((name) => name.at(-1));
  assert.equal(names.join(''), 'ÁÁÁbbbb');
  assert.deepEqual((await searched({ name: mark, page: '9' })).total, 7);
  assert.deepEqual((await searched({ name: mark, page: '9' })).items, []);
});

test('the newest comes first unless asked otherwise, and another order or page is refused', async () => {
  const mark = randomUUID().slice(0, 8);
  for (const name of ['um', 'dois', 'tres']) await createdPlan(service, { name: `${mark} ${name}` });
  assert.deepEqual(
    namesOf((await searched({ name: mark })).items).map((name) => name.slice(9)),
    ['tres', 'dois', 'um'],
  );
  const wrong = new URLSearchParams({ orderBy: 'amount down', page: '0', limit: '101', status: 'active' });
  assert.deepEqual(tagsOf(await service.ask(`${PLANS}?${wrong}`)), [
    400,
    ['limit', 'orderBy', 'page', 'status'],
  ]);
});
