import {
  applyToPart,
  type ChangeType,
  isPaid,
  newParts,
  type Part,
  stateAfter,
  takeFromLast,
} from '../kit/cards/installments.ts';
import { payoutOf } from '../kit/cards/payout.ts';
import type { CardCount } from '../kit/cards/trigger-cards.ts';
import { ContradictoryEntry } from '../kit/ledger.ts';
import type { BookedCancellation, BookedCapture, Change, Charge, ChargeStatus } from './charge.ts';
import { noteRequest } from './charge.ts';
import { type Due, DueSettlements } from './due-settlements.ts';
import {
  type AuthorizationEntry,
  type CancellationEntry,
  type CaptureEntry,
  type ChangeEntry,
  cardMarkOf,
  type Decision,
  type DecisionEntry,
  type Entry,
  type UndoEntry,
  type VerificationEntry,
} from './entries.ts';
import { type DueDecision, firstOf, restOf } from './pending.ts';
import type { Summary } from './summary.ts';

export type { BookedCancellation, BookedCapture, Change, Charge, ChargeStatus } from './charge.ts';

type MerchantBook = {
  readonly charges: Map<string, Charge>;
  readonly inOrder: Charge[];
  readonly verifications: Map<string, Charge>;
  readonly tombstones: Set<string>;
  readonly cancellations: Map<string, BookedCancellation>;
  readonly captures: Map<string, BookedCapture>;
  readonly cardCounts: Map<string, CardCount>;
  readonly changes: Change[];
  readonly due: DueSettlements;
  /** By cancellation reference. */
  readonly pending: Map<string, DueDecision>;
};

/**
 * What the ledger's lines amount to. The same function applies a line when it is written and when
 * it is read back after a start, so that a restart cannot change an answer.
 */
export class Charges {
  readonly summary: Summary = {
    preauthorized: 0,
    approved: 0,
    declined: 0,
    undone: 0,
    canceled: 0,
    tombstones: 0,
    approvedCents: 0,
  };
  readonly inOrder: Charge[] = [];
  readonly changes: Change[] = [];
  lastNsu = 0;
  /**
   * When the last entry was made: time in the ledger never goes back, whatever the machine's clock
   * does.
   */
  lastAt = 0;
  #lines = 0;
  readonly #merchants = new Map<string, MerchantBook>();

  apply(entry: Entry): void {
    this.#lines += 1;
    this.lastAt = Math.max(this.lastAt, entry.at);
    const book = this.#bookOf(entry.merchantId);
    this.#applyTo(book, entry);
    noteRequest(book.charges.get(entry.reference), entry);
  }

  #applyTo(book: MerchantBook, entry: Entry): void {
    switch (entry.type) {
      case 'authorization':
        this.#applyAuthorization(book, entry);
        break;
      case 'verification':
        this.#applyVerification(book, entry);
        break;
      case 'undo':
        this.#applyUndo(book, entry);
        break;
      case 'cancellation':
        this.#applyCancellation(book, entry);
        break;
      case 'capture':
        this.#applyCapture(book, entry);
        break;
      case 'decision':
        this.#applyDecision(book, entry);
        break;
      case 'change':
        this.#applyChange(book, entry);
        break;
    }
  }

  charge(merchantId: string, reference: string): Charge | undefined {
    return this.#merchants.get(merchantId)?.charges.get(reference);
  }

  verification(merchantId: string, reference: string): Charge | undefined {
    return this.#merchants.get(merchantId)?.verifications.get(reference);
  }

  /** Whether a void came for a reference under which nothing was booked. */
  hasTombstone(merchantId: string, reference: string): boolean {
    return this.#merchants.get(merchantId)?.tombstones.has(reference) ?? false;
  }

  cancellation(merchantId: string, cancellationReference: string): BookedCancellation | undefined {
    return this.#merchants.get(merchantId)?.cancellations.get(cancellationReference);
  }

  capture(merchantId: string, captureReference: string): BookedCapture | undefined {
    return this.#merchants.get(merchantId)?.captures.get(captureReference);
  }

  cardCount(merchantId: string, triggerCard: string): CardCount | undefined {
    return this.#merchants.get(merchantId)?.cardCounts.get(triggerCard);
  }

  /** The merchant's charges, oldest first. */
  ofMerchant(merchantId: string): readonly Charge[] {
    return this.#merchants.get(merchantId)?.inOrder ?? [];
  }

  /** What happened to the merchant's charges (to everybody's: null), in the order of the ledger. */
  changesOf(merchantId: string | null): readonly Change[] {
    return merchantId === null ? this.changes : (this.#merchants.get(merchantId)?.changes ?? []);
  }

  /**
   * The installment that is settled, or the cancellation that is decided first, of one merchant or
   * of all (null), up to the instant; null: nothing is due.
   */
  nextDue(merchantId: string | null, until: number): Due | DueDecision | null {
    const one = merchantId === null ? undefined : this.#merchants.get(merchantId);
    const books = merchantId === null ? this.#merchants.values() : one === undefined ? [] : [one];
    let first: Due | DueDecision | null = null;
    for (const { due, pending } of books) {
      const candidate = firstOf(due.firstUntil(until), pending, until);
      if (candidate !== null && (first === null || candidate.at < first.at)) first = candidate;
    }
    return first;
  }

  #applyAuthorization(book: MerchantBook, entry: AuthorizationEntry): void {
    const { reference, decision, card, amount } = entry;
    if (book.charges.has(reference)) throw new ContradictoryEntry('the reference is booked already');
    if (book.tombstones.has(reference)) throw new ContradictoryEntry('the reference was undone');
    const charge = chargeOf(entry, entry);
    book.charges.set(reference, charge);
    book.inOrder.push(charge);
    this.inOrder.push(charge);
    this.#countNsu(decision);
    this.summary[charge.status] += 1;
    if (charge.status === 'approved') {
      this.summary.approvedCents += amount;
      book.due.addCharge(charge);
    }
    if (card.triggerCard !== null) countCard(book, card.triggerCard, decision);
  }

  #applyVerification(book: MerchantBook, entry: VerificationEntry): void {
    if (book.verifications.has(entry.reference)) throw new ContradictoryEntry('the check is booked already');
    const nothing = { merchantReference: null, amount: 0, installments: 1, capture: 'atOnce' } as const;
    book.verifications.set(entry.reference, chargeOf(entry, { ...nothing, soldAt: entry.at }));
    this.#countNsu(entry.decision);
  }

  #applyUndo(book: MerchantBook, { reference }: UndoEntry): void {
    const charge = book.charges.get(reference);
    if (charge === undefined) {
      if (book.tombstones.has(reference))
        throw new ContradictoryEntry('the reference has a tombstone already');
      book.tombstones.add(reference);
      this.summary.tombstones += 1;
      return;
    }
    const given = charge.canceledAmount + charge.pendingAmount;
    if (!['preauthorized', 'approved'].includes(charge.status) || given > 0) {
      throw new ContradictoryEntry('only an approved charge without cancellations can be undone');
    }
    if (charge.status === 'approved') this.summary.approvedCents -= charge.amount;
    this.#move(charge, 'undone');
  }

  #applyCapture(book: MerchantBook, entry: CaptureEntry): void {
    const { captureReference, reference, amount, refusal, capturedAt } = entry;
    if (book.captures.has(captureReference)) throw new ContradictoryEntry('the capture is booked already');
    book.captures.set(captureReference, { reference, amount, refusal });
    if (refusal !== null) return;
    const charge = book.charges.get(reference);
    if (charge?.status !== 'preauthorized' || amount > charge.authorizedAmount) {
      throw new ContradictoryEntry('more is captured than is authorized');
    }
    charge.amount = amount;
    charge.soldAt = capturedAt;
    this.#move(charge, 'approved');
    this.summary.approvedCents += amount;
    book.due.addCharge(charge);
  }

  #applyCancellation(book: MerchantBook, entry: CancellationEntry): void {
    const { cancellationReference, reference, amount, refusal, pending, requestedAt, at } = entry;
    if (book.cancellations.has(cancellationReference)) {
      throw new ContradictoryEntry('the cancellation is booked already');
    }
    const charge = book.charges.get(reference);
    if (refusal === null) {
      if (charge === undefined || amount > restOf(charge)) {
        throw new ContradictoryEntry('more is canceled than was left');
      }
      if (pending === null) this.#cancel(book, { charge, cancellationReference, amount, requestedAt, at });
      else {
        charge.pendingAmount += amount;
        const { decidesAt, fails } = pending;
        book.pending.set(cancellationReference, {
          at: decidesAt,
          charge,
          cancellationReference,
          amount,
          fails,
        });
      }
    }
    const canceledAmount = charge?.canceledAmount ?? 0;
    const isPending = pending !== null;
    book.cancellations.set(cancellationReference, { reference, amount, refusal, isPending, canceledAmount });
  }

  #applyDecision(
    book: MerchantBook,
    { cancellationReference, outcome, happenedAt: at }: DecisionEntry,
  ): void {
    const due = book.pending.get(cancellationReference);
    const booked = book.cancellations.get(cancellationReference);
    if (due === undefined || booked === undefined)
      throw new ContradictoryEntry('no such cancellation is pending');
    const { charge, amount } = due;
    book.pending.delete(cancellationReference);
    charge.pendingAmount -= amount;
    booked.isPending = false;
    if (outcome === 'canceled')
      this.#cancel(book, { charge, cancellationReference, amount, requestedAt: at, at });
    else {
      booked.refusal = 'failed';
      const failed = { type: 'cancellationFailed', installmentNumber: null, amount, at } as const;
      this.#tell(book, { charge, cancellationReference, ...failed });
    }
    booked.canceledAmount = charge.canceledAmount;
  }

  #cancel(
    book: MerchantBook,
    done: {
      readonly charge: Charge;
      readonly cancellationReference: string;
      readonly amount: number;
      readonly requestedAt: number;
      readonly at: number;
    },
  ): void {
    const taken = takeFromLast(partsOf(done.charge), done.amount);
    this.#giveBack(done.charge, done.amount);
    this.#tell(book, { ...done, installmentNumber: null, type: 'canceled', taken });
  }

  #applyChange(book: MerchantBook, entry: ChangeEntry): void {
    const { reference, installmentNumber, change: type, amount, anticipationFee, happenedAt } = entry;
    const charge = book.charges.get(reference);
    const next = charge === undefined ? null : stateAfterChange(charge, installmentNumber, type, amount);
    if (charge === undefined || next === null) throw new ContradictoryEntry('the change cannot happen');
    const part = partsOf(charge)[installmentNumber - 1] as Part;
    const wasPaid = isPaid(part);
    const given = applyToPart(part, { type, amount, happenedAt }, next);
    if (given > 0) this.#giveBack(charge, given);
    const taken =
      given > 0 ? { taken: [{ installmentNumber, amount: given, left: part.rest, wasPaid }] } : {};
    if (type === 'unblocked') book.due.addReopened(charge, installmentNumber);
    const payout = type === 'settled' ? { payout: payoutOf(charge, part.rest, anticipationFee) } : {};
    const told = { charge, installmentNumber, type, at: happenedAt, ...payout, ...taken };
    this.#tell(book, { ...told, amount: given > 0 ? given : null });
  }

  #giveBack(charge: Charge, amount: number): void {
    charge.canceledAmount += amount;
    this.summary.approvedCents -= amount;
    if (charge.canceledAmount === charge.amount) this.#move(charge, 'canceled');
  }

  #tell(book: MerchantBook, change: Omit<Change, 'cursor'>): void {
    const told = { cursor: this.#lines, ...change };
    this.changes.push(told);
    book.changes.push(told);
  }

  #move(charge: Charge, status: ChargeStatus): void {
    this.summary[charge.status] -= 1;
    charge.status = status;
    this.summary[status] += 1;
  }

  #countNsu(decision: Decision): void {
    if (decision.outcome !== 'approved') return;
    if (decision.nsu <= this.lastNsu) throw new ContradictoryEntry('the NSU does not rise');
    this.lastNsu = decision.nsu;
  }

  #bookOf(merchantId: string): MerchantBook {
    const known = this.#merchants.get(merchantId);
    if (known !== undefined) return known;
    const book: MerchantBook = {
      charges: new Map(),
      inOrder: [],
      verifications: new Map(),
      tombstones: new Set(),
      cancellations: new Map(),
      captures: new Map(),
      cardCounts: new Map(),
      changes: [],
      due: new DueSettlements(),
      pending: new Map(),
    };
    this.#merchants.set(merchantId, book);
    return book;
  }
}

function chargeOf(
  entry: AuthorizationEntry | VerificationEntry,
  sale: Pick<Charge, 'merchantReference' | 'amount' | 'installments' | 'soldAt' | 'capture'>,
): Charge {
  const { merchantId, reference, card, decision, at } = entry;
  const { merchantReference, amount, installments, soldAt, capture } = sale;
  const isHeld = decision.outcome === 'approved' && capture === 'later';
  return {
    merchantId,
    reference,
    merchantReference,
    amount,
    authorizedAmount: amount,
    capture,
    installments,
    cardMark: cardMarkOf(card),
    card,
    initiator: entry.type === 'authorization' ? entry.initiator : 'cardholder',
    requests: [],
    changedAt: at,
    decision,
    at,
    soldAt,
    feePortion: entry.type === 'authorization' ? entry.feePortion : 0,
    status: isHeld ? 'preauthorized' : decision.outcome,
    canceledAmount: 0,
    pendingAmount: 0,
    parts: null,
  };
}

function partsOf(charge: Charge): Part[] {
  charge.parts ??= newParts(charge.amount, charge.installments);
  return charge.parts;
}

/**
 * What the change would make of an installment of the charge; null when it cannot happen, or there
 * is no such installment.
 */
export function stateAfterChange(
  charge: Charge,
  installmentNumber: number,
  type: ChangeType,
  amount: number | null,
) {
  if (charge.status !== 'approved' || installmentNumber > charge.installments) return null;
  const part = partsOf(charge)[installmentNumber - 1];
  return part === undefined ? null : stateAfter(part, type, amount);
}

function countCard(book: MerchantBook, triggerCard: string, decision: Decision): void {
  const count = book.cardCounts.get(triggerCard) ?? { approved: 0, declined: 0 };
  count[decision.outcome] += 1;
  book.cardCounts.set(triggerCard, count);
}
