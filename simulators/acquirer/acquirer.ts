import type { Decline } from '../kit/cards/decline-codes.ts';
import { declineOfCheckedCard, triggerCardOf } from '../kit/cards/trigger-cards.ts';
import { endOfDay } from '../kit/days.ts';
import type { Ledger } from '../kit/ledger.ts';
import {
  type Answer,
  CANCELED,
  cancellationAnswer,
  captureAnswer,
  changeItem,
  chargeAnswer,
  DAY_NOT_OVER,
  FORBIDDEN,
  NOT_FOUND,
  ok,
  outcomeAnswer,
  REFERENCE_REUSED,
  TOO_MANY_SCRIPTS,
  tombstoneAnswer,
  UNAVAILABLE,
  UNDONE,
  undoAnswer,
} from './answers.ts';
import { type Charge, type Charges, stateAfterChange } from './charges.ts';
import {
  type CaptureRefusal,
  type CardOnPaper,
  type ChangeEntry,
  cardMarkOf,
  type Decision,
  type Entry,
  lineOf,
  type PendingCancellation,
  type RefusalReason,
} from './entries.ts';
import { behaviourOf, behaviourOfCapture, stepOfCanceledAmount } from './faults.ts';
import { type FileQuery, fileAnswer } from './files.ts';
import { bookedBehind, changesPage, nextChange } from './ledger-pages.ts';
import { coversAnticipation, type DueDecision, restOf } from './pending.ts';
import type {
  Authorization,
  Cancellation,
  CaptureRequest,
  Card,
  ChangesQuery,
  Script,
  Undo,
  Verification,
  WantedChange,
} from './requests.ts';
import type { Fault, Step } from './script-step.ts';
import type { Scripts } from './scripts.ts';

/** Gives an answer, once; spoiled in the way of the fault, if there is one. */
export type Respond = (answer: Answer, fault: Fault | null) => void;

/**
 * What the acquirer does. Every decision is made, written to the ledger and applied in one turn of
 * the event loop, so that requests which come together are decided one after the other; every
 * answer, a refusal and a mere reading too, waits until all that it rests on is on the disk.
 */
export class Acquirer {
  readonly #charges: Charges;
  readonly #ledger: Ledger;
  readonly #scripts: Scripts;
  readonly #clock: () => number;

  constructor(charges: Charges, ledger: Ledger, scripts: Scripts, clock: () => number) {
    this.#charges = charges;
    this.#ledger = ledger;
    this.#scripts = scripts;
    this.#clock = clock;
  }

  authorize(request: Authorization, respond: Respond): void {
    if (this.#answerBooked(request, null, respond)) return;
    const step = this.#scripts.stepOf(request.merchantId, request.reference);
    if (step === null || step.delayMilliseconds === 0) {
      this.#authorizeNew(request, step, respond);
      return;
    }
    setTimeout(() => {
      // A void or a repetition may have come in the meantime.
      if (!this.#answerBooked(request, null, respond)) this.#authorizeNew(request, step, respond);
    }, step.delayMilliseconds);
  }

  capture(request: CaptureRequest, respond: Respond): void {
    const { merchantId, captureReference, reference, amount } = request;
    const known = this.#charges.capture(merchantId, captureReference);
    if (known !== undefined) {
      const isSame = known.reference === reference && known.amount === amount;
      this.#answer(isSame ? captureAnswer(captureReference, known) : REFERENCE_REUSED, respond);
      return;
    }
    const { isExpired, fault } = behaviourOfCapture(amount);
    const charge = this.#charges.charge(merchantId, reference);
    const refusal = refusalOfCapture(charge, amount) ?? (isExpired ? 'expired' : null);
    const capturedAt = request.capturedAt ?? this.#now();
    const booked = { merchantId, captureReference, reference, amount, capturedAt, refusal };
    this.#book({ type: 'capture', at: this.#now(), ...booked });
    this.#ledger.afterDurable(() => respond(captureAnswer(captureReference, booked), fault));
  }

  findCapture(merchantId: string, captureReference: string, respond: Respond): void {
    const known = this.#charges.capture(merchantId, captureReference);
    this.#answer(known === undefined ? NOT_FOUND : captureAnswer(captureReference, known), respond);
  }

  undo({ merchantId, reference }: Undo, respond: Respond): void {
    if (this.#scripts.isUndoRefused(merchantId, reference)) {
      this.#answer(UNAVAILABLE, respond);
      return;
    }
    const charge = this.#charges.charge(merchantId, reference);
    if (charge?.status === 'declined') {
      this.#answer(undoAnswer(reference, 'declined'), respond);
      return;
    }
    if (charge !== undefined && charge.canceledAmount + charge.pendingAmount > 0) {
      this.#answer(CANCELED, respond);
      return;
    }
    const isUndone = charge?.status === 'undone' || this.#charges.hasTombstone(merchantId, reference);
    if (!isUndone) this.#book({ type: 'undo', at: this.#now(), merchantId, reference });
    this.#answer(undoAnswer(reference, 'undone'), respond);
  }

  cancel(request: Cancellation, respond: Respond): void {
    const { merchantId, cancellationReference, reference, amount } = request;
    const known = this.#charges.cancellation(merchantId, cancellationReference);
    if (known !== undefined) {
      const isSame = known.reference === reference && known.amount === amount;
      this.#answer(isSame ? this.#cancellationAnswer(request) : REFERENCE_REUSED, respond);
      return;
    }
    const refusal = refusalOfCancellation(this.#charges.charge(merchantId, reference), amount);
    const requestedAt = request.requestedAt ?? this.#now();
    this.#book({
      type: 'cancellation',
      at: this.#now(),
      merchantId,
      cancellationReference,
      reference,
      amount,
      refusal,
      pending: refusal === null ? this.#pendingOf(merchantId, amount, requestedAt) : null,
      requestedAt,
    });
    this.#answer(this.#cancellationAnswer(request), respond);
  }

  #cancellationAnswer({ merchantId, cancellationReference }: Cancellation): Answer {
    const booked = this.#charges.cancellation(merchantId, cancellationReference);
    if (booked === undefined) throw new Error('the cancellation was not booked');
    return cancellationAnswer(cancellationReference, booked);
  }

  /** The script speaks first, then the amount. What is decided without delay is carried out at once. */
  #pendingOf(merchantId: string, amount: number, requestedAt: number): PendingCancellation | null {
    const step = this.#scripts.nextCancellation(merchantId) ?? stepOfCanceledAmount(amount);
    if (step === null || (step.decidedAfterMilliseconds === 0 && !step.fails)) return null;
    return { decidesAt: requestedAt + step.decidedAfterMilliseconds, fails: step.fails };
  }

  verify(request: Verification, respond: Respond): void {
    const { merchantId, reference } = request;
    const card = cardOnPaper(request.card);
    const known = this.#charges.verification(merchantId, reference);
    if (known !== undefined) {
      const isSame = known.cardMark === cardMarkOf(card);
      this.#answer(isSame ? outcomeAnswer(known) : REFERENCE_REUSED, respond);
      return;
    }
    const triggerCard = triggerCardOf(request.card.number);
    const decline =
      triggerCard === null
        ? null
        : declineOfCheckedCard(triggerCard, this.#charges.cardCount(merchantId, triggerCard.name));
    const decision = this.#decision(decline);
    this.#book({ type: 'verification', at: this.#now(), merchantId, reference, card, decision });
    const booked = this.#charges.verification(merchantId, reference);
    if (booked === undefined) throw new Error('the check was not booked');
    this.#answer(outcomeAnswer(booked), respond);
  }

  find(merchantId: string, reference: string, respond: Respond): void {
    const charge = this.#charges.charge(merchantId, reference);
    if (this.#scripts.isHidden(merchantId, reference)) this.#answer(NOT_FOUND, respond);
    else if (charge !== undefined) this.#answer(chargeAnswer(charge), respond);
    else if (this.#charges.hasTombstone(merchantId, reference)) {
      this.#answer(tombstoneAnswer(reference), respond);
    } else this.#answer(NOT_FOUND, respond);
  }

  /** Makes something happen to an installment, behind all that falls due before it. */
  change(wanted: WantedChange, respond: Respond): void {
    const { merchantId, reference, installmentNumber, type, amount, anticipationFee, at } = wanted;
    this.#bookDue(merchantId, at, Number.POSITIVE_INFINITY);
    const charge = this.#charges.charge(merchantId, reference);
    if (charge === undefined || installmentNumber > charge.installments) {
      this.#answer(NOT_FOUND, respond);
      return;
    }
    const isPossible = stateAfterChange(charge, installmentNumber, type, amount) !== null;
    if (!isPossible || !coversAnticipation(charge, installmentNumber, anticipationFee)) {
      this.#answer(FORBIDDEN, respond);
      return;
    }
    const change = { change: type, amount, anticipationFee, happenedAt: at };
    this.#bookChange({ merchantId, reference, installmentNumber, ...change });
    const booked = this.#charges.changesOf(merchantId).at(-1);
    if (booked === undefined) throw new Error('the change was not booked');
    this.#answer(ok(changeItem(booked)), respond);
  }

  /** What happened since; what falls due up to then is booked now, as far as the page holds it. */
  tellChanges(query: ChangesQuery, respond: Respond): void {
    const until = query.until ?? this.#now();
    this.#bookDue(query.merchantId, until, query.limit - bookedBehind(this.#charges, query));
    this.#answer(ok(changesPage(this.#charges, query, until)), respond);
  }

  tellNextChange(query: ChangesQuery, respond: Respond): void {
    this.#answer(ok(nextChange(this.#charges, query, query.until ?? this.#now())), respond);
  }

  /** What happened on a day that is over, as the format says it; what fell due in it is booked first. */
  writeFile(query: FileQuery, respond: Respond): void {
    const end = endOfDay(query.day);
    if (end > (query.until ?? this.#now())) {
      this.#answer(DAY_NOT_OVER, respond);
      return;
    }
    this.#bookDue(query.merchantId, end - 1, Number.POSITIVE_INFINITY);
    this.#answer(fileAnswer(this.#charges, query), respond);
  }

  writeScript({ merchantId, steps, cancellations }: Script, respond: Respond): void {
    const isWritten = this.#scripts.write(merchantId, steps, cancellations);
    this.#answer(isWritten ? ok({ merchantId, steps: steps.length }) : TOO_MANY_SCRIPTS, respond);
  }

  readScript(merchantId: string, respond: Respond): void {
    this.#answer(ok({ merchantId, ...this.#scripts.left(merchantId) }), respond);
  }

  /** Answers what `read` makes of the charges. */
  read(read: (charges: Charges) => object, respond: Respond): void {
    this.#answer(ok(read(this.#charges)), respond);
  }

  /**
   * Answers from the books, if the reference is known: never a second charge. They are looked up
   * again when they are on the disk, since a void that was taken meanwhile must not be followed by
   * "approved". A late answer is the one that was on its way before the void, as networks do.
   */
  #answerBooked(request: Authorization, fault: Fault | null, respond: Respond): boolean {
    const answer = this.#bookedAnswer(request);
    if (answer === null) return false;
    this.#ledger.afterDurable(() => {
      respond(fault === 'late' ? answer : (this.#bookedAnswer(request) ?? answer), fault);
    });
    return true;
  }

  #bookedAnswer(request: Authorization): Answer | null {
    const { merchantId, reference, amount, installments, capture } = request;
    const charge = this.#charges.charge(merchantId, reference);
    if (charge === undefined) return this.#charges.hasTombstone(merchantId, reference) ? UNDONE : null;
    if (charge.status === 'undone') return UNDONE;
    const isSame =
      charge.authorizedAmount === amount &&
      charge.capture === capture &&
      charge.installments === installments &&
      charge.cardMark === cardMarkOf(cardOnPaper(request.card));
    return isSame ? outcomeAnswer(charge) : REFERENCE_REUSED;
  }

  #authorizeNew(request: Authorization, step: Step | null, respond: Respond): void {
    const { merchantId, reference, merchantReference, amount, installments, initiator, capture } = request;
    const triggerCard = triggerCardOf(request.card.number);
    const cardCount =
      triggerCard === null ? undefined : this.#charges.cardCount(merchantId, triggerCard.name);
    const { decline, fault } = behaviourOf({
      amount,
      brand: request.card.brand,
      triggerCard,
      cardCount,
      step,
    });
    if (fault === 'silent') {
      respond(UNAVAILABLE, fault);
      return;
    }
    this.#book({
      type: 'authorization',
      at: this.#now(),
      merchantId,
      reference,
      merchantReference,
      amount,
      installments,
      initiator,
      capture,
      soldAt: request.soldAt ?? this.#now(),
      feePortion: step?.feePortion ?? 0,
      card: cardOnPaper(request.card),
      decision: this.#decision(decline),
    });
    this.#answerBooked(request, fault, respond);
  }

  #decision(decline: Decline | null): Decision {
    if (decline !== null) return { outcome: 'declined', ...decline };
    const nsu = this.#charges.lastNsu + 1;
    return {
      outcome: 'approved',
      authorizationCode: authorizationCodeOf(nsu),
      nsu,
      networkTransactionId: String(300_000_000_000_000 + nsu),
    };
  }

  /** Settles and decides what falls due up to the instant, in order of time, `most` of it. */
  #bookDue(merchantId: string | null, until: number, most: number): void {
    for (let booked = 0; booked < most; booked += 1) {
      const due = this.#charges.nextDue(merchantId, until);
      if (due === null) return;
      if ('cancellationReference' in due) {
        this.#bookDecision(due);
        continue;
      }
      const { charge, number: installmentNumber, at: happenedAt } = due;
      const { merchantId: owner, reference } = charge;
      const settled = { change: 'settled', amount: null, anticipationFee: null, happenedAt } as const;
      this.#bookChange({ merchantId: owner, reference, installmentNumber, ...settled });
    }
  }

  /** A chargeback may have taken meanwhile what it would give back. */
  #bookDecision({ charge, cancellationReference, fails, at: happenedAt }: DueDecision): void {
    const { merchantId, reference } = charge;
    const outcome = fails || charge.status !== 'approved' || restOf(charge) < 0 ? 'failed' : 'canceled';
    const decision = { cancellationReference, outcome, happenedAt } as const;
    this.#book({ type: 'decision', at: this.#now(), merchantId, reference, ...decision });
  }

  #bookChange(change: Omit<ChangeEntry, 'type' | 'at'>): void {
    this.#book({ type: 'change', at: this.#now(), ...change });
  }

  #book(entry: Entry): void {
    // Applied first: what contradicts the books is a mistake of this program, and must not reach
    // the file.
    this.#charges.apply(entry);
    this.#ledger.append(lineOf(entry));
  }

  #answer(answer: Answer, respond: Respond): void {
    this.#ledger.afterDurable(() => respond(answer, null));
  }

  #now(): number {
    return Math.max(this.#clock(), this.#charges.lastAt);
  }
}

function refusalOfCapture(charge: Charge | undefined, amount: number): CaptureRefusal | null {
  if (charge === undefined) return 'unknownCharge';
  if (charge.status !== 'preauthorized') return 'notPreauthorized';
  return amount > charge.authorizedAmount ? 'exceedsAuthorized' : null;
}

function refusalOfCancellation(charge: Charge | undefined, amount: number): RefusalReason | null {
  if (charge === undefined) return 'unknownCharge';
  if (['preauthorized', 'declined', 'undone'].includes(charge.status)) return 'notApproved';
  return amount > restOf(charge) ? 'exceedsRemaining' : null;
}

function cardOnPaper({ number, brand, expiration }: Card): CardOnPaper {
  return {
    brand,
    firstSix: number.slice(0, 6),
    lastFour: number.slice(-4),
    expiration,
    triggerCard: triggerCardOf(number)?.name ?? null,
  };
}

/**
 * Six letters and digits that look like chance and do not repeat within 36⁶ approvals: the factor
 * shares no divisor with 36⁶, and its products stay exact.
 */
function authorizationCodeOf(nsu: number): string {
  const scattered = ((nsu % 36 ** 6) * 3_999_971) % 36 ** 6;
  return scattered.toString(36).toUpperCase().padStart(6, '0');
}
