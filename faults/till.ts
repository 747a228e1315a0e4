import { encryptCard, paymentRequest, TEST_CARD } from '../test/client.ts';
import type { Chance } from './chance.ts';
import type { FaultHouse, Shop } from './fault-house.ts';
import type { Gateway } from './gateways.ts';

/** What a client wrote down about one payment: what it asked for, and what it was answered. */
export type Entry = {
  /** Of the round, unique in the run: `steps.17`. */
  readonly round: string;
  readonly operation: string;
  readonly merchantId: string;
  readonly reference: string;
  readonly amount: number;
  readonly installments: number;
  /** The card token or encrypted card: good for one approval. */
  readonly carrier: string;
  readonly gateway: string;
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
  /** Null: the connection was lost before the whole answer was there. */
  status: number | null;
  body: unknown;
  /** Why there is no status. */
  lostBy: string | null;
  /** What `GET /v1/payments/{id}` said of an approved payment a moment later, where the operation asked. */
  askedAfter: string | null;
};

/** Longer than a gateway is ever stopped: who waits longer hangs. */
const PATIENCE_MILLISECONDS = 90_000;
/** Tokens of access live an hour. */
const LOGIN_MILLISECONDS = 20 * 60_000;

export type Answered = {
  readonly status: number | null;
  readonly body: unknown;
  readonly lostBy: string | null;
};

/** One call as a merchant's server makes it: never repeated by itself. */
async function callGateway(
  url: string,
  path: string,
  { token, body }: { token?: string; body?: unknown } = {},
): Promise<Answered> {
  try {
    const response = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text), lostBy: null };
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    return { status: null, body: null, lostBy: cause?.code ?? name };
  }
}

/** A merchant's till: knows how to log in, has cards, and writes down every payment. */
export class Till {
  readonly entries: Entry[] = [];
  readonly #tokens = new Map<string, { token: string; at: number }>();
  readonly #keys = new Map<string, string>();
  readonly house: FaultHouse;
  #count = 0;

  constructor(house: FaultHouse) {
    this.house = house;
  }

  async login(shop: Shop, gateway: Gateway): Promise<string> {
    const known = this.#tokens.get(shop.merchantId);
    if (known !== undefined && performance.now() - known.at < LOGIN_MILLISECONDS) return known.token;
    const { status, body } = await callGateway(gateway.url, '/api/auth/token', { body: shop.login });
    if (status !== 200) throw new Error(`the login was answered ${status}`);
    const { accessToken: token } = body as { accessToken: string };
    this.#tokens.set(shop.merchantId, { token, at: performance.now() });
    return token;
  }

  async cardToken(shop: Shop, gateway: Gateway): Promise<string> {
    const token = await this.login(shop, gateway);
    const { status, body } = await callGateway(gateway.url, '/v1/cards/tokenization', {
      token,
      body: { cardNumber: TEST_CARD },
    });
    if (status !== 200) throw new Error(`the tokenization was answered ${status}: ${JSON.stringify(body)}`);
    return (body as [{ numberToken: string }])[0].numberToken;
  }

  async encryptedCard(shop: Shop, gateway: Gateway): Promise<string> {
    let key = this.#keys.get(shop.merchantId);
    if (key === undefined) {
      const token = await this.login(shop, gateway);
      const { body } = await callGateway(gateway.url, '/v1/cards/public-key', { token });
      key = (body as { key: string }).key;
      this.#keys.set(shop.merchantId, key);
    }
    return encryptCard(key, {
      cardNumber: TEST_CARD,
      merchantId: shop.merchantId,
      createdAt: new Date().toISOString(),
      securityCode: '321',
      expirationMonth: '11',
      expirationYear: '38',
      cardholderName: 'ANA SOUZA',
    });
  }

  /** Sends one payment and writes down what came of it. */
  async pay(gateway: Gateway, wanted: WantedPayment): Promise<Entry> {
    const { shop, carrier, amount, installments } = wanted;
    this.#count += 1;
    const reference = `${wanted.round}.${this.#count}`;
    const entry: Entry = {
      round: wanted.round,
      operation: wanted.operation,
      merchantId: shop.merchantId,
      reference,
      amount,
      installments,
      carrier: carrier.text,
      gateway: gateway.name,
      sentAt: Date.now(),
      status: null,
      body: null,
      lostBy: 'it was never sent',
      askedAfter: null,
    };
    this.entries.push(entry);
    const token = await this.login(shop, gateway).catch(() => null);
    if (token === null) return entry;
    const body = paymentRequest(carrier.kind === 'token' ? carrier.text : '', amount, {
      referenceTransaction: reference,
      payment: {
        transactionType: 'credit',
        amount,
        productType: installments === 1 ? 'avista' : 'lojista',
        installments,
      },
      ...(carrier.kind === 'encrypted'
        ? { cardInfo: { encryptedCard: carrier.text, cardholderName: 'ANA SOUZA' } }
        : {}),
    });
    return Object.assign(entry, await callGateway(gateway.url, '/v1/payments', { token, body }));
  }

  /** The word with which `GET /v1/payments/{id}` describes a payment; null when it did not answer 200. */
  async ask(gateway: Gateway, merchantId: string, paymentId: string): Promise<string | null> {
    const shop = this.house.shops.find((candidate) => candidate.merchantId === merchantId) as Shop;
    const token = await this.login(shop, gateway);
    const { status, body } = await callGateway(gateway.url, `/v1/payments/${paymentId}`, { token });
    return status === 200 ? (body as { statusDescription: string }).statusDescription : null;
  }
}

export type Carrier = { readonly kind: 'token' | 'encrypted'; readonly text: string };

export type WantedPayment = {
  readonly round: string;
  readonly operation: string;
  readonly shop: Shop;
  readonly carrier: Carrier;
  readonly amount: number;
  readonly installments: number;
};

/** Approved, mostly; some declines, and some of the amounts with which the simulator spoils its answer. */
const SPECIAL_AMOUNTS = [1_051, 1_054, 1_001, 1_002, 1_003, 1_004] as const;
const SPECIAL_SHARE = 0.2;

export function drawAmount(chance: Chance): number {
  if (chance.isIn(SPECIAL_SHARE)) return chance.pick(SPECIAL_AMOUNTS);
  // Of its own for nearly every payment, so that a mix-up shows; the last four digits keep clear of the special ones.
  return chance.whole(1, 99_000) * 10_000 + chance.whole(2_000, 9_999);
}
