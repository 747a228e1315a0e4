import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { instant, saoPauloDay } from '../../src/values/instant.ts';
import { createdPlan, openPlansService, PLANS, type PlansService, rawPlan, tagsOf } from './plans-service.ts';

let service: PlansService;
before(async () => {
  service = await openPlansService();
});
after(() => service.close());

const calendarOf = (planId: string, query: Record<string, string> = {}) =>
  service.ask(`${PLANS}/${planId}/calendar?${new URLSearchParams(query)}`);

test('a trial of ten days that begins on 2 February ends on the 12th, with retries 2, 2, 4 and 8 days apart', async () => {
  const planId = await createdPlan(service, { trialDays: 10, attempts: 4 });
  const reply = await calendarOf(planId.toUpperCase(), { startOn: '2027-02-02', count: '2' });
  assert.deepEqual(reply.body, {
    planId,
    startOn: '2027-02-02',
    items: [
      {
        installment: 1,
        expireAt: '2027-02-12T00:00:00',
        amount: 49.9,
        retriesOn: ['14', '16', '20', '28'].map((day) => `2027-02-${day}T00:00:00`),
      },
      {
        installment: 2,
        expireAt: '2027-03-14T00:00:00',
        amount: 49.9,
        retriesOn: ['16', '18', '22', '30'].map((day) => `2027-03-${day}T00:00:00`),
      },
    ],
  });
});

test('a plan with an end has no more days than installments, one without has twelve by default', async () => {
  const custom = await createdPlan(service, { planType: 'Custom', interval: 20, installments: 3 });
  const days = (await calendarOf(custom, { startOn: '2028-01-31', count: '100' })).body.items;
  assert.deepEqual(
    days.map(({ expireAt }: { expireAt: string }) => expireAt.slice(0, 10)),
    ['2028-01-31', '2028-02-20', '2028-03-11'],
  );
  assert.deepEqual(days[0].retriesOn, []);
  const { body } = await calendarOf(await createdPlan(service));
  assert.equal(body.items.length, 12);
});

test('without a day it begins today, by the clock of the merchant', async () => {
  const planId = await createdPlan(service);
  const { now } = (await service.ask('/homologation/clock')).body as { now: string };
  const earliest = now.slice(0, 10);
  const { startOn } = (await calendarOf(planId)).body;
  assert.ok(startOn >= earliest && startOn <= saoPauloDay(instant(Date.now())), startOn);
});

test('an amount is shown rounded half to even to the cents that are charged', async () => {
  for (const [amount, charged] of [
    ['10.125', '10.12'],
    ['10.135', '10.14'],
    ['0.006', '0.01'],
    ['123456789012.126', '123456789012.13'],
  ] as const) {
    const planId = (await service.ask(PLANS, { raw: rawPlan(amount) })).body as string;
    assert.ok((await calendarOf(planId, { count: '1' })).text.includes(`"amount":${charged},`), amount);
  }
});

test('days that no calendar has, and more than a hundred, are refused', async () => {
  const planId = await createdPlan(service, { planType: 'Yearly', attempts: 4 });
  for (const startOn of ['2027-02-29', '2027-2-1', '02/02/2027', '1919-12-31', '10000-01-01'])
    assert.deepEqual(tagsOf(await calendarOf(planId, { startOn })), [400, ['startOn']], startOn);
  assert.deepEqual(tagsOf(await calendarOf(planId, { startOn: '9990-01-01' })), [400, ['startOn']]);
  // The due day is the last but 15 that there is: only its last retry is not.
  assert.deepEqual(tagsOf(await calendarOf(planId, { startOn: '9999-12-16', count: '1' })), [
    400,
    ['startOn'],
  ]);
  assert.equal((await calendarOf(planId, { startOn: '9999-12-15', count: '1' })).status, 200);
  for (const count of ['0', '101', 'um', '-1'])
    assert.deepEqual(tagsOf(await calendarOf(planId, { count })), [400, ['count']], count);
});
