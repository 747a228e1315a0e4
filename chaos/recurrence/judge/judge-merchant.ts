import type { ChaosBench } from '../../chaos-bench.ts';
import type { Finding } from '../../judge/finding.ts';
import type { Scene } from '../../rounds.ts';
import type { ChargingShop } from '../chaos-merchant.ts';
import { askShop } from '../merchant.ts';
import { again } from '../patience.ts';
import type { ShopTally } from '../tally.ts';
import { type LedgerLine, readShopBooks, readShopLedger } from './ledger-view.ts';
import { indexShop, type ShopIndex } from './merchant-index.ts';
import { ANSWER_INVARIANTS } from './of-answers.ts';
import { MONEY_INVARIANTS } from './of-money.ts';
import { NOTICE_INVARIANTS } from './of-notices.ts';
import { SCHEDULE_INVARIANTS } from './of-schedule.ts';
import { SUBSCRIPTION_INVARIANTS } from './of-subscriptions.ts';

const INVARIANTS = [
  ...MONEY_INVARIANTS,
  ...SCHEDULE_INVARIANTS,
  ...SUBSCRIPTION_INVARIANTS,
  ...ANSWER_INVARIANTS,
  ...NOTICE_INVARIANTS,
];
/** Billings of a merchant that are read one by one, as the merchant would. */
const READ_ONE_BY_ONE = 6;
/** Of one merchant; a mistake in all of them is seen in some. */
const MOST_VIEWS = 5;

/** Compares the three books of a merchant that has nothing under way. */
export async function judgeShop(scene: Scene, shop: ChargingShop, tally: ShopTally): Promise<void> {
  const ledger = await again(() => readShopLedger(scene.bench, shop.merchantId));
  const index = await readIndex(scene.bench, shop, ledger);
  tally.count(index, shop);
  const findings = [...checkShop(index), ...(await checkAnswers(scene, index))];
  for (const [place, finding] of findings.entries())
    tally.find(shop, finding, place < MOST_VIEWS ? viewsOf(index, finding.reference) : '');
}

/** Once more, from our database and the ledger alone: what a later fault did to what was in order. */
export async function judgeAgain(
  bench: ChaosBench,
  shop: ChargingShop,
  ledger: readonly LedgerLine[],
): Promise<Finding[]> {
  const index = await readIndex(bench, shop, ledger);
  return checkShop(index).map((finding, place) => ({
    ...finding,
    reference: `${shop.round} ${finding.reference}`,
    text: finding.text + (place < MOST_VIEWS ? viewsOf(index, finding.reference) : ''),
  }));
}

async function readIndex(
  bench: ChaosBench,
  shop: ChargingShop,
  ledger: readonly LedgerLine[],
): Promise<ShopIndex> {
  return indexShop(await readShopBooks(bench, shop.merchantId, ledger), shop);
}

function checkShop(index: ShopIndex): Finding[] {
  const findings: Finding[] = [];
  for (const { name, check } of INVARIANTS)
    check(index, (reference, text) => findings.push({ invariant: name, reference, text }));
  return findings;
}

const WORDS = {
  opened: 'Opened',
  paymentInvalid: 'PaymentInvalid',
  canceled: 'Canceled',
  denied: 'Denied',
  paid: 'Paid',
} as const;

type Shown = {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly installment: number;
  readonly timeline?: readonly { readonly type: string; readonly attempt?: number | null }[];
};

/** What the merchant reads over HTTP is what stands in the books. */
async function checkAnswers(scene: Scene, index: ShopIndex): Promise<Finding[]> {
  const findings: Finding[] = [];
  const invariant = 'what the merchant reads is what is on record';
  const complain = (reference: string, text: string) => findings.push({ invariant, reference, text });
  const list = await ask<{ items: Shown[]; total: number }>(scene, index.shop, '/billing?limit=100');
  if (list.total !== index.billings.length)
    complain('', `${list.total} billings are told, and there are ${index.billings.length}`);
  for (const shown of list.items) compareShown(index, shown, complain);
  for (const { id } of list.items.slice(0, READ_ONE_BY_ONE)) {
    const shown = await ask<Shown>(scene, index.shop, `/billing/${id}`);
    compareShown(index, shown, complain);
    const reported = (shown.timeline ?? []).filter(({ type }) => type === 'Charged');
    const tries = index.triesOf.get(id) ?? [];
    if (
      reported.map(({ attempt }) => attempt).join() !== tries.map(({ attemptNumber }) => attemptNumber).join()
    )
      complain(id, `its timeline tells attempts ${reported.map(({ attempt }) => attempt)}`);
  }
  return findings;
}

function compareShown(
  { billingById }: ShopIndex,
  shown: Shown,
  complain: (reference: string, text: string) => void,
): void {
  const billing = billingById.get(shown.id);
  const isSame =
    billing !== undefined &&
    shown.status === WORDS[billing.state] &&
    Math.round(shown.amount * 100) === billing.amount &&
    shown.installment === billing.installment;
  if (!isSame) complain(shown.id, `told as ${JSON.stringify({ ...shown, subscription: undefined })}`);
}

/** Of any service that lives; a fault of the next round may have struck the one that is asked. */
function ask<T>({ fleet, chance }: Scene, shop: ChargingShop, path: string): Promise<T> {
  return again(async () => {
    const answer = await askShop(shop, await fleet.any(chance), `/v1/recurrences${path}`);
    if (answer === null) throw new Error(`${shop.merchantId} was not answered ${path}`);
    return answer as T;
  });
}

/** Everything that the three know about a subscription or a billing of it, for a person. */
function viewsOf(index: ShopIndex, reference: string): string {
  const id = index.billingById.get(reference)?.subscriptionId ?? reference;
  const subscription = index.subscriptionById.get(id);
  if (subscription === undefined) return '';
  const billings = index.billings.filter(({ subscriptionId }) => subscriptionId === id);
  const ids = new Set([id, ...billings.map(({ billingId }) => billingId)]);
  const lines = (name: string, rows: readonly object[]) =>
    rows.map((row) => `    ${name} ${JSON.stringify(row)}`);
  return [
    `\n    ${index.shop.merchantId}, ${index.today}`,
    ...lines('subscription', [subscription]),
    ...lines('billing     ', billings),
    ...lines(
      'try         ',
      index.tries.filter(({ billingId }) => ids.has(billingId)),
    ),
    ...lines(
      'charge      ',
      index.transactions.filter((row) => ids.has(row.reference)),
    ),
    ...lines(
      'acquirer    ',
      index.ledger.filter((line) => ids.has(line.reference ?? '')),
    ),
    ...lines(
      'merchant    ',
      index.shop.calls.filter(
        (call) =>
          ids.has(call.id) ||
          call.what === 'jump' ||
          call.id === subscription.planId ||
          call.order === subscription.orderNumber,
      ),
    ),
  ].join('\n');
}
