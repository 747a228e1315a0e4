import type { ChaosBench, Shop } from '../chaos-bench.ts';
import type { Gateway } from '../gateways.ts';
import { type Answered, isAboutKey, NEVER_SENT } from '../log.ts';
import { callGateway, type Till } from '../merchant-client.ts';

/** What a merchant wished to take away or to have given back, and what it was answered, in order. */
export type WantedBack = {
  /** Cents; null: all that is left. */
  readonly amount: number | null;
  /** Null: what paid it. */
  readonly endToEndId: string | null;
  readonly key: string | null;
  readonly answers: Answered[];
};

/** What a merchant wrote down about one Pix. */
export type PixEntry = {
  readonly round: string;
  readonly operation: string;
  readonly shop: Shop;
  /** Of its own, so that its row is found. */
  readonly reference: string;
  readonly amount: number;
  readonly key: string | null;
  /** The address for callbacks. */
  readonly callback: string | null;
  readonly answers: Answered[];
  readonly backs: WantedBack[];
};

/** A Pix as `GET /v1/payments/{id}` shows it. */
export type ShownPix = {
  readonly paymentId: string;
  readonly txid: string;
  readonly pixEmv: string | null;
  readonly statusDescription: string;
  readonly value: number;
  readonly paidAmount: number | null;
  readonly canceledAmount: number;
  readonly cancelingAmount: number;
  readonly payments: readonly {
    readonly endToEndId: string;
    readonly amount: number;
    readonly kind: string;
    readonly state: string;
    readonly canceledAmount: number;
    readonly exceptionId: string | null;
  }[];
  readonly cancels: readonly {
    readonly endToEndId: string;
    readonly amount: number;
    readonly status: string;
  }[];
};

/** Merchants' systems: every call is written down. */
export class PixDesk {
  readonly till: Till;
  readonly entries: PixEntry[] = [];

  constructor(till: Till) {
    this.till = till;
  }

  note(entry: Omit<PixEntry, 'reference' | 'answers' | 'backs'>): PixEntry {
    const reference = `${entry.round}.${this.entries.length + 1}`;
    const noted = { ...entry, reference, answers: [], backs: [] };
    this.entries.push(noted);
    return noted;
  }

  async issue(gateway: Gateway, entry: PixEntry): Promise<Answered> {
    const { shop, key, amount, reference, callback } = entry;
    const body = {
      ...{ amount, expiresInSeconds: 3_600, referenceTransaction: reference },
      payer: { name: 'Ana Souza', documentNumber: '52998224725' },
      ...(callback === null ? {} : { urlCallBack: callback }),
    };
    const answered = await this.#call(gateway, shop, '/v1/payments/pix', { body, key });
    entry.answers.push(answered);
    return answered;
  }

  wantBack(entry: PixEntry, wanted: Omit<WantedBack, 'answers'>): WantedBack {
    const noted = { ...wanted, answers: [] };
    entry.backs.push(noted);
    return noted;
  }

  async cancel(gateway: Gateway, entry: PixEntry, paymentId: string, back: WantedBack): Promise<Answered> {
    const { amount, endToEndId, key } = back;
    const body = {
      ...(amount === null ? {} : { amount }),
      ...(endToEndId === null ? {} : { endToEndId }),
    };
    const answered = await this.#call(gateway, entry.shop, `/v1/payments/${paymentId}/cancel`, { body, key });
    back.answers.push(answered);
    return answered;
  }

  /** Null when it did not answer 200. */
  async read(gateway: Gateway, { shop }: PixEntry, paymentId: string): Promise<ShownPix | null> {
    const { status, body } = await this.#call(gateway, shop, `/v1/payments/${paymentId}`, {});
    if (status !== 200 && status !== 404) throw new Error(`${paymentId} was answered ${status}`);
    return status === 200 ? (body as ShownPix) : null;
  }

  async #call(gateway: Gateway, shop: Shop, path: string, options: object): Promise<Answered> {
    const token = await this.till.login(shop, gateway).catch(() => null);
    if (token === null) return NEVER_SENT;
    return callGateway(gateway.url, path, { token, ...options });
  }
}

const desks = new WeakMap<ChaosBench, PixDesk>();

export function deskOf(till: Till): PixDesk {
  return desks.getOrInsertComputed(till.bench, () => new PixDesk(till));
}

/** Of the last answer that names one. */
export function paymentIdIn({ answers }: PixEntry): string | null {
  const found = answers.findLast(({ status }) => status === 200 || status === 202);
  return (found?.body as { paymentId?: string } | undefined)?.paymentId ?? null;
}

/** Nothing more is to be had by sending it again with its key. */
export function isFinal(answered: Answered): boolean {
  const { status, retryAfterSeconds } = answered;
  if (status === null || status >= 500 || retryAfterSeconds !== undefined) return false;
  return !isAboutKey(answered);
}
