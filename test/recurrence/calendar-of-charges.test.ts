import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  billingsOf,
  type ChargingService,
  chargedBilling,
  chargesOf,
  dayAfter,
  jumpTo,
  ledgerOf,
  openChargingService,
  SUBSCRIPTIONS,
  statesOf,
  statusOf,
  subscribe,
  triesOf,
} from './charging-service.ts';

let service: ChargingService;
before(async () => {
  service = await openChargingService();
});
after(() => service?.close());

const statusesIn = (ledger: { status: string }[]) => ledger.map(({ status }) => status);

test('a trial of ten days: whoever subscribes on the 2nd is charged on the 12th, and not before', async () => {
  const shop = await service.openShop('dias-teste');
  const second = dayAfter(shop.startOn, 1);
  const twelfth = dayAfter(shop.startOn, 11);
  await jumpTo(shop, second);
  const { subscriptionId } = await subscribe(shop, { trialDays: 10 });
  await shop.get('/homologation/clock', { body: { to: `${dayAfter(twelfth, -1)}T22:00:00` } });
  const [waiting] = await billingsOf(shop, subscriptionId);
  assert.deepEqual([waiting.status, waiting.nextChargeOn, chargesOf(waiting).length], ['Opened', twelfth, 0]);
  assert.deepEqual(await ledgerOf(service, shop), []);
  // To the first moment of the day.
  await shop.get('/homologation/clock', { body: { to: `${twelfth}T00:00:00` } });
  const billings = await billingsOf(shop, subscriptionId);
  assert.deepEqual(statesOf(billings), [
    [1, twelfth, 'Paid'],
    [2, dayAfter(twelfth, 30), 'Opened'],
  ]);
  assert.deepEqual(triesOf(billings[0]), [[twelfth, 1, 'Approved', null]]);
});

test('without a trial the first charge is taken at once, and the next billing waits one interval later', async () => {
  const shop = await service.openShop('dias-na-hora');
  const { subscriptionId } = await subscribe(shop);
  const paid = await chargedBilling(shop, subscriptionId);
  assert.deepEqual(triesOf(paid), [[shop.startOn, 1, 'Approved', null]]);
  assert.equal(paid.modifiedBy, 'system');
  const [first, next, ...others] = await billingsOf(shop, subscriptionId);
  assert.deepEqual(others, []);
  const nextOn = dayAfter(shop.startOn, 30);
  assert.deepEqual(statesOf([first, next]), [
    [1, shop.startOn, 'Paid'],
    [2, nextOn, 'Opened'],
  ]);
  assert.deepEqual([next.nextChargeOn, next.createdBy], [nextOn, 'system']);
  assert.deepEqual(statusesIn(await ledgerOf(service, shop, first.id)), ['approved']);
  assert.deepEqual(await ledgerOf(service, shop, next.id), []);
});

test('due on the 1st without funds, it is tried again on the 3rd, 5th, 9th and 17th; then a monthly subscription ends', async () => {
  const shop = await service.openShop('dias-sem-saldo');
  const [third, fifth, ninth, seventeenth] = [2, 4, 8, 16].map((days) => dayAfter(shop.startOn, days));
  const { subscriptionId } = await subscribe(shop, { attempts: 4 }, { kind: 'lacksFundsFiveTimes' });
  const waiting = await chargedBilling(shop, subscriptionId);
  assert.deepEqual([waiting.status, waiting.nextChargeOn], ['Opened', third]);
  assert.equal(waiting.expireAt, `${shop.startOn}T00:00:00`);
  await jumpTo(shop, third as string);
  assert.equal((await chargedBilling(shop, subscriptionId, 1, 2)).nextChargeOn, fifth);
  await jumpTo(shop, dayAfter(shop.startOn, 60));
  const [denied, ...others] = await billingsOf(shop, subscriptionId);
  assert.deepEqual(others, []);
  assert.deepEqual(triesOf(denied), [
    [shop.startOn, 1, 'InsufficientFunds', third],
    [third, 2, 'InsufficientFunds', fifth],
    [fifth, 3, 'InsufficientFunds', ninth],
    [ninth, 4, 'InsufficientFunds', seventeenth],
    [seventeenth, 5, 'InsufficientFunds', null],
  ]);
  assert.equal(denied.expireAt, `${shop.startOn}T00:00:00`, 'retries do not move the due day');
  assert.deepEqual([denied.status, await statusOf(shop, subscriptionId)], ['Denied', 'Canceled']);
  assert.equal((await ledgerOf(service, shop, denied.id)).length, 5);
});

test('funds that are there on the third retry are taken, and the series goes on from the due day', async () => {
  const shop = await service.openShop('dias-recuperada');
  const { subscriptionId } = await subscribe(shop, { attempts: 4 }, { kind: 'lacksFundsThrice' });
  await chargedBilling(shop, subscriptionId);
  await jumpTo(shop, dayAfter(shop.startOn, 20));
  const billings = await billingsOf(shop, subscriptionId);
  assert.deepEqual(
    triesOf(billings[0]).map(([on, attempt, outcome]) => [on, attempt, outcome]),
    [
      [shop.startOn, 1, 'InsufficientFunds'],
      [dayAfter(shop.startOn, 2), 2, 'InsufficientFunds'],
      [dayAfter(shop.startOn, 4), 3, 'InsufficientFunds'],
      [dayAfter(shop.startOn, 8), 4, 'Approved'],
    ],
  );
  assert.deepEqual(statesOf(billings), [
    [1, shop.startOn, 'Paid'],
    [2, dayAfter(shop.startOn, 30), 'Opened'],
  ]);
  assert.equal(await statusOf(shop, subscriptionId), 'Active');
});

test('a plan without retries: one lack of funds ends a monthly subscription', async () => {
  const shop = await service.openShop('dias-uma-vez');
  const { subscriptionId } = await subscribe(shop, { attempts: 0 }, { kind: 'lacksFundsOnce' });
  const denied = await chargedBilling(shop, subscriptionId);
  assert.deepEqual(triesOf(denied), [[shop.startOn, 1, 'InsufficientFunds', null]]);
  assert.equal(denied.status, 'Denied');
  assert.equal(await statusOf(shop, subscriptionId), 'Canceled');
  await jumpTo(shop, 90);
  assert.equal((await ledgerOf(service, shop)).length, 1);
});

test('a plan of three installments goes on after one that failed, and after the last the subscription is over for good', async () => {
  const shop = await service.openShop('dias-tres-vezes');
  const terms = { planType: 'Custom', interval: 20, installments: 3, attempts: 0 };
  const { subscriptionId } = await subscribe(shop, terms, { kind: 'lacksFundsOnce' });
  await chargedBilling(shop, subscriptionId);
  assert.equal(await statusOf(shop, subscriptionId), 'Active');
  await jumpTo(shop, 100);
  assert.deepEqual(statesOf(await billingsOf(shop, subscriptionId)), [
    [1, shop.startOn, 'Denied'],
    [2, dayAfter(shop.startOn, 20), 'Paid'],
    [3, dayAfter(shop.startOn, 40), 'Paid'],
  ]);
  assert.equal(await statusOf(shop, subscriptionId), 'Canceled');
  const again = await shop.ask(`${SUBSCRIPTIONS}/${subscriptionId}/status`, {
    body: { status: 'Actived' },
  });
  assert.equal(again.status, 409, again.text);
  assert.deepEqual(statusesIn(await ledgerOf(service, shop)), ['declined', 'approved', 'approved']);
});

test('an issuer that is out of order denies one billing, and the monthly subscription goes on', async () => {
  const shop = await service.openShop('dias-fora-do-ar');
  const { subscriptionId } = await subscribe(shop, { amount: 10.91, attempts: 4 });
  const denied = await chargedBilling(shop, subscriptionId);
  assert.deepEqual(triesOf(denied), [[shop.startOn, 1, 'OutOfOrder', null]]);
  assert.deepEqual(statesOf(await billingsOf(shop, subscriptionId)), [
    [1, shop.startOn, 'Denied'],
    [2, dayAfter(shop.startOn, 30), 'Opened'],
  ]);
  assert.equal(await statusOf(shop, subscriptionId), 'Active');
});

test('any other no of the issuer is not repeated, whatever the plan allows, and ends a monthly subscription', async () => {
  const shop = await service.openShop('dias-negada');
  const { subscriptionId } = await subscribe(shop, { amount: 10.57, attempts: 4 });
  const denied = await chargedBilling(shop, subscriptionId);
  assert.deepEqual(triesOf(denied), [[shop.startOn, 1, 'Denied', null]]);
  assert.equal(denied.status, 'Denied');
  await jumpTo(shop, 60);
  assert.equal(await statusOf(shop, subscriptionId), 'Canceled');
  assert.equal((await ledgerOf(service, shop)).length, 1);
});

test('a merchant whose set-up the acquirer does not take: the billing is invalid, and the subscription goes on', async () => {
  const shop = await service.openShop('dias-cadastro');
  const terms = { planType: 'Custom', interval: 20, installments: 3, amount: 10.58, attempts: 4 };
  const { subscriptionId } = await subscribe(shop, terms);
  const invalid = await chargedBilling(shop, subscriptionId);
  assert.deepEqual(triesOf(invalid), [[shop.startOn, 1, 'Invalid', null]]);
  await jumpTo(shop, 25);
  assert.deepEqual(statesOf(await billingsOf(shop, subscriptionId)), [
    [1, shop.startOn, 'PaymentInvalid'],
    [2, dayAfter(shop.startOn, 20), 'PaymentInvalid'],
    [3, dayAfter(shop.startOn, 40), 'Opened'],
  ]);
  assert.equal(await statusOf(shop, subscriptionId), 'Active');
});
