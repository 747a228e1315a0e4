import type { ChaosBench, Shop } from '../chaos-bench.ts';
import type { Gateway } from '../gateways.ts';
import { type Answered, NEVER_SENT } from '../log.ts';
import { callGateway } from '../merchant-client.ts';

/** What a client wrote down about one boleto. */
export type BoletoEntry = {
  readonly round: string;
  readonly operation: string;
  readonly shop: Shop;
  /** Of its own, so that its row is found. */
  readonly reference: string;
  readonly amount: number;
  readonly dueOn: string;
  readonly key: string | null;
  /** Answers to the request to issue, in their order; without a key one. */
  readonly answers: Answered[];
  readonly cancels: Answered[];
  /** Of the due day, each with the day that was asked for. */
  readonly changes: (Answered & { readonly dueOn: string })[];
};

const DAY_MILLISECONDS = 86_400_000;
const TOKEN_MILLISECONDS = 20 * 60_000;

export function inDays(days: number): string {
  return new Date(Date.now() + days * DAY_MILLISECONDS).toISOString().slice(0, 10);
}

/** Merchants' systems: every call is written down. */
export class BoletoDesk {
  readonly bench: ChaosBench;
  readonly entries: BoletoEntry[] = [];
  readonly #tokens = new Map<string, { readonly token: string; readonly at: number }>();

  constructor(bench: ChaosBench) {
    this.bench = bench;
  }

  note(entry: Omit<BoletoEntry, 'reference' | 'answers' | 'cancels' | 'changes'>): BoletoEntry {
    const reference = `${entry.round}.${this.entries.length + 1}`;
    const noted = { ...entry, reference, answers: [], cancels: [], changes: [] };
    this.entries.push(noted);
    return noted;
  }

  async issue(gateway: Gateway, entry: BoletoEntry): Promise<Answered> {
    const { shop, key, amount, dueOn, reference } = entry;
    const path = `/api/billissuer/new?accountNumber=${shop.accountNumber}`;
    const body = {
      value: amount / 100,
      dueDate: dueOn,
      referenceTransaction: reference,
      payer: PAYER,
      fine: { percent: 2 },
      interest: { percentPerMonth: 1 },
    };
    const answered = await this.#call(gateway, shop, path, { body, key });
    entry.answers.push(answered);
    return answered;
  }

  async cancel(gateway: Gateway, entry: BoletoEntry, boletoId: string): Promise<Answered> {
    const path = `/api/billissuer/${boletoId}/cancel`;
    const answered = await this.#call(gateway, entry.shop, path, { method: 'POST' });
    entry.cancels.push(answered);
    return answered;
  }

  async changeDay(gateway: Gateway, entry: BoletoEntry, boletoId: string, dueOn: string): Promise<Answered> {
    const path = `/api/billissuer/${boletoId}/due-date`;
    const answered = await this.#call(gateway, entry.shop, path, { body: { dueDate: dueOn } });
    entry.changes.push({ ...answered, dueOn });
    return answered;
  }

  /** Logged in before a fault strikes, so that the call meets it. Throws when that is denied. */
  async login(gateway: Gateway, { merchantId, integration }: Shop): Promise<string> {
    const known = this.#tokens.get(merchantId);
    if (known !== undefined && performance.now() - known.at < TOKEN_MILLISECONDS) return known.token;
    const path = '/api/authentication/login';
    const { status, body } = await callGateway(gateway.integrationUrl, path, { body: integration });
    if (status !== 200) throw new Error(`the login was answered ${status}`);
    const { accessToken: token } = body as { accessToken: string };
    this.#tokens.set(merchantId, { token, at: performance.now() });
    return token;
  }

  async #call(gateway: Gateway, shop: Shop, path: string, options: object): Promise<Answered> {
    const token = await this.login(gateway, shop).catch(() => null);
    if (token === null) return NEVER_SENT;
    return callGateway(gateway.integrationUrl, path, { token, ...options });
  }
}

export const PAYER = {
  name: 'Ana Souza',
  documentNumber: '52998224725',
  address: {
    street: 'Rua das Flores',
    number: '100',
    district: 'Centro',
    city: 'São Paulo',
    state: 'SP',
    zipCode: '01001000',
  },
};

const desks = new WeakMap<ChaosBench, BoletoDesk>();

export function deskOf(bench: ChaosBench): BoletoDesk {
  return desks.getOrInsertComputed(bench, () => new BoletoDesk(bench));
}

/** Of the last answer that names one. */
export function boletoIdOf({ answers }: BoletoEntry): string | null {
  const found = answers.findLast(({ status }) => status === 200 || status === 202);
  return (found?.body as { id?: string } | undefined)?.id ?? null;
}
