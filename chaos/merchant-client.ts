import { Agent, request } from 'undici';
import { encryptCard, paymentRequest, TEST_CARD } from '../test/kit/merchant.ts';
import { patiently } from '../test/kit/patience.ts';
import type { Chance } from './chance.ts';
import type { ChaosBench, Shop } from './chaos-bench.ts';
import type { Gateway } from './gateways.ts';
import {
  type Answered,
  type AnsweredPayment,
  type CancelEntry,
  type CaptureEntry,
  type Entry,
  type EventEntry,
  type EventType,
  NEVER_SENT,
  paymentIdOf,
  type StoreEntry,
  type WantedSplit,
} from './log.ts';

/** A gateway is stopped for this time at most. */
export const STOPPED_MILLISECONDS = 30_000;
/** Whoever waits longer hangs. */
const PATIENCE_MILLISECONDS = STOPPED_MILLISECONDS + 15_000;
/** Tokens of access live an hour. */
const LOGIN_MILLISECONDS = 20 * 60_000;

const connections = new Agent({
  ...{ connections: 256, keepAliveTimeout: 5_000 },
  // A proxy in front has a certificate that it made itself.
  connect: { rejectUnauthorized: false },
});

type Call = {
  readonly token?: string;
  readonly body?: unknown;
  readonly key?: string | null;
  /** POST with a body, GET without, unless said. */
  readonly method?: 'POST';
  readonly timeoutMilliseconds?: number;
};

/** One call as a merchant's server makes it: never repeated by itself. */
export async function callGateway(url: string, path: string, call: Call = {}): Promise<Answered> {
  const { token, body, key, method, timeoutMilliseconds = patiently(PATIENCE_MILLISECONDS) } = call;
  try {
    const response = await request(url + path, {
      dispatcher: connections,
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined || key === null ? {} : { 'idempotency-key': key }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: timeoutMilliseconds,
      bodyTimeout: timeoutMilliseconds,
    });
    const text = await response.body.text();
    const { statusCode: status, headers } = response;
    const isReplayed = headers['idempotent-replayed'] === 'true';
    if (isOfProxy(status, headers)) return { ...NEVER_SENT, lostBy: `a proxy's ${status}` };
    const reported = { status, body: text === '' ? null : JSON.parse(text), lostBy: null, isReplayed };
    const retryAfter = headers['retry-after'];
    return retryAfter === undefined ? reported : { ...reported, retryAfterSeconds: Number(retryAfter) };
  } catch (error) {
    const { name, code } = error as Error & { code?: string };
    return { ...NEVER_SENT, lostBy: code ?? name };
  }
}

/** What a proxy says in the place of the service is no answer to what was asked, whatever its number. */
function isOfProxy(status: number, headers: Readonly<Record<string, unknown>>): boolean {
  return status === 502 || status === 504 || String(headers['content-type']).startsWith('text/html');
}

/** What `lostBy` says when neither an answer nor an end of the connection came. */
export const HANGS = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

/** A merchant's till: knows how to log in, has cards, and writes down everything that it asks for. */
export class Till {
  payments: Entry[] = [];
  cancels: CancelEntry[] = [];
  captures: CaptureEntry[] = [];
  stores: StoreEntry[] = [];
  events: EventEntry[] = [];
  /** Payments written down so far, those that were released too. */
  count = 0;
  #marks = 0;
  readonly bench: ChaosBench;
  readonly #logins = new Map<string, { token: string; at: number }>();
  readonly #keys = new Map<string, string>();
  readonly #vaults = new Map<string, string[]>();

  constructor(bench: ChaosBench) {
    this.bench = bench;
  }

  /** Forgets what was written down: its books were compared. */
  release(): void {
    this.payments = [];
    this.cancels = [];
    this.captures = [];
    this.stores = [];
    this.events = [];
  }

  /** A number that comes once in a run: for keys, and for names of cards. */
  newMark(): number {
    this.#marks += 1;
    return this.#marks;
  }

  async login(shop: Shop, gateway: Gateway): Promise<string> {
    const known = this.#logins.get(shop.merchantId);
    if (known !== undefined && performance.now() - known.at < LOGIN_MILLISECONDS) return known.token;
    const { status, body } = await callGateway(gateway.url, '/api/auth/token', { body: shop.login });
    if (status !== 200) throw new Error(`the login was answered ${status}`);
    const { accessToken: token } = body as { accessToken: string };
    this.#logins.set(shop.merchantId, { token, at: performance.now() });
    return token;
  }

  async cardToken(shop: Shop, gateway: Gateway): Promise<string> {
    const token = await this.login(shop, gateway);
    const wanted = { token, body: { cardNumber: TEST_CARD } };
    const { status, body } = await callGateway(gateway.url, '/v1/cards/tokenization', wanted);
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

  /** One of a few cards that the shop has stored; the first callers store them. */
  async vaultId(shop: Shop, gateway: Gateway, chance: Chance): Promise<string> {
    const stored = this.#vaults.getOrInsertComputed(shop.merchantId, () => []);
    const place = chance.whole(0, CARDS_OF_A_SHOP - 1);
    const known = stored[place];
    if (known !== undefined) return known;
    const cardSource = await this.cardToken(shop, gateway);
    const { status, body } = await this.store(gateway, { shop, round: '', cardSource, holder: 'ANA SOUZA' });
    if (status !== 200) throw new Error(`storing a card was answered ${status}`);
    const { vaultId } = body as { vaultId: string };
    stored[place] = vaultId;
    return vaultId;
  }

  /** Stores a card; one with a round is written down. */
  async store(
    gateway: Gateway,
    { shop, round, cardSource, holder, isVerified }: WantedStore,
  ): Promise<StoreEntry> {
    const entry = { round, merchantId: shop.merchantId, holder, ...NEVER_SENT };
    if (round !== '') this.stores.push(entry);
    const token = await this.login(shop, gateway).catch(() => null);
    if (token === null) return entry;
    const body = {
      numberToken: cardSource,
      cardholderName: holder,
      expirationMonth: '12',
      expirationYear: '39',
      verifyCard: isVerified ?? false,
    };
    return Object.assign(entry, await callGateway(gateway.url, '/v1/vaults/cards', { token, body }));
  }

  /** Writes a payment down that is about to be sent. */
  note(gateway: Gateway, wanted: WantedPayment): Entry {
    const {
      round,
      operation,
      shop,
      cardSource,
      amount,
      installments,
      split = null,
      isCapturedLater = false,
      key = null,
      callback = null,
    } = wanted;
    this.count += 1;
    const entry: Entry = {
      round,
      operation,
      merchantId: shop.merchantId,
      reference: `${round}.${this.count}`,
      amount,
      installments,
      split,
      isCapturedLater,
      callback,
      cardSource: cardSource.kind === 'vault' || key !== null ? null : cardSource.text,
      key,
      gateway: gateway.name,
      sentAt: Date.now(),
      ...NEVER_SENT,
      tries: [],
      askedAfter: null,
      askedByReference: null,
    };
    this.payments.push(entry);
    return entry;
  }

  /** Sends one payment and writes down what came of it. */
  async pay(gateway: Gateway, wanted: WantedPayment): Promise<Entry> {
    const entry = this.note(gateway, wanted);
    return Object.assign(entry, await this.send(gateway, entry, wanted.shop, wanted.cardSource));
  }

  /** Sends what an entry asks for; the entry stays as it is. */
  async send(gateway: Gateway, entry: Entry, shop: Shop, cardSource: CardSource): Promise<Answered> {
    const token = await this.login(shop, gateway).catch(() => null);
    if (token === null) return NEVER_SENT;
    const body = paymentBody(entry, cardSource);
    return callGateway(gateway.url, '/v1/payments', { token, body, key: entry.key });
  }

  /** Cancels an amount of a payment, or all that is left, and writes down what came of it. */
  async cancel(
    gateway: Gateway,
    payment: Entry,
    operation: string,
    amount: number | null,
  ): Promise<CancelEntry> {
    const entry = this.noteCancel(payment, operation, amount, null);
    return Object.assign(entry, await this.sendCancel(gateway, entry));
  }

  /** Captures an amount of a payment, or all of it, and writes down what came of it. */
  async capture(
    gateway: Gateway,
    payment: Entry,
    operation: string,
    amount: number | null,
  ): Promise<CaptureEntry> {
    const { round, merchantId, reference } = payment;
    const paymentId = String(paymentIdOf(payment));
    const known = { round, operation, merchantId, reference, paymentId, amount };
    const entry: CaptureEntry = { ...known, ...NEVER_SENT };
    this.captures.push(entry);
    const token = await this.login(this.shopOf(merchantId), gateway).catch(() => null);
    if (token === null) return entry;
    const body = amount === null ? {} : { amount };
    return Object.assign(
      entry,
      await callGateway(gateway.url, `/v1/payments/${paymentId}/capture`, { token, body }),
    );
  }

  /** Makes something happen to an installment of a payment, and writes down what came of it. */
  async force(
    gateway: Gateway,
    payment: Entry,
    type: EventType,
    installmentNumber: number,
    amount: number | null = null,
  ): Promise<EventEntry> {
    const { round, merchantId, reference } = payment;
    const paymentId = paymentIdOf(payment) ?? '';
    const known = { round, merchantId, reference, paymentId, type, installmentNumber, amount };
    const entry: EventEntry = { ...known, ...NEVER_SENT };
    this.events.push(entry);
    const token = await this.login(this.shopOf(merchantId), gateway).catch(() => null);
    if (token === null) return entry;
    const path = `/homologation/transactions/${paymentId}/events`;
    const body = { type, installmentNumber, ...(amount === null ? {} : { amount }) };
    return Object.assign(entry, await callGateway(gateway.url, path, { token, body }));
  }

  noteCancel(payment: Entry, operation: string, amount: number | null, key: string | null): CancelEntry {
    const { round, merchantId, reference } = payment;
    const paymentId = String(paymentIdOf(payment));
    const known = { round, operation, merchantId, reference, paymentId, amount, key };
    const entry: CancelEntry = { ...known, ...NEVER_SENT, tries: [], canceledAfterDoubt: null };
    this.cancels.push(entry);
    return entry;
  }

  async sendCancel(gateway: Gateway, { merchantId, paymentId, amount, key }: CancelEntry): Promise<Answered> {
    const token = await this.login(this.shopOf(merchantId), gateway).catch(() => null);
    if (token === null) return NEVER_SENT;
    const body = amount === null ? {} : { amount };
    return callGateway(gateway.url, `/v1/payments/${paymentId}/cancel`, { token, body, key });
  }

  /** What `GET /v1/payments/{id}` says; null when it did not answer 200. */
  async ask(gateway: Gateway, merchantId: string, paymentId: string): Promise<AnsweredPayment | null> {
    const token = await this.login(this.shopOf(merchantId), gateway);
    const { status, body } = await callGateway(gateway.url, `/v1/payments/${paymentId}`, { token });
    return status === 200 ? (body as AnsweredPayment) : null;
  }

  /**
   * All payments of a reference, as `GET /v1/payments?referenceTransaction=` answers them; null
   * when it did not answer 200.
   */
  async askByReference(
    gateway: Gateway,
    { merchantId, reference }: Entry,
  ): Promise<AnsweredPayment[] | null> {
    const token = await this.login(this.shopOf(merchantId), gateway);
    const path = `/v1/payments?referenceTransaction=${encodeURIComponent(reference)}`;
    const { status, body } = await callGateway(gateway.url, path, { token });
    return status === 200 ? (body as { items: AnsweredPayment[] }).items : null;
  }

  shopOf(merchantId: string): Shop {
    return this.bench.shops.find((candidate) => candidate.merchantId === merchantId) as Shop;
  }
}

const CARDS_OF_A_SHOP = 5;

function paymentBody(entry: Entry, cardSource: CardSource): object {
  const { amount, installments, reference, split, callback, isCapturedLater } = entry;
  const cardOf = {
    token: {},
    encrypted: { cardInfo: { encryptedCard: cardSource.text, cardholderName: 'ANA SOUZA' } },
    vault: { cardInfo: { vaultId: cardSource.text } },
  };
  return paymentRequest(cardSource.kind === 'token' ? cardSource.text : '', amount, {
    referenceTransaction: reference,
    // The same in each repetition: with a key the body must not change.
    sellerInfo: { codeAntiFraud: CODE_ANTI_FRAUD },
    payment: {
      transactionType: 'credit',
      amount,
      productType: installments === 1 ? 'avista' : 'lojista',
      installments,
      ...(isCapturedLater ? { captureType: 'pa' } : {}),
    },
    ...(split === null ? {} : { configSplit: configSplit(split) }),
    ...(callback === null ? {} : { urlCallBack: callback }),
    ...cardOf[cardSource.kind],
  });
}

/** Homologation takes any. */
const CODE_ANTI_FRAUD = '6f1c4f0e-3b55-4c9c-9a57-0a3a6f1b2c3d';

function configSplit({ type, entries }: WantedSplit): object[] {
  return entries.map(({ beneficiary, portion }) => ({
    documentNumberBeneficiary: beneficiary,
    percent: portion / 100,
    type,
  }));
}

/** What brings the card along: the first two are good for one approval. */
export type CardSource = { readonly kind: 'token' | 'encrypted' | 'vault'; readonly text: string };

export type WantedPayment = {
  readonly round: string;
  readonly operation: string;
  readonly shop: Shop;
  readonly cardSource: CardSource;
  readonly amount: number;
  readonly installments: number;
  readonly split?: WantedSplit;
  readonly isCapturedLater?: boolean;
  readonly key?: string;
  /** The address for callbacks of the payment's end and later changes. */
  readonly callback?: string;
};

export type WantedStore = {
  readonly round: string;
  readonly shop: Shop;
  readonly cardSource: string;
  readonly holder: string;
  readonly isVerified?: boolean;
};
