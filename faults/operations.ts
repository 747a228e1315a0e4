import type { Chance } from './chance.ts';
import type { Gateway } from './gateways.ts';
import { type Carrier, drawAmount, type Entry, type Till, type WantedPayment } from './till.ts';

/** What an operation needs that must be had before a fault strikes: cards, drawn amounts. `gateway` is undisturbed. */
export type Preparation = {
  readonly till: Till;
  readonly gateway: Gateway;
  readonly round: string;
  readonly chance: Chance;
};

/** Sends what was prepared; `to` gives the gateway for each call. */
export type Prepared = (to: () => Gateway) => Promise<void>;

/** Something that a merchant does. A new one is an entry in this list and, where it has a new promise, an invariant. */
export type Operation = {
  readonly name: string;
  /** How often it is drawn, beside the others. */
  readonly weight: number;
  prepare(preparation: Preparation): Promise<Prepared>;
};

export const OPERATIONS: readonly Operation[] = [
  {
    name: 'payByToken',
    weight: 5,
    async prepare(preparation) {
      const wanted = await wantPayment(preparation, 'payByToken');
      return async (to) => void (await preparation.till.pay(to(), wanted));
    },
  },
  {
    name: 'payByEncryptedCard',
    weight: 2,
    async prepare(preparation) {
      const wanted = await wantPayment(preparation, 'payByEncryptedCard', 'encrypted');
      return async (to) => void (await preparation.till.pay(to(), wanted));
    },
  },
  {
    name: 'payInInstallments',
    weight: 2,
    async prepare(preparation) {
      const wanted = await wantPayment(preparation, 'payInInstallments');
      const installments = preparation.chance.whole(2, 12);
      return async (to) => void (await preparation.till.pay(to(), { ...wanted, installments }));
    },
  },
  {
    name: 'payAndAsk',
    weight: 1,
    async prepare(preparation) {
      const wanted = await wantPayment(preparation, 'payAndAsk');
      const { till } = preparation;
      return async (to) => {
        const entry = await till.pay(to(), wanted);
        const paymentId = paymentIdOf(entry);
        if (paymentId === null) return;
        entry.askedAfter = await till.ask(to(), entry.merchantId, paymentId).catch(() => null);
      };
    },
  },
  {
    // The same carrier in two requests at once: at most one of them may charge.
    name: 'payTwiceAtOnce',
    weight: 1,
    async prepare(preparation) {
      const wanted = await wantPayment(preparation, 'payTwiceAtOnce');
      const other = { ...wanted, amount: drawAmount(preparation.chance) };
      return async (to) =>
        void (await Promise.all([wanted, other].map((one) => preparation.till.pay(to(), one))));
    },
  },
  {
    // A carrier that has paid, or whose payment was lost, is tried once more.
    name: 'payAgain',
    weight: 1,
    async prepare(preparation) {
      const wanted = await wantPayment(preparation, 'payAgain');
      const { till } = preparation;
      return async (to) => {
        await till.pay(to(), wanted);
        await till.pay(to(), { ...wanted, amount: drawAmount(preparation.chance) });
      };
    },
  },
];

async function wantPayment(
  { till, gateway, round, chance }: Preparation,
  operation: string,
  kind: Carrier['kind'] = 'token',
): Promise<WantedPayment> {
  const shop = chance.pick(till.house.shops);
  const amount = drawAmount(chance);
  const text = await (kind === 'token' ? till.cardToken(shop, gateway) : till.encryptedCard(shop, gateway));
  return { round, operation, shop, carrier: { kind, text }, amount, installments: 1 };
}

export function paymentIdOf(entry: Entry): string | null {
  if (entry.status !== 200) return null;
  const { paymentAuthorization } = entry.body as { paymentAuthorization?: { paymentId?: string } };
  return paymentAuthorization?.paymentId ?? null;
}

/** Draws an operation by weight. */
export function drawOperation(chance: Chance): Operation {
  let left = chance.next() * OPERATIONS.reduce((sum, operation) => sum + operation.weight, 0);
  for (const operation of OPERATIONS) {
    left -= operation.weight;
    if (left < 0) return operation;
  }
  return OPERATIONS[0] as Operation;
}
