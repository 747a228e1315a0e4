import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../kit/service.ts';
import { sideBySide } from '../kit/side-by-side.ts';
import {
  billingsOf,
  type ChargingService,
  chargedBilling,
  dayAfter,
  jumpTo,
  ledgerOf,
  openChargingService,
  script,
  statesOf,
  statusOf,
  subscribe,
  triesOf,
} from './charging-service.ts';
import { insertPlan } from './recurrence-service.ts';

let service: ChargingService;
before(async () => {
  service = await openChargingService();
});
after(() => service?.close());

/** Each has a merchant of its own, and most of its time is waiting for an acquirer that does not answer. */
const apart = sideBySide(6);

const statusesIn = (ledger: { status: string }[]) => ledger.map(({ status }) => status);

for (const [amount, fault] of [
  [10.02, 'books and says nothing'],
  [10.03, 'answers too late'],
  [10.04, 'answers with garbage'],
] as const) {
  apart(
    `an acquirer that ${fault}: the billing stays open until it is known, is paid then, and is charged once`,
    async () => {
      const shop = await service.openShop(`sem-resposta-${amount}`.replace('.', '-'));
      const { subscriptionId } = await subscribe(shop, { amount });
      const paid = await chargedBilling(shop, subscriptionId);
      assert.deepEqual(triesOf(paid), [[shop.startOn, 1, 'Approved', null]]);
      assert.deepEqual(statesOf(await billingsOf(shop, subscriptionId)), [
        [1, shop.startOn, 'Paid'],
        [2, dayAfter(shop.startOn, 30), 'Opened'],
      ]);
      assert.deepEqual(statusesIn(await ledgerOf(service, shop)), ['approved']);
      // It was kept, so the next is charged under another reference and kept as well.
      await jumpTo(shop, 31);
      assert.deepEqual(statusesIn(await ledgerOf(service, shop)), ['approved', 'approved']);
      assert.deepEqual(statesOf(await billingsOf(shop, subscriptionId)).slice(1), [
        [2, dayAfter(shop.startOn, 30), 'Paid'],
        [3, dayAfter(shop.startOn, 60), 'Opened'],
      ]);
    },
  );
}

apart(
  'a charge that is never answered is sent again ever more slowly, and the test clock goes on without it',
  async () => {
    const shop = await service.openShop('nunca-responde');
    const { subscriptionId } = await subscribe(shop, { amount: 10.01, trialDays: 5 });
    await jumpTo(shop, 6);
    const [billing] = await billingsOf(shop, subscriptionId);
    assert.equal(billing.status, 'Opened');
    const tries = triesOf(billing).map(([, attempt, outcome]) => [attempt, outcome]);
    assert.ok(tries.length >= 2 && tries.length <= 6, JSON.stringify(tries));
    for (const [attempt, outcome] of tries.slice(0, 2)) assert.deepEqual([attempt, outcome], [1, 'Undone']);
    assert.deepEqual(
      statusesIn(await ledgerOf(service, shop)).filter((status) => status === 'approved'),
      [],
    );
  },
);

apart('what the acquirer never got is sent again as the same attempt: it is no retry', async () => {
  const shop = await service.openShop('nunca-chegou');
  await script(service, shop, [{ fault: 'silent' }]);
  const { subscriptionId } = await subscribe(shop, { attempts: 0 });
  const paid = await chargedBilling(shop, subscriptionId, 1, 2);
  assert.deepEqual(
    triesOf(paid).map(([on, attempt, outcome]) => [on, attempt, outcome]),
    [
      [shop.startOn, 1, 'Undone'],
      [shop.startOn, 1, 'Approved'],
    ],
  );
  assert.equal(paid.status, 'Paid');
  const live = (await ledgerOf(service, shop)).filter(({ status }) => status === 'approved');
  assert.equal(live.length, 1);
});

apart(
  'what the acquirer never got, and then declines for a lack of funds, is tried again two days later as the second attempt',
  async () => {
    const shop = await service.openShop('chegou-sem-saldo');
    await script(service, shop, [
      { fault: 'silent' },
      { outcome: 'declined', responseCode: '51' },
      { outcome: 'approved' },
    ]);
    const { subscriptionId } = await subscribe(shop, { attempts: 1 });
    const third = dayAfter(shop.startOn, 2);
    assert.equal((await chargedBilling(shop, subscriptionId, 1, 2)).nextChargeOn, third);
    await jumpTo(shop, third);
    const [paid] = await billingsOf(shop, subscriptionId);
    assert.deepEqual(
      triesOf(paid).map(([on, attempt, outcome]) => [on, attempt, outcome]),
      [
        [shop.startOn, 1, 'Undone'],
        [shop.startOn, 1, 'InsufficientFunds'],
        [third, 2, 'Approved'],
      ],
    );
  },
);

apart('a decline whose answer was lost is found, and counts as what it was', async () => {
  const shop = await service.openShop('recusa-perdida');
  await script(service, shop, [{ outcome: 'declined', responseCode: '51', fault: 'booksButSilent' }]);
  const { subscriptionId } = await subscribe(shop, { attempts: 1 });
  const waiting = await chargedBilling(shop, subscriptionId);
  const third = dayAfter(shop.startOn, 2);
  assert.deepEqual(triesOf(waiting), [[shop.startOn, 1, 'InsufficientFunds', third]]);
  await jumpTo(shop, third);
  assert.equal((await billingsOf(shop, subscriptionId))[0].status, 'Paid');
  assert.deepEqual(statusesIn(await ledgerOf(service, shop)), ['declined', 'approved']);
});

apart(
  'canceled while its charge is without an answer, a subscription takes the outcome first: it is paid, and nothing follows',
  async () => {
    const shop = await service.openShop('saiu-sem-resposta');
    await script(service, shop, [{ delayMilliseconds: 1_500, outcome: 'approved', fault: 'booksButSilent' }]);
    const { subscriptionId } = await subscribe(shop);
    await until('the charge is under way', async () => {
      const [billing] = await billingsOf(shop, subscriptionId);
      return billing.timeline.some(({ type }: { type: string }) => type === 'Charged');
    });
    const [open] = await billingsOf(shop, subscriptionId);
    assert.equal(open.status, 'Opened');
    const byHand = await shop.ask(`/v1/recurrences/billing/${open.id}/cancel`, { method: 'POST' });
    assert.equal(byHand.status, 409, byHand.text);
    const path = `/v1/recurrences/subscriptions/${subscriptionId}/status`;
    await shop.get(path, { body: { status: 'Canceled' } });
    const paid = await chargedBilling(shop, subscriptionId);
    assert.equal(paid.status, 'Paid');
    assert.equal(await statusOf(shop, subscriptionId), 'Canceled');
    assert.equal((await billingsOf(shop, subscriptionId)).length, 1);
    assert.deepEqual(statusesIn(await ledgerOf(service, shop)), ['approved']);
  },
);

apart(
  'canceled while its only charge comes to nothing, a subscription goes on with the same installment when it is activated',
  async () => {
    const shop = await service.openShop('nada-cobrado');
    await script(service, shop, [{ fault: 'silent' }]);
    const terms = { planType: 'Custom', interval: 30, installments: 1 };
    const { subscriptionId } = await subscribe(shop, terms);
    await until('the charge is under way', async () => {
      const [billing] = await billingsOf(shop, subscriptionId);
      return billing.timeline.some(({ type }: { type: string }) => type === 'Charged');
    });
    const path = `/v1/recurrences/subscriptions/${subscriptionId}/status`;
    await shop.get(path, { body: { status: 'Canceled' } });
    await until('nothing came of it', async () => {
      const [billing] = await billingsOf(shop, subscriptionId);
      return billing.status === 'Canceled';
    });
    assert.equal(
      (await shop.get(`/v1/recurrences/subscriptions/${subscriptionId}`)).statusReason,
      'ByMerchant',
    );
    await shop.get(path, { body: { status: 'Actived' } });
    await until('it is paid', async () =>
      (await billingsOf(shop, subscriptionId)).some(({ status }) => status === 'Paid'),
    );
    assert.deepEqual(statesOf(await billingsOf(shop, subscriptionId)).sort(), [
      [1, shop.startOn, 'Canceled'],
      [1, shop.startOn, 'Paid'],
    ]);
  },
);

apart(
  'in a jump of the clock a charge without an answer holds the day until it is known: nothing is left for later',
  async () => {
    const shop = await service.openShop('salto-sem-resposta');
    const { subscriptionId } = await subscribe(shop, { amount: 10.02, trialDays: 10 });
    const other = await subscribe(shop, { trialDays: 12 });
    await script(service, shop, [{ fault: 'silent' }]);
    await jumpTo(shop, 15);
    const eleventh = dayAfter(shop.startOn, 10);
    const billings = await billingsOf(shop, subscriptionId);
    assert.deepEqual(statesOf(billings), [
      [1, eleventh, 'Paid'],
      [2, dayAfter(eleventh, 30), 'Opened'],
    ]);
    assert.deepEqual(
      triesOf(billings[0]).map(([on, attempt, outcome]) => [on, attempt, outcome]),
      [
        [eleventh, 1, 'Undone'],
        [eleventh, 1, 'Approved'],
      ],
    );
    const [later] = await billingsOf(shop, other.subscriptionId);
    assert.deepEqual(triesOf(later), [[dayAfter(shop.startOn, 12), 1, 'Approved', null]]);
    const live = (await ledgerOf(service, shop)).filter(({ status }) => status === 'approved');
    assert.equal(live.length, 2);
  },
);

apart('a jump of the clock waits for a charge under way, though the operator holds what is due', async () => {
  const shop = await service.openShop('salto-segurado');
  const { subscriptionId } = await subscribe(shop, { trialDays: 10 });
  const other = await subscribe(shop, { trialDays: 12 });
  await script(service, shop, [{ delayMilliseconds: 1_500, outcome: 'approved', fault: 'booksButSilent' }]);
  const jumping = jumpTo(shop, 15);
  await until('the charge is under way', async () => {
    const [billing] = await billingsOf(shop, subscriptionId);
    return billing.timeline.some(({ type }: { type: string }) => type === 'Charged');
  });
  await service.auditor.query('update merchants set billings_held_at = now() where merchant_id = $1', [
    shop.merchantId,
  ]);
  await jumping;
  assert.equal((await billingsOf(shop, subscriptionId))[0].status, 'Paid');
  const [later] = await billingsOf(shop, other.subscriptionId);
  assert.deepEqual([later.status, triesOf(later)], ['Opened', []]);
});

test('a charge by hand that was approved while its outcome cannot be written is not answered as an error: it is found out, and paid', async () => {
  const shop = await service.openShop('sem-lugar');
  await script(service, shop, [{ outcome: 'declined', responseCode: '05' }]);
  const { subscriptionId } = await subscribe(shop);
  const denied = await chargedBilling(shop, subscriptionId);
  assert.equal(denied.status, 'Denied');
  await script(service, shop, [{ delayMilliseconds: 1_500, outcome: 'approved' }]);
  const asked = shop.ask(`/v1/recurrences/billing/${denied.id}/charge`, { method: 'POST' });
  await until('the charge is under way', async () => {
    const under = 'select 1 from billings where billing_id = $1 and transaction_id is not null';
    return (await service.auditor.query(under, [denied.id])).length === 1;
  });
  // Somebody holds the subscription for longer than the outcome may wait for it.
  await service.auditor.query(
    `with held as materialized (select 1 from subscriptions where subscription_id = $1 for update)
       select pg_sleep(5) from held`,
    [subscriptionId],
  );
  const { status, text } = await asked;
  assert.equal(status, 202, text);
  const paid = await chargedBilling(shop, subscriptionId, 1, 2);
  assert.equal(paid.status, 'Paid');
  const live = (await ledgerOf(service, shop)).filter((charge) => charge.status === 'approved');
  assert.equal(live.length, 1);
});

test('a charge by hand whose outcome was committed by a connection that broke is answered as what it is: paid', async () => {
  const shop = await service.openShop('fio-cortado');
  await script(service, shop, [{ outcome: 'declined', responseCode: '05' }]);
  const { subscriptionId } = await subscribe(shop);
  const denied = await chargedBilling(shop, subscriptionId);
  await script(service, shop, [{ delayMilliseconds: 1_500, outcome: 'approved' }]);
  const asked = shop.ask(`/v1/recurrences/billing/${denied.id}/charge`, { method: 'POST' });
  await until('the charge is under way', async () => {
    const under = 'select 1 from billings where billing_id = $1 and transaction_id is not null';
    return (await service.auditor.query(under, [denied.id])).length === 1;
  });
  const { cuts } = service.proxy;
  service.proxy.cutAfter('commit', 'charging.end_charges');
  const { status, body, text } = await asked;
  assert.equal(service.proxy.cuts, cuts + 1);
  assert.deepEqual([status, body.status], [200, 'Paid'], text);
  const live = (await ledgerOf(service, shop)).filter((charge) => charge.status === 'approved');
  assert.equal(live.length, 1);
});

/** More than one merchant may have in the line of reads by id. */
const READERS = 250;

/** From now on whatever reads this plan waits, until `let_go` has a row. */
async function holdPlan(planId: string): Promise<void> {
  for (const text of [
    'create table let_go (at timestamptz)',
    `create function wait_until_let_go() returns boolean language plpgsql security definer as $$
     begin
       while not exists (select from let_go) loop perform pg_sleep(0.02); end loop;
       return true;
     end $$`,
    `create policy held on plans using (plan_id <> '${planId}' or wait_until_let_go()) with check (true)`,
    'alter table plans enable row level security',
  ])
    await service.auditor.query(text);
}

test('a paid charge by hand is answered while reads of its merchant fill their line', async () => {
  const { auditor } = service;
  const shop = await service.openShop('fila-cheia');
  const planId = await insertPlan({ auditor, merchantId: shop.merchantId });
  await script(service, shop, [{ outcome: 'declined', responseCode: '05' }]);
  const { subscriptionId } = await subscribe(shop);
  const denied = await chargedBilling(shop, subscriptionId);
  await script(service, shop, [{ outcome: 'approved' }]);
  await holdPlan(planId);
  let isOver = false;
  let refused = 0;
  const readOn = async () => {
    for (; !isOver; await pause(200))
      if ((await shop.ask(`/v1/recurrences/plans/${planId}`)).status === 503) refused += 1;
  };
  const readers = Array.from({ length: READERS }, readOn);
  try {
    await until('the line is full', async () => refused > 0);
    const path = `/v1/recurrences/billing/${denied.id}/charge`;
    const { status, body, text } = await shop.ask(path, { method: 'POST' });
    assert.deepEqual([status, body.status], [200, 'Paid'], text);
  } finally {
    isOver = true;
    await auditor.query('insert into let_go values (now())');
    await Promise.all(readers);
  }
});
