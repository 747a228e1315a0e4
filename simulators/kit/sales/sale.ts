import { newParts, type Part } from '../cards/installments.ts';
import { saoPauloDayOf } from '../days.ts';
import type { RefundEntry, SaleEntry } from './entries.ts';

/** `doubtful`: the acquirer does not know yet; `lapsed`: held, and never captured. */
export type SaleState =
  | 'doubtful'
  | 'declined'
  | 'checked'
  | 'authorized'
  | 'captured'
  | 'voided'
  | 'refunded'
  | 'lapsed';

export type Refund = Pick<RefundEntry, 'refundId' | 'amount' | 'at'> & {
  status: 'pending' | 'done' | 'failed';
  /** When it was made, or will be. */
  decidesAt: number;
  readonly fails: boolean;
};

/** What changes of a sale, as it was from an instant on. */
export type SaleView = {
  readonly at: number;
  readonly state: SaleState;
  readonly capturedAmount: number;
  readonly capturedAt: number | null;
  /** Given back, or let go. */
  readonly refundedAmount: number;
  readonly refundedAt: number | null;
};

export type Sale = Omit<SaleEntry, 'type'> & {
  state: SaleState;
  capturedAmount: number;
  capturedAt: number | null;
  readonly refunds: Refund[];
  refundedAmount: number;
  refundedAt: number | null;
  /** Held by refunds that are pending. */
  pendingAmount: number;
  chargedBackAmount: number;
  /** Its installments; null while nothing was captured. */
  parts: Part[] | null;
  /** From the oldest to what it is now. */
  readonly views: SaleView[];
};

export function newSale({ type: _type, ...entry }: SaleEntry): Sale {
  const sale: Sale = {
    ...entry,
    state: entry.doubt === null ? stateOf(entry) : 'doubtful',
    ...{ capturedAmount: 0, capturedAt: null, refunds: [], refundedAmount: 0, refundedAt: null },
    ...{ pendingAmount: 0, chargedBackAmount: 0, parts: null, views: [] },
  };
  if (sale.state === 'captured') charge(sale, entry.amount, entry.at);
  return sale;
}

/** What its network decided. */
function stateOf({ decision, amount, isCaptured }: Omit<SaleEntry, 'type'>): SaleState {
  if (decision.outcome === 'declined') return 'declined';
  if (amount === 0) return 'checked';
  return isCaptured ? 'captured' : 'authorized';
}

/** From here on the cardholder pays. */
export function charge(sale: Sale, amount: number, at: number): void {
  sale.state = 'captured';
  sale.capturedAmount = amount;
  sale.capturedAt = at;
  sale.parts = newParts(amount, sale.installments);
}

export function viewOf(sale: Sale, at: number): SaleView {
  const { state, capturedAmount, capturedAt, refundedAmount, refundedAt } = sale;
  return { at, state, capturedAmount, capturedAt, refundedAmount, refundedAt };
}

/** As a reader sees it who is behind by some time; null: not yet. */
export function viewAt(sale: Sale, at: number): SaleView | null {
  return sale.views.findLast((view) => view.at <= at) ?? null;
}

/** What can still be given back, or let go. */
export function restOf(sale: Sale): number {
  if (sale.state === 'authorized') return sale.amount;
  if (sale.state !== 'captured') return 0;
  return sale.capturedAmount - sale.refundedAmount - sale.pendingAmount - sale.chargedBackAmount;
}

/** What the cardholder pays as things are, or would if it were captured. */
export function liveAmountOf(sale: Sale): number {
  if (sale.state === 'captured') return sale.capturedAmount - sale.refundedAmount - sale.chargedBackAmount;
  const mayBecomeLive = sale.state === 'doubtful' && sale.decision.outcome === 'approved';
  return sale.state === 'authorized' || mayBecomeLive ? sale.amount : 0;
}

/**
 * What names a sale on the acquirer's papers, twenty digits: a nine, the day without its century, its NSU.
 * The simulator behind the bridge begins with the century: no two acquirers give one TID.
 */
export function tidOf({ at, nsu }: Pick<Sale, 'at' | 'nsu'>): string {
  return `9${saoPauloDayOf(at).replaceAll('-', '').slice(2)}${String(nsu).padStart(13, '0').slice(-13)}`;
}
