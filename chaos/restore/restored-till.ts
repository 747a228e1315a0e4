import { paymentRequest, TEST_CARD } from '../../test/kit/merchant.ts';
import type { Chance } from '../chance.ts';
import type { Answered } from '../log.ts';
import { callGateway } from '../merchant-client.ts';
import { wait } from '../operations/operation.ts';

/** One sale of the merchant, as its own books have it. */
export type Sale = {
  readonly order: string;
  readonly amount: number;
  readonly isHeld: boolean;
  /** Null: it was not answered 200. */
  paymentId: string | null;
  /** What it was captured for; null: it was not captured, or that was not answered. */
  captured: number | null;
  /** Whether a release or a capture was asked for and not answered. */
  isInDoubt: boolean;
  released: boolean;
  /** Cents of a part that it gave back, asked for with one key; absent: none. */
  gaveBack?: number;
};

export type Door = { readonly url: string; readonly token: string };

const PAYMENTS = '/v1/payments';
const LOOK_MILLISECONDS = 20;
/** Callers of a real shop give up one day; more do not pile up here. */
const MOST_UNDER_WAY = 200;
/** The simulator books these and says nothing, or something too late. */
const UNANSWERED_AMOUNTS = [1_002, 1_003] as const;

/** A merchant who sells, captures, releases and cancels, and writes down what it was answered. */
export class RestoredTill {
  readonly sales: Sale[] = [];
  #orders = 0;
  /** By order: a repetition is the same request. */
  readonly #bodies = new Map<string, object>();
  readonly #chance: Chance;
  readonly #callbackUrl: string;

  constructor(chance: Chance, callbackUrl: string) {
    this.#chance = chance;
    this.#callbackUrl = callbackUrl;
  }

  /** As buyers come, until it is over; ends when all of them were answered or gave up. */
  async sell(door: Door, perSecond: number, isOver: () => boolean): Promise<void> {
    const underWay = new Set<Promise<unknown>>();
    const startedAt = performance.now();
    for (let begun = 0; !isOver(); ) {
      for (; begun < ((performance.now() - startedAt) * perSecond) / 1_000; begun += 1) {
        if (underWay.size >= MOST_UNDER_WAY) continue;
        const one = this.#sellOne(door).finally(() => underWay.delete(one));
        underWay.add(one);
      }
      await wait(LOOK_MILLISECONDS);
    }
    await Promise.all(underWay);
  }

  async #sellOne(door: Door): Promise<void> {
    const chance = this.#chance;
    const amount = chance.isIn(0.02) ? chance.pick(UNANSWERED_AMOUNTS) : chance.whole(5_000, 9_999);
    const isHeld = chance.isIn(0.2);
    this.#orders += 1;
    const order = `R-${this.#orders}`;
    const tokenized = await callGateway(door.url, '/v1/cards/tokenization', {
      token: door.token,
      body: { cardNumber: TEST_CARD },
    });
    // What cannot be made ready is not sold.
    if (tokenized.status !== 200) return;
    const sale: Sale = {
      ...{ order, amount, isHeld, paymentId: null, captured: null },
      ...{ isInDoubt: false, released: false },
    };
    this.sales.push(sale);
    const [{ numberToken = '' } = {}] = tokenized.body as { numberToken?: string }[];
    const body = requestOf(sale, numberToken, this.#callbackUrl);
    this.#bodies.set(order, body);
    const answer = await callGateway(door.url, PAYMENTS, {
      token: door.token,
      body,
      key: `pay-${order}`,
    });
    if (answer.status !== 200) return;
    const { paymentAuthorization } = answer.body as { paymentAuthorization: { paymentId: string } };
    sale.paymentId = paymentAuthorization.paymentId;
    await this.#goOn(door, sale);
  }

  #giveBack(door: Door, { paymentId, order }: Sale, amount: number): Promise<Answered> {
    const path = `${PAYMENTS}/${paymentId}/cancel`;
    return callGateway(door.url, path, { token: door.token, body: { amount }, key: `cancel-${order}` });
  }

  /** As a merchant who is not sure: payments that were answered, and cancels. Gives what is wrong. */
  async sendAgain(door: Door): Promise<string[]> {
    const wrong: string[] = [];
    for (const sale of this.sales) {
      // What was let go leaves nothing that a comparison would bring back.
      if (sale.paymentId === null || sale.released || sale.isInDoubt) continue;
      const body = this.#bodies.get(sale.order);
      const paid = await callGateway(door.url, PAYMENTS, {
        token: door.token,
        body,
        key: `pay-${sale.order}`,
      });
      const { paymentAuthorization } = (paid.body ?? {}) as { paymentAuthorization?: { paymentId: string } };
      if (paid.status === 200 && paymentAuthorization?.paymentId !== sale.paymentId)
        wrong.push(`paid again under another id: ${sale.order}`);
      if (paid.status !== 200)
        wrong.push(`answered 200, and ${paid.status} when it came again: ${sale.order}`);
      if (sale.gaveBack !== undefined) await this.#giveBack(door, sale, sale.gaveBack);
    }
    return wrong;
  }

  async #goOn(door: Door, sale: Sale): Promise<void> {
    const chance = this.#chance;
    const ask = (what: string, body: object): Promise<Answered> =>
      callGateway(door.url, `${PAYMENTS}/${sale.paymentId}/${what}`, { token: door.token, body });
    if (!sale.isHeld) {
      // What it gave back is in the acquirer's books too, answered or not.
      if (!chance.isIn(0.2)) return;
      const amount = chance.whole(100, 900);
      sale.gaveBack = amount;
      await this.#giveBack(door, sale, amount);
      return;
    }
    const fate = chance.next();
    if (fate < 0.5) {
      const captured = sale.amount - chance.whole(0, 900);
      const { status } = await ask('capture', { amount: captured });
      if (status === 200) sale.captured = captured;
      else sale.isInDoubt = true;
    } else if (fate < 0.75) {
      const { status } = await ask('cancel', {});
      if (status === 200) sale.released = true;
      else sale.isInDoubt = true;
    }
  }
}

function requestOf({ amount, order, isHeld }: Sale, numberToken: string, urlCallBack: string): object {
  const payment = { transactionType: 'credit', amount, productType: 'avista', installments: 1 };
  const later = isHeld ? { payment: { ...payment, captureType: 'pa' } } : {};
  return paymentRequest(numberToken, amount, { referenceTransaction: order, urlCallBack, ...later });
}
