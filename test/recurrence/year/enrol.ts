import { cpfOf } from '../../kit/merchant.ts';
import { until } from '../../kit/service.ts';
import type { CardSubscriber, PixSubscriber, Subscriber } from './cohorts.ts';
import { orderOfPayer, type YearShop } from './year-shop.ts';

export type Enrolled = {
  readonly subscriber: Subscriber;
  readonly subscriptionId: string;
  /** Of his authorization; null: he pays by card. */
  readonly idRec: string | null;
};

const AT_ONCE = 4;
const GOOD_CARD = '5155901222280001';
const BRANDS: Readonly<Record<string, string>> = { 4: 'visa', 5: 'mastercard', 3: 'amex', 6: 'elo' };
const PATH = '/v1/recurrences';

/** All of them, some at once; each of those who pay by Pix has done what he does with his authorization. */
export async function enrolAll(shop: YearShop, subscribers: readonly Subscriber[]): Promise<Enrolled[]> {
  const goodCard = await shop.storeCard(GOOD_CARD, 'mastercard');
  const enrolled: Enrolled[] = [];
  const waiting = [...subscribers];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      enrolled.push(await (next.method === 'card' ? byCard(shop, next, goodCard) : byPix(shop, next)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return enrolled.sort((one, other) => one.subscriber.number - other.subscriber.number);
}

async function makePlan(
  shop: YearShop,
  { amount, attempts, trialDays }: Subscriber,
  plan: object,
): Promise<string> {
  const body = { name: 'Clube', description: 'Um livro', amount: amount / 100, attempts, trialDays, ...plan };
  return (await shop.ask(`${PATH}/plans`, { body })) as string;
}

async function byCard(shop: YearShop, subscriber: CardSubscriber, goodCard: string): Promise<Enrolled> {
  const { planType, intervalDays, installments, cardNumber, number } = subscriber;
  const planId = await makePlan(shop, subscriber, {
    ...{ paymentMethod: 'CreditCard', planType },
    ...(planType === 'Custom' && { interval: intervalDays, installments }),
  });
  const vaultId =
    cardNumber === null ? goodCard : await shop.storeCard(cardNumber, BRANDS[cardNumber[0] ?? ''] ?? 'visa');
  const body = { planId, vaultId, orderNumber: `P-${number}` };
  const subscriptionId = (await shop.ask(`${PATH}/subscriptions`, { body })) as string;
  return { subscriber, subscriptionId, idRec: null };
}

async function byPix(shop: YearShop, subscriber: PixSubscriber): Promise<Enrolled> {
  const { planType, number, journey } = subscriber;
  const planId = await makePlan(shop, subscriber, { paymentMethod: 'PixAutomatic', planType });
  const customer = { name: 'Ana Souza', documentNumber: cpfOf(number) };
  const body = { planId, orderNumber: `P-${number}`, customer, pixAutomatic: { journey } };
  const { id } = await shop.ask(`${PATH}/subscriptions?expand=authorization`, { body });
  // Where the bank had no time to answer its code comes later.
  const authorization = await until('its payer can authorize it', async () => {
    const read = await shop.ask(`${PATH}/subscriptions/${id}`);
    return typeof read.authorization.pixEmv === 'string' ? read.authorization : null;
  });
  await decide(shop, subscriber, authorization);
  return { subscriber, subscriptionId: id, idRec: authorization.recurrenceId };
}

type Authorization = { readonly pixEmv: string; readonly recurrenceId: string };

async function decide(
  shop: YearShop,
  { kind, journey, steps }: PixSubscriber,
  { pixEmv: code, recurrenceId: idRec }: Authorization,
): Promise<void> {
  if (kind === 'ignores') return;
  if (kind === 'refuses') return orderOfPayer(shop, 'authorizations', { idRec, act: 'reject' });
  if (steps.length > 0) await orderOfPayer(shop, 'payers', { idRec, steps });
  if (journey === 3) return orderOfPayer(shop, 'payments', { code });
  await orderOfPayer(shop, 'authorizations', { idRec, act: 'accept' });
}
