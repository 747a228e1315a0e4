import { saoPauloDayOf } from '../kit/days.ts';
import type { Ledger } from '../kit/ledger.ts';
import {
  type Answer,
  boletoAnswer,
  canceledAnswer,
  cancelRefusedAnswer,
  changeItem,
  dueDayAnswer,
  FORBIDDEN,
  file,
  malformed,
  NOT_FOUND,
  ok,
  REFERENCE_REUSED,
  registrationAnswer,
  TOO_MANY_SCRIPTS,
  UNAVAILABLE,
} from './answers.ts';
import { type Boleto, type Boletos, keyOf } from './boletos.ts';
import { bookedBehind, changesPage, nextChange } from './change-pages.ts';
import { type Entry, LARGEST_AMOUNT, lineOf } from './entries.ts';
import { owedOn } from './payments.ts';
import { behaviourOf } from './registrations.ts';
import type { ChangesQuery, DueDayOrder, Registration, Script, WantedChange } from './requests.ts';
import { type FileQuery, returnFile } from './return-file.ts';
import type { Fault, Step } from './script-step.ts';
import type { Scripts } from './scripts.ts';
import { falseAnswer } from './spoiled-answer.ts';

/** Gives an answer, once; spoiled in the way of the fault, if there is one. */
export type Respond = (answer: Answer, fault: Fault | null) => void;

const MOST_PAYMENTS = 50;

function keptReason(boleto: Boleto | undefined): 'unknownBoleto' | 'paid' | 'notAllowed' {
  if (boleto === undefined || boleto.status === 'refused') return 'unknownBoleto';
  return boleto.status === 'paid' ? 'paid' : 'notAllowed';
}

/**
 * What the bank does. Every decision is made, written to the ledger and applied in one turn of the
 * event loop; every answer, a refusal and a mere reading too, waits until all that it rests on is on
 * the disk.
 */
export class Bank {
  readonly #boletos: Boletos;
  readonly #ledger: Ledger;
  readonly #scripts: Scripts;
  readonly #clock: () => number;

  constructor(boletos: Boletos, ledger: Ledger, scripts: Scripts, clock: () => number) {
    this.#boletos = boletos;
    this.#ledger = ledger;
    this.#scripts = scripts;
    this.#clock = clock;
  }

  register(request: Registration, respond: Respond): void {
    if (this.#answerRegistered(request, null, respond)) return;
    const step = this.#scripts.nextRegistration(request.merchantId);
    if (step === null || step.delayMilliseconds === 0) {
      this.#registerNew(request, step, respond);
      return;
    }
    setTimeout(() => {
      // A repetition may have come in the meantime.
      if (!this.#answerRegistered(request, null, respond)) this.#registerNew(request, step, respond);
    }, step.delayMilliseconds);
  }

  cancel(
    { merchantId, ourNumber, requestedAt }: { merchantId: string; ourNumber: string; requestedAt: number },
    respond: Respond,
  ): void {
    const { fault = null, refusal = null } = this.#scripts.nextCancel(merchantId) ?? {};
    if (refusal !== null) {
      this.#answer(cancelRefusedAnswer(ourNumber, refusal), respond);
      return;
    }
    if (fault === 'silent') {
      respond(UNAVAILABLE, fault);
      return;
    }
    this.#bookDue(merchantId, requestedAt, Number.POSITIVE_INFINITY);
    const boleto = this.#boletos.boleto(merchantId, ourNumber);
    if (boleto?.status === 'issued') {
      const booked = { at: this.#now(), merchantId, ourNumber, happenedAt: requestedAt };
      this.#book({ type: 'cancellation', ...booked });
    }
    const answer = this.#cancelAnswer(merchantId, ourNumber);
    const spoiled = boleto === undefined ? answer : falseAnswer(answer, boleto, fault);
    this.#answer(fault === 'unavailable' ? UNAVAILABLE : spoiled, respond, fault);
  }

  /** Only from the day that it has: a request that comes late undoes none behind it. */
  changeDueDay(order: DueDayOrder & { ourNumber: string }, respond: Respond): void {
    const { merchantId, ourNumber, requestedAt, dueOnBefore, dueOn, payableUntil } = order;
    const { fault = null, refusal = null } = this.#scripts.nextCancel(merchantId) ?? {};
    if (fault === 'silent') {
      respond(UNAVAILABLE, fault);
      return;
    }
    this.#bookDue(merchantId, requestedAt, Number.POSITIVE_INFINITY);
    const boleto = this.#boletos.boleto(merchantId, ourNumber);
    const isOpen = refusal === null && boleto?.status === 'issued';
    const isSound = dueOn >= saoPauloDayOf(requestedAt) && payableUntil >= dueOn;
    if (isOpen && boleto.dueOn === dueOnBefore && dueOn !== dueOnBefore && isSound) {
      const booked = { at: this.#now(), merchantId, ourNumber, happenedAt: requestedAt };
      this.#book({ type: 'dueDay', ...booked, dueOn, payableUntil });
    }
    const isChanged = isOpen && boleto.dueOn === dueOn;
    const answer = isChanged ? dueDayAnswer(boleto) : cancelRefusedAnswer(ourNumber, keptReason(boleto));
    const spoiled = isChanged ? falseAnswer(answer, boleto, fault) : answer;
    this.#answer(fault === 'unavailable' ? UNAVAILABLE : spoiled, respond, fault);
  }

  #cancelAnswer(merchantId: string, ourNumber: string): Answer {
    const status = this.#boletos.boleto(merchantId, ourNumber)?.status;
    if (status === undefined || status === 'refused') return cancelRefusedAnswer(ourNumber, 'unknownBoleto');
    return status === 'paid' ? cancelRefusedAnswer(ourNumber, 'paid') : canceledAnswer(ourNumber);
  }

  find(merchantId: string, ourNumber: string, respond: Respond): void {
    const boleto = this.#boletos.boleto(merchantId, ourNumber);
    const isHidden = this.#scripts.isHidden(keyOf(merchantId, ourNumber));
    const isThere = boleto !== undefined && boleto.status !== 'refused' && !isHidden;
    this.#answer(isThere ? boletoAnswer(boleto) : NOT_FOUND, respond);
  }

  /** Makes something happen to a boleto, behind all that happens by itself before. */
  change(wanted: WantedChange, respond: Respond): void {
    const { merchantId, ourNumber, at } = wanted;
    this.#bookDue(merchantId, at, Number.POSITIVE_INFINITY);
    const boleto = this.#boletos.boleto(merchantId, ourNumber);
    const entry = boleto === undefined ? NOT_FOUND : this.#changeOf(boleto, wanted);
    if ('status' in entry) {
      this.#answer(entry, respond);
      return;
    }
    this.#book(entry);
    const change = this.#boletos.changesOf(merchantId).at(-1);
    if (change === undefined) throw new Error('the change was not booked');
    this.#answer(ok(changeItem(change)), respond);
  }

  /** What is booked; or the answer why nothing is. */
  #changeOf(boleto: Boleto, { event, at, ...wanted }: WantedChange): Entry | Answer {
    const { merchantId, ourNumber, status } = boleto;
    const booked = { at: this.#now(), merchantId, ourNumber, happenedAt: at };
    if (status === 'refused') return NOT_FOUND;
    if (event !== 'paid') {
      if (status !== 'issued') return FORBIDDEN;
      return { type: event === 'canceled' ? 'cancellation' : 'writeOff', ...booked };
    }
    const paidOn = wanted.paidOn ?? saoPauloDayOf(at);
    if (paidOn > saoPauloDayOf(at) || paidOn < boleto.issuedOn) return malformed('paidOn');
    const amount = wanted.amount ?? owedOn(boleto, paidOn);
    if (boleto.payments.length >= MOST_PAYMENTS || amount > LARGEST_AMOUNT) return FORBIDDEN;
    return { type: 'payment', ...booked, amount, paidOn, isPlanned: false };
  }

  /** What happened since; what happens by itself up to then is booked now, as far as the page holds it. */
  reportChanges(query: ChangesQuery, respond: Respond): void {
    const until = query.until ?? this.#now();
    this.#bookDue(query.merchantId, until, query.limit - bookedBehind(this.#boletos, query));
    this.#answer(ok(changesPage(this.#boletos, query, until)), respond);
  }

  reportNextChange(query: ChangesQuery, respond: Respond): void {
    this.#answer(ok(nextChange(this.#boletos, query, query.until ?? this.#now())), respond);
  }

  writeScript({ merchantId, steps, cancels }: Script, respond: Respond): void {
    const isWritten = this.#scripts.write(merchantId, steps, cancels);
    this.#answer(isWritten ? ok({ merchantId, steps: steps.length }) : TOO_MANY_SCRIPTS, respond);
  }

  /** Answers what `read` makes of the boletos. */
  read(read: (boletos: Boletos) => object, respond: Respond): void {
    this.#answer(ok(read(this.#boletos)), respond);
  }

  /** The file of a day; what happens by itself up to the instant is booked before. */
  writeReturnFile(query: FileQuery, until: number | null, respond: Respond): void {
    if (until !== null) this.#bookDue(query.merchantId, until, Number.POSITIVE_INFINITY);
    this.#answer(file(returnFile(this.#boletos, query)), respond);
  }

  /** Answers from the books, if the number is known: never a second boleto. */
  #answerRegistered(request: Registration, fault: Fault | null, respond: Respond): boolean {
    const { merchantId, ourNumber, requestMark } = request;
    const known = this.#boletos.boleto(merchantId, ourNumber);
    if (known === undefined) return false;
    const answer = known.requestMark === requestMark ? registrationAnswer(known) : REFERENCE_REUSED;
    const spoiled = falseAnswer(answer, known, fault);
    this.#answer(fault === 'unavailable' ? UNAVAILABLE : spoiled, respond, fault);
    return true;
  }

  #registerNew(request: Registration, step: Step | null, respond: Respond): void {
    const { fault, notFoundTimes, ...decided } = behaviourOf(request, step);
    if (fault === 'silent') {
      respond(UNAVAILABLE, fault);
      return;
    }
    this.#scripts.hide(keyOf(request.merchantId, request.ourNumber), notFoundTimes);
    this.#book({ type: 'registration', at: this.#now(), ...request, ...decided });
    this.#answerRegistered(request, fault, respond);
  }

  /** Payments of plans and writing off, in order of time, `most` of them. */
  #bookDue(merchantId: string | null, until: number, most: number): void {
    for (let booked = 0; booked < most; booked += 1) {
      const due = this.#boletos.nextDue(merchantId, until);
      if (due === null) return;
      this.#book({ ...due.entry, at: this.#now() });
    }
  }

  #book(entry: Entry): void {
    // Applied first: what contradicts the books is a mistake of this program, and must not reach
    // the file.
    this.#boletos.apply(entry);
    this.#ledger.append(lineOf(entry));
  }

  #answer(answer: Answer, respond: Respond, fault: Fault | null = null): void {
    this.#ledger.afterDurable(() => respond(answer, fault));
  }

  #now(): number {
    return Math.max(this.#clock(), this.#boletos.lastAt);
  }
}
