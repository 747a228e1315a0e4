import { until } from '../../test/kit/service.ts';
import type { Answered } from '../log.ts';
import { callGateway } from '../merchant-client.ts';
import { wait } from '../operations/operation.ts';
import type { Door } from './restored-till.ts';

const KINDS = ['part', 'whole', 'removed', 'lost', 'paidLost'] as const;
const OF_EACH = 3;
const CENTS = 14_990;
const PART = 4_000;
const CLIENT = 'parcela';
const END_MILLISECONDS = 120_000;

/** A charge by Pix, and what becomes of it in the lost time. */
type Sale = {
  readonly kind: (typeof KINDS)[number];
  readonly order: string;
  /** Null: it was not answered. */
  made: { readonly paymentId: string; readonly txid: string } | null;
  /** Whether what was asked for in the lost time was answered 200 or 202. */
  isTold: boolean;
};

/** A merchant who charges by Pix, gives back, takes away, and sends all of it again after the restore. */
export class PixTill {
  readonly #sales: Sale[];
  readonly #bankUrl: string;

  constructor(bankUrl: string) {
    this.#bankUrl = bankUrl;
    this.#sales = KINDS.flatMap((kind) =>
      Array.from({ length: OF_EACH }, (_, at): Sale => {
        return { kind, order: `X-${kind}-${at}`, made: null, isTold: false };
      }),
    );
  }

  /** Of the time before the instant. */
  async begin(door: Door): Promise<void> {
    for (const sale of this.#of('part', 'whole', 'removed')) await this.#make(door, sale);
    for (const sale of this.#of('part', 'whole')) await this.#payAndSee(door, sale);
  }

  /** Over so long; what the kill cuts off was not told. */
  async change(door: Door, milliseconds: number): Promise<void> {
    const changed = this.#of('part', 'whole', 'removed', 'lost', 'paidLost');
    for (const sale of changed) {
      await wait(milliseconds / (changed.length + 2));
      if (sale.kind === 'lost' || sale.kind === 'paidLost') {
        await this.#make(door, sale);
        sale.isTold = sale.made !== null;
        if (sale.kind === 'paidLost' && sale.made !== null) await this.#pay(sale.made.txid);
      } else sale.isTold = isGood(await this.#cancel(door, sale));
    }
  }

  /** Gives what is wrong. */
  async sendAgain(door: Door): Promise<string[]> {
    const wrong: string[] = [];
    for (const sale of this.#sales) {
      const first = sale.made;
      if (first === null || !sale.isTold) continue;
      if (sale.kind === 'lost' || sale.kind === 'paidLost') {
        await this.#make(door, sale);
        if (sale.made?.paymentId !== first.paymentId) wrong.push(`charged again by Pix: ${sale.order}`);
        sale.made = first;
      } else {
        const { status } = await this.#cancel(door, sale);
        // What is taken away, or given back, whole is over.
        if (![200, 202, 409].includes(status ?? 0))
          wrong.push(`given back by Pix, and ${status} when it came again: ${sale.order}`);
      }
    }
    return wrong;
  }

  /** What was told holds, at the bank and here. */
  async judge(door: Door): Promise<string[]> {
    const arrived = await this.#ledger('pix');
    const charges = await this.#ledger('charges');
    const found: string[] = [];
    for (const { kind, order, made, isTold } of this.#sales) {
      if (made === null) continue;
      const givenBack = arrived
        .filter((one) => one.txid === made.txid)
        .reduce((sum, one) => sum + Number(one.givenBack), 0);
      const once = kind === 'part' ? PART : kind === 'whole' ? CENTS : 0;
      if (givenBack !== once && (isTold || givenBack !== 0))
        found.push(`gave back ${once} once by Pix, and ${givenBack} is given back: ${order}`);
      const state = charges.find((one) => one.txid === made.txid)?.status;
      if (kind === 'removed' && isTold && state !== 'REMOVIDA_PELO_USUARIO_RECEBEDOR')
        found.push(`taken away, and ${state} at the bank of Pix: ${order}`);
      if (kind === 'paidLost' && isTold && !(await this.#isSeen(door, made.paymentId, 'Paga')))
        found.push(`paid by Pix in the lost time, and not so here: ${order}`);
    }
    return found;
  }

  get line(): string {
    const told = this.#sales.filter(({ isTold }) => isTold).length;
    return `${told} devolutions, removals and charges by Pix were told in the lost time`;
  }

  #of(...kinds: readonly Sale['kind'][]): Sale[] {
    return this.#sales.filter(({ kind }) => kinds.includes(kind));
  }

  async #make({ url, token }: Door, sale: Sale): Promise<void> {
    const body = { amount: CENTS, expiresInSeconds: 86_400, referenceTransaction: sale.order };
    const answer = await callGateway(url, '/v1/payments/pix', { token, body, key: `make-${sale.order}` });
    sale.made = answer.status === 200 ? (answer.body as Sale['made']) : null;
  }

  #cancel({ url, token }: Door, { kind, made, order }: Sale): Promise<Answered> {
    const body = kind === 'part' ? { amount: PART } : {};
    const path = `/v1/payments/${made?.paymentId}/cancel`;
    return callGateway(url, path, { token, body, key: `cancel-${order}` });
  }

  async #payAndSee(door: Door, { made, order }: Sale): Promise<void> {
    if (made === null) throw new Error(`no charge by Pix was made: ${order}`);
    await this.#pay(made.txid);
    await until(`${order} is paid`, () => this.#isSeen(door, made.paymentId, 'Paga'), END_MILLISECONDS);
  }

  async #pay(txid: string): Promise<void> {
    const paid = await fetch(new URL('/simulator/payments', this.#bankUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId: CLIENT, txid }),
    });
    if (paid.status !== 201) throw new Error(`the payer's bank answered ${paid.status}`);
  }

  async #isSeen({ url, token }: Door, paymentId: string, as: string): Promise<boolean> {
    const { status, body } = await callGateway(url, `/v1/payments/${paymentId}`, { token });
    return status === 200 && (body as { statusDescription: string }).statusDescription === as;
  }

  async #ledger(what: 'charges' | 'pix'): Promise<Record<string, unknown>[]> {
    const reply = await fetch(new URL(`/simulator/ledger/${what}?clientId=${CLIENT}`, this.#bankUrl));
    return ((await reply.json()) as { items: Record<string, unknown>[] }).items;
  }
}

const isGood = ({ status }: Answered) => status === 200 || status === 202;
