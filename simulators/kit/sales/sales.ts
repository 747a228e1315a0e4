import {
  applyToPart,
  isPaid,
  type Part,
  stateAfter,
  type Taken,
  takeFromLast,
} from '../cards/installments.ts';
import { type Payout, payoutOf } from '../cards/payout.ts';
import type { CardCount } from '../cards/trigger-cards.ts';
import { DueLine } from '../due-line.ts';
import { ContradictoryEntry } from '../ledger.ts';
import type {
  CaptureEntry,
  ChangeEntry,
  DecisionEntry,
  Entry,
  RefundEntry,
  ResolutionEntry,
  SaleEntry,
} from './entries.ts';
import { charge, newSale, type Refund, restOf, type Sale, viewOf } from './sale.ts';

/** Something that an acquirer's papers tell of a sale after it was sold. */
export type Happening = {
  readonly kind: 'payout' | 'cancel' | 'chargeback';
  readonly sale: Sale;
  readonly at: number;
  /** Null: of the sale as a whole. */
  readonly installmentNumber: number | null;
  readonly amount: number;
  readonly payout: Payout | null;
  readonly taken: readonly Taken[];
};

/** What happens by itself. */
export type Due =
  | { readonly kind: 'settlement'; readonly sale: Sale; readonly installmentNumber: number }
  | { readonly kind: 'decision'; readonly sale: Sale; readonly refund: Refund }
  | { readonly kind: 'resolution' | 'lapse'; readonly sale: Sale };

const DAY_MILLISECONDS = 86_400_000;
/** Installment n is settled n times 30 days after the capture. */
const SETTLED_AFTER_MILLISECONDS = 30 * DAY_MILLISECONDS;
/** A hold ends when it was not captured for so long. */
const HELD_MILLISECONDS = 15 * DAY_MILLISECONDS;

/** All that an acquirer knows of its sales, made of its ledger's entries in their order. */
export class Sales {
  readonly inOrder: Sale[] = [];
  lastAt = 0;
  lastNsu = 0;
  /** By how much the acquirer's clock was put forward. */
  aheadMilliseconds = 0;
  readonly #byId = new Map<string, Sale>();
  readonly #byReference = new Map<string, Sale[]>();
  readonly #happenings = new Map<string, Happening[]>();
  readonly #due = new DueLine<Due>();
  readonly #cardCounts = new Map<string, CardCount>();

  sale(merchantId: string, id: string): Sale | undefined {
    const sale = this.#byId.get(id);
    return sale?.merchantId === merchantId ? sale : undefined;
  }

  byId(id: string): Sale | undefined {
    return this.#byId.get(id);
  }

  /** The oldest first. */
  ofReference(merchantId: string, reference: string): readonly Sale[] {
    return this.#byReference.get(keyOf(merchantId, reference)) ?? [];
  }

  /** Of all the merchant's sales with a trigger card, whatever became of them. */
  cardCount(merchantId: string, triggerCard: string): CardCount {
    return this.#cardCounts.get(keyOf(merchantId, triggerCard)) ?? { approved: 0, declined: 0 };
  }

  happeningsOf(merchantId: string): readonly Happening[] {
    return this.#happenings.get(merchantId) ?? [];
  }

  apply(entry: Entry): void {
    this.lastAt = Math.max(this.lastAt, entry.at);
    if (entry.type === 'clock') {
      this.aheadMilliseconds = entry.aheadMilliseconds;
      return;
    }
    if (entry.type === 'sale') {
      this.#sell(entry);
      return;
    }
    const sale = this.#byId.get(entry.id);
    if (sale === undefined) throw new ContradictoryEntry(`no sale is called ${entry.id}`);
    this.#happen(sale, entry);
    sale.views.push(viewOf(sale, 'happenedAt' in entry ? entry.happenedAt : entry.at));
  }

  /** The earliest that happens by itself up to the instant; null: nothing does. */
  nextDue(until: number): { readonly at: number; readonly due: Due } | null {
    while (this.#due.first !== undefined && this.#due.first.at <= until) {
      const { at, item } = this.#due.first;
      if (isStillDue(item)) return { at, due: item };
      this.#due.pop();
    }
    return null;
  }

  #sell(entry: SaleEntry): void {
    if (this.#byId.has(entry.id)) throw new ContradictoryEntry(`${entry.id} is sold twice`);
    if (entry.nsu <= this.lastNsu) throw new ContradictoryEntry('the NSU does not rise');
    this.lastNsu = entry.nsu;
    const sale = newSale(entry);
    this.#byId.set(sale.id, sale);
    this.inOrder.push(sale);
    const key = keyOf(sale.merchantId, sale.reference);
    this.#byReference.set(key, [...(this.#byReference.get(key) ?? []), sale]);
    sale.views.push(viewOf(sale, sale.at));
    const { triggerCard } = sale.card;
    if (triggerCard !== null && sale.amount > 0) {
      const count = { ...this.cardCount(sale.merchantId, triggerCard) };
      count[sale.decision.outcome] += 1;
      this.#cardCounts.set(keyOf(sale.merchantId, triggerCard), count);
    }
    if (sale.doubt !== null) this.#expect(sale.doubt.decidesAt, { kind: 'resolution', sale });
    this.#expectMore(sale);
  }

  #happen(sale: Sale, entry: Exclude<Entry, SaleEntry | { type: 'clock' }>): void {
    switch (entry.type) {
      case 'capture':
        this.#capture(sale, entry);
        return;
      case 'refund':
        this.#refund(sale, entry);
        return;
      case 'decision':
        this.#decide(sale, entry);
        return;
      case 'resolution':
        this.#resolve(sale, entry);
        return;
      case 'lapse':
        sale.state = 'lapsed';
        return;
      case 'change':
        this.#change(sale, entry);
        return;
    }
  }

  #capture(sale: Sale, { amount, at }: CaptureEntry): void {
    if (sale.state !== 'authorized' || amount > sale.amount)
      throw new ContradictoryEntry('more is captured than is held');
    charge(sale, amount, at);
    this.#expectMore(sale);
  }

  #refund(sale: Sale, { refundId, amount, pending, at }: RefundEntry): void {
    if (amount > restOf(sale)) throw new ContradictoryEntry('more is given back than was left');
    const told = {
      refundId,
      amount,
      at,
      decidesAt: pending?.decidesAt ?? at,
      fails: pending?.fails ?? false,
    };
    const refund: Refund = { ...told, status: pending === null ? 'done' : 'pending' };
    sale.refunds.push(refund);
    if (pending === null) this.#giveBack(sale, amount, at);
    else {
      sale.pendingAmount += amount;
      this.#expect(pending.decidesAt, { kind: 'decision', sale, refund });
    }
  }

  #decide(sale: Sale, { refundId, outcome, happenedAt }: DecisionEntry): void {
    const refund = sale.refunds.find((one) => one.refundId === refundId);
    if (refund?.status !== 'pending') throw new ContradictoryEntry('no such refund is pending');
    refund.status = outcome;
    sale.pendingAmount -= refund.amount;
    if (outcome === 'done') this.#giveBack(sale, refund.amount, happenedAt);
  }

  #giveBack(sale: Sale, amount: number, at: number): void {
    const isHeld = sale.state === 'authorized';
    sale.refundedAmount += amount;
    sale.refundedAt = at;
    if (isHeld) {
      sale.state = 'voided';
      return;
    }
    const taken = takeFromLast(sale.parts ?? [], amount);
    this.#tell({ kind: 'cancel', sale, at, installmentNumber: null, amount, payout: null, taken });
    if (sale.refundedAmount === sale.capturedAmount) sale.state = 'refunded';
  }

  #resolve(sale: Sale, { outcome, happenedAt }: ResolutionEntry): void {
    if (sale.state !== 'doubtful') throw new ContradictoryEntry('nothing is in doubt');
    if (outcome === 'denied') sale.state = 'declined';
    else if (outcome === 'voided') {
      sale.state = 'voided';
      sale.refundedAmount = sale.amount;
      sale.refundedAt = happenedAt;
    } else if (sale.isCaptured) charge(sale, sale.amount, happenedAt);
    else sale.state = 'authorized';
    this.#expectMore(sale);
  }

  #change(sale: Sale, entry: ChangeEntry): void {
    const { change: type, installmentNumber, amount, anticipationFee, happenedAt } = entry;
    const part = partOf(sale, installmentNumber);
    const next = part === null ? null : stateAfter(part, type, amount);
    if (part === null || next === null) throw new ContradictoryEntry('the change cannot happen');
    const wasPaid = isPaid(part);
    const given = applyToPart(part, { type, amount, happenedAt }, next);
    const told = { sale, at: happenedAt, installmentNumber };
    if (type === 'settled') {
      const payout = payoutOf(sale, part.rest, anticipationFee);
      this.#tell({ kind: 'payout', ...told, amount: part.rest, payout, taken: [] });
      return;
    }
    sale.chargedBackAmount += given;
    const taken = [{ installmentNumber, amount: given, left: part.rest, wasPaid }];
    this.#tell({ kind: 'chargeback', ...told, amount: given, payout: null, taken });
  }

  #tell(happening: Happening): void {
    const { merchantId } = happening.sale;
    const known = this.#happenings.get(merchantId) ?? [];
    this.#happenings.set(merchantId, known);
    known.push(happening);
  }

  #expectMore(sale: Sale): void {
    if (sale.state === 'authorized') this.#expect(sale.at + HELD_MILLISECONDS, { kind: 'lapse', sale });
    if (sale.capturedAt === null) return;
    for (let number = 1; number <= sale.installments; number += 1) {
      const at = sale.capturedAt + number * SETTLED_AFTER_MILLISECONDS;
      this.#expect(at, { kind: 'settlement', sale, installmentNumber: number });
    }
  }

  #expect(at: number, due: Due): void {
    this.#due.push({ at, name: due.sale.id, item: due });
  }
}

/** Null: there is no such installment, or nothing of it is charged. */
export function partOf(sale: Sale, installmentNumber: number): Part | null {
  return sale.state === 'captured' ? (sale.parts?.[installmentNumber - 1] ?? null) : null;
}

function isStillDue(due: Due): boolean {
  switch (due.kind) {
    case 'lapse':
      return due.sale.state === 'authorized';
    case 'resolution':
      return due.sale.state === 'doubtful';
    case 'decision':
      return due.refund.status === 'pending';
    case 'settlement': {
      const part = partOf(due.sale, due.installmentNumber);
      return part !== null && part.state === 'open' && part.rest > 0;
    }
  }
}

/** No merchant's number has a blank, so that no two pairs share a key. */
function keyOf(merchantId: string, reference: string): string {
  return `${merchantId} ${reference}`;
}
