import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sliceOf } from '../kit/patience.ts';
import { until } from '../kit/service.ts';
import {
  billingsOf,
  type ChargingProcess,
  type ChargingService,
  chargedBilling,
  dayAfter,
  jumpTo,
  ledgerOf,
  openChargingProcess,
  openChargingService,
  type Shop,
  type Shown,
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

type Enrolled = { readonly monthly: string; readonly custom: string; readonly yearly: string };

/**
 * Three customers: one pays every month, one in eight parts and lacks funds at first, one every
 * year after a trial.
 */
async function enrolThree(shop: Shop): Promise<Enrolled> {
  const monthly = await subscribe(shop);
  const parts = { planType: 'Custom', interval: 45, installments: 8, attempts: 4 };
  const custom = await subscribe(shop, parts, { kind: 'lacksFundsThrice' });
  const yearly = await subscribe(shop, { planType: 'Yearly', trialDays: 100 });
  for (const { subscriptionId } of [monthly, custom]) await chargedBilling(shop, subscriptionId);
  return {
    monthly: monthly.subscriptionId,
    custom: custom.subscriptionId,
    yearly: yearly.subscriptionId,
  };
}

/** Every charge of a year, by its own arithmetic: the day in it, the installment, what came of it. */
function chargesOfAYear(startOn: string) {
  const paid = (day: number, installment: number) => [dayAfter(startOn, day), installment, 'Approved'];
  const lacking = (day: number) => [dayAfter(startOn, day), 1, 'InsufficientFunds'];
  return {
    monthly: Array.from({ length: 13 }, (_, index) => paid(30 * index, index + 1)),
    custom: [
      ...[0, 2, 4].map(lacking),
      paid(8, 1),
      ...Array.from({ length: 7 }, (_, index) => paid(45 * (index + 1), index + 2)),
    ],
    yearly: [paid(100, 1)],
  };
}

/** That the year went as it should have, by what the merchant reads and by the acquirer's own books. */
async function assertYear(
  of: ChargingService | ChargingProcess,
  shop: Shop,
  enrolled: Enrolled,
): Promise<void> {
  const expected = chargesOfAYear(shop.startOn);
  const billings = {
    monthly: await billingsOf(shop, enrolled.monthly),
    custom: await billingsOf(shop, enrolled.custom),
    yearly: await billingsOf(shop, enrolled.yearly),
  };
  // A charge whose process was killed before it was sent is undone and made again.
  const answered = (billing: Shown) => triesOf(billing).filter(([, , outcome]) => outcome !== 'Undone');
  for (const name of ['monthly', 'custom', 'yearly'] as const) {
    const charges = billings[name].flatMap((billing) =>
      answered(billing).map(([on, , outcome]) => [on, billing.installment, outcome]),
    );
    assert.deepEqual(charges, expected[name], name);
  }
  assert.deepEqual(statesOf(billings.monthly).at(-1), [14, dayAfter(shop.startOn, 390), 'Opened']);
  assert.deepEqual(statesOf(billings.yearly).at(-1), [2, dayAfter(shop.startOn, 465), 'Opened']);
  assert.equal(await statusOf(shop, enrolled.custom), 'Canceled', 'its eight parts are over');

  const ledger = (await ledgerOf(of, shop)).filter(({ status }) => status !== 'undone');
  const all = Object.values(expected).flat();
  assert.equal(ledger.length, all.length, 'no charge was made twice, and none is missing');
  const days = new Map<string, string[]>();
  for (const billing of Object.values(billings).flat()) {
    days.set(
      billing.id,
      answered(billing).map(([on]) => on as string),
    );
  }
  // The acquirer booked them in the order of their days.
  const bookedOn = ledger.map(({ reference }) => days.get(reference)?.shift());
  assert.deepEqual(bookedOn, bookedOn.toSorted());
  const amounts = new Set(ledger.map(({ status, amount }) => `${status} ${amount}`));
  assert.deepEqual([...amounts].sort(), ['approved 4990', 'declined 4990']);
}

test('a jump of a year charges everything of three subscriptions on its own day and in its order', async () => {
  const shop = await service.openShop('um-ano');
  const enrolled = await enrolThree(shop);
  await jumpTo(shop, 365);
  await assertYear(service, shop, enrolled);
});

async function killInTheYear(): Promise<void> {
  // By itself: nobody else takes the jump along, before a kill or behind it.
  const alone = await openChargingProcess();
  try {
    const shop = await alone.openShop('um-ano-interrompido');
    const enrolled = await enrolThree(shop);
    const jump = jumpTo(shop, 365).catch(() => 'cut');
    for (const charges of [6, 14]) {
      await until(
        `${charges} charges were made`,
        async () => (await ledgerOf(alone, shop)).length >= charges,
        60_000,
      );
      await alone.kill();
      const underWay = await alone.auditor.query(
        'select 1 from merchant_clocks where merchant_id = $1 and target_at is not null',
        [shop.merchantId],
      );
      assert.equal(underWay.length, 1, 'it was killed in the jump');
      await alone.restart();
    }
    assert.equal(await jump, 'cut');
    await until(
      'the clock has arrived',
      async () => (await shop.get('/homologation/clock')).target === null,
      120_000,
    );
    assert.ok((await shop.get('/homologation/clock')).now >= `${dayAfter(shop.startOn, 365)}T09:00:00`);
    await assertYear(alone, shop, enrolled);
  } finally {
    await alone.close();
  }
}

const IS_WHOLE = sliceOf(2, 1) === 2;
if (IS_WHOLE)
  test(
    'a process that is killed in the middle of a year: the next one goes on, nothing is charged twice, nothing is left out',
    killInTheYear,
  );
