import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../kit/service.ts';
import {
  billingsOf,
  type ChargingService,
  chargedBilling,
  chargesOf,
  jumpTo,
  ledgerOf,
  openChargingService,
  PLANS,
  type Shop,
  SUBSCRIPTIONS,
  script,
  storeCard,
  subscribe,
} from './charging-service.ts';

/** A service of its own, with settings of its own, for as long as a test lasts. */
async function withService(
  settings: Readonly<Record<string, string>>,
  run: (service: ChargingService) => Promise<void>,
): Promise<void> {
  const service = await openChargingService(settings);
  try {
    await run(service);
  } finally {
    await service.close();
  }
}

/** Enrols so many in one plan with one card, all of them due at once; gives their ids. */
async function enrolMany(shop: Shop, count: number): Promise<string[]> {
  const body = {
    name: 'Clube do Livro',
    description: 'Um livro por mês',
    amount: 49.9,
    planType: 'Monthly',
    paymentMethod: 'CreditCard',
  };
  const planId = await shop.get(PLANS, { body });
  const vaultId = await storeCard(shop);
  const enrolled = Array.from({ length: count }, (_, number) =>
    shop.get(SUBSCRIPTIONS, { body: { planId, vaultId, orderNumber: `P-${number}` } }),
  );
  return (await Promise.all(enrolled)) as string[];
}

const slowly = (count: number, delayMilliseconds: number) =>
  Array.from({ length: count }, () => ({ delayMilliseconds, outcome: 'approved' }));

const statusesIn = (ledger: { status: string }[]) => ledger.map(({ status }) => status);

async function metricOf(service: ChargingService, name: string): Promise<number> {
  const text = await (await fetch(service.metricsUrl)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}

const AWAY = 'parcela_acquirer_away{kind="charge",provider="default"}';

test('an acquirer that takes longer than a buyer would wait for collects every billing, each at the first try', () =>
  withService(
    {
      PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '500',
      PARCELA_BILLING_ACQUIRER_TIMEOUT_MILLISECONDS: '20000',
    },
    async (service) => {
      const shop = await service.openShop('devagar');
      await script(service, shop, slowly(10, 1_500));
      const enrolled = await enrolMany(shop, 10);
      for (const id of enrolled) assert.equal((await chargedBilling(shop, id)).status, 'Paid');
      assert.deepEqual(statusesIn(await ledgerOf(service, shop)), Array(10).fill('approved'));
    },
  ));

test('what an acquirer books after the time is over is looked for, found and kept; slow is not away', () =>
  withService(
    {
      PARCELA_BILLING_ACQUIRER_TIMEOUT_MILLISECONDS: '500',
      PARCELA_BILLING_SEARCH_MILLISECONDS: '60000',
    },
    async (service) => {
      const shop = await service.openShop('bem-devagar');
      // More in a row than an absence would need.
      await script(service, shop, slowly(30, 2_500));
      const enrolled = await enrolMany(shop, 30);
      let wasAway = false;
      for (const id of enrolled) {
        assert.equal((await chargedBilling(shop, id)).status, 'Paid');
        wasAway ||= (await metricOf(service, AWAY)) === 1;
      }
      assert.equal(wasAway, false);
      assert.deepEqual(statusesIn(await ledgerOf(service, shop)), Array(30).fill('approved'));
    },
  ));

test('a billing that is sent again more than three times is reported to the operator', () =>
  withService(
    {
      PARCELA_BILLING_ACQUIRER_TIMEOUT_MILLISECONDS: '300',
      PARCELA_BILLING_SEARCH_MILLISECONDS: '0',
    },
    async (service) => {
      const shop = await service.openShop('sempre-muda');
      const { subscriptionId } = await subscribe(shop, { amount: 10.01 });
      const often = 'parcela_billings_sent_again_often_total';
      await until('four came to nothing', async () => {
        if ((await metricOf(service, often)) > 0) return true;
        // It rests ever longer between the tries.
        await service.auditor.query(
          'update billings set lease_expires_at = now() where subscription_id = $1',
          [subscriptionId],
        );
        return false;
      });
      const [billing] = await billingsOf(shop, subscriptionId);
      assert.ok(chargesOf(billing).filter(({ outcome }) => outcome === 'Undone').length >= 4);
    },
  ));

test('a jump of the test clock has the patience of a request: an acquirer that is silent does not hold it up', () =>
  withService(
    {
      PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '1000',
      PARCELA_BILLING_ACQUIRER_TIMEOUT_MILLISECONDS: '30000',
      PARCELA_BILLING_SEARCH_MILLISECONDS: '60000',
    },
    async (service) => {
      const shop = await service.openShop('salto-mudo');
      const { subscriptionId } = await subscribe(shop, { amount: 10.01, trialDays: 5 });
      await jumpTo(shop, 6);
      const [billing] = await billingsOf(shop, subscriptionId);
      assert.equal(billing.status, 'Opened');
      const voided = chargesOf(billing).filter(({ outcome }) => outcome === 'Undone');
      assert.ok(voided.length >= 2, `${voided.length} within the jump`);
    },
  ));
