import type { Brand } from '../cards/decline-codes.ts';
import { stateAfter } from '../cards/installments.ts';
import { payoutOf } from '../cards/payout.ts';
import { triggerCardOf } from '../cards/trigger-cards.ts';
import type { Ledger } from '../ledger.ts';
import { type Behaviour, declineOfTriggerCard } from './behaviour.ts';
import {
  type CardOnPaper,
  type ChangeEntry,
  type Decision,
  type Doubt,
  type Entry,
  lineOf,
  type RefundEntry,
} from './entries.ts';
import { liveAmountOf, type Refund, type Sale } from './sale.ts';
import { type Due, partOf, type Sales } from './sales.ts';
import type { Step } from './script-step.ts';
import type { Scripts } from './scripts.ts';

export type Order = {
  /** The acquirer's own; null: by the day and the NSU. */
  readonly id: (nsu: number, at: number) => string;
  readonly merchantId: string;
  readonly reference: string;
  readonly amount: number;
  readonly installments: number;
  readonly isCaptured: boolean;
  readonly card: CardOnPaper;
  readonly decline: Behaviour['decline'];
  readonly doubt: (Pick<Doubt, 'status' | 'becomes'> & { readonly afterMilliseconds: number }) | null;
  readonly feePortion: number;
  readonly notes: Readonly<Record<string, string>>;
};

const SIXTH_POWER = 36 ** 6;

/**
 * Where an acquirer's sales are kept. Every decision is made, written to the ledger and applied in one turn
 * of the event loop; every answer waits until all that it rests on is on the disk.
 */
export class SalesHouse {
  readonly sales: Sales;
  readonly scripts: Scripts;
  readonly #ledger: Ledger;
  readonly #clock: () => number;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(sales: Sales, ledger: Ledger, scripts: Scripts, clock: () => number) {
    this.sales = sales;
    this.scripts = scripts;
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /** By the acquirer's clock, which never goes back. */
  get now(): number {
    return Math.max(this.#clock() + this.sales.aheadMilliseconds, this.sales.lastAt);
  }

  afterDurable(act: () => void): void {
    this.#ledger.afterDurable(act);
  }

  /** Acts when the request has travelled as long as its step says, also when its asker is gone. */
  later(milliseconds: number, act: () => void): void {
    if (milliseconds === 0) {
      act();
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, milliseconds);
    this.#timers.add(timer);
  }

  /** What still travels never arrives. */
  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** Books all that has happened by itself by now. */
  advance(): void {
    const now = this.now;
    for (let next = this.sales.nextDue(now); next !== null; next = this.sales.nextDue(now)) {
      this.#book(entryOfDue(next.due, now, next.at));
    }
  }

  putForward(milliseconds: number): void {
    const aheadMilliseconds = this.sales.aheadMilliseconds + milliseconds;
    this.#book({ type: 'clock', at: this.now + milliseconds, id: 'clock', aheadMilliseconds });
    this.advance();
  }

  /** What a trigger card answers the merchant next; null approves. Any other card: undefined. */
  declineOfCard(merchantId: string, number: string, isCheck: boolean): Behaviour['decline'] | undefined {
    return declineOfTriggerCard(number, (name) => this.sales.cardCount(merchantId, name), isCheck);
  }

  sell(order: Order): Sale {
    const { id: idOf, decline, doubt, ...sold } = order;
    const [nsu, at] = [this.sales.lastNsu + 1, this.now];
    const id = idOf(nsu, at);
    const decidesAt = at + (doubt?.afterMilliseconds ?? 0);
    this.#book({
      ...{ type: 'sale', at, id, ...sold, nsu, decision: decisionOf(decline, nsu) },
      doubt: doubt === null ? null : { status: doubt.status, becomes: doubt.becomes, decidesAt },
    });
    return this.#known(id);
  }

  capture({ id }: Sale, amount: number): void {
    this.#book({ type: 'capture', at: this.now, id, amount });
  }

  refund({ id }: Sale, amount: number, pending: Step['pending']): Refund {
    const at = this.now;
    const refundId = `r${id.replaceAll('-', '').slice(-20)}${String(this.#known(id).refunds.length + 1).padStart(2, '0')}`;
    const decided: RefundEntry['pending'] =
      pending === null ? null : { decidesAt: at + pending.afterMilliseconds, fails: pending.fails };
    this.#book({ type: 'refund', at, id, refundId, amount, pending: decided });
    return this.#known(id).refunds.at(-1) as Refund;
  }

  /** False: it cannot happen as things are. */
  change(sale: Sale, change: Omit<ChangeEntry, 'type' | 'at' | 'id' | 'happenedAt'>): boolean {
    const part = partOf(sale, change.installmentNumber);
    if (part === null || stateAfter(part, change.change, change.amount) === null) return false;
    if (change.change === 'settled' && payoutOf(sale, part.rest, change.anticipationFee).net < 0)
      return false;
    const at = this.now;
    this.#book({ type: 'change', at, id: sale.id, happenedAt: at, ...change });
    return true;
  }

  #known(id: string): Sale {
    const sale = this.sales.byId(id);
    if (sale === undefined) throw new Error('the sale was not booked');
    return sale;
  }

  #book(entry: Entry): void {
    // Applied first: what contradicts the books is a mistake of this program, and must not reach the file.
    this.sales.apply(entry);
    this.#ledger.append(lineOf(entry));
  }
}

function entryOfDue(due: Due, at: number, happenedAt: number): Entry {
  const happened = { at, id: due.sale.id, happenedAt };
  switch (due.kind) {
    case 'lapse':
      return { type: 'lapse', ...happened };
    case 'resolution':
      return { type: 'resolution', ...happened, outcome: due.sale.doubt?.becomes ?? 'voided' };
    case 'decision': {
      const { refundId, fails, amount: wanted } = due.refund;
      // A chargeback may have taken meanwhile what it would give back.
      const isLeft = wanted <= liveAmountOf(due.sale);
      return { type: 'decision', ...happened, refundId, outcome: isLeft && !fails ? 'done' : 'failed' };
    }
    case 'settlement': {
      const { installmentNumber } = due;
      const settled = { change: 'settled', installmentNumber, amount: null, anticipationFee: null } as const;
      return { type: 'change', ...happened, ...settled };
    }
  }
}

/** What the network calls the transaction. */
export function networkIdOf(nsu: number): string {
  return String(300_000_000_000_000 + nsu);
}

function decisionOf(decline: Behaviour['decline'], nsu: number): Decision {
  if (decline !== null) return { outcome: 'declined', ...decline };
  return {
    outcome: 'approved',
    // Looks like chance, and does not repeat: the factor shares no divisor with 36⁶.
    authorizationCode: (((nsu % SIXTH_POWER) * 3_999_971) % SIXTH_POWER)
      .toString(36)
      .toUpperCase()
      .padStart(6, '0'),
    networkTransactionId: networkIdOf(nsu),
  };
}

const BRAND_PATTERNS: readonly (readonly [Brand, RegExp])[] = [
  [
    'elo',
    /^(401178|401179|438935|451416|457631|457632|504175|5067|5090|627780|636297|636368|65003|6516|6550)/,
  ],
  ['hipercard', /^(606282|384100|384140|384160)/],
  ['amex', /^3[47]/],
  ['mastercard', /^(5[1-5]|2[2-7])/],
];

/** Of a number without its brand: the first that it begins like, else Visa. */
export function brandOfNumber(number: string): Brand {
  return BRAND_PATTERNS.find(([, pattern]) => pattern.test(number))?.[0] ?? 'visa';
}

export function cardOnPaper(
  card: { readonly number: string; readonly brand: Brand } & Pick<CardOnPaper, 'expiration' | 'holder'>,
): CardOnPaper {
  const { number, ...rest } = card;
  const triggerCard = triggerCardOf(number)?.name ?? null;
  return { ...rest, firstSix: number.slice(0, 6), lastFour: number.slice(-4), triggerCard };
}
