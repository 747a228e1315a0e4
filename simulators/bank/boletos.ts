import { atHour, dayAfter, daysBetween } from '../kit/days.ts';
import { DueLine } from '../kit/due-line.ts';
import { ContradictoryEntry } from '../kit/ledger.ts';
import type { DueDayEntry, EndEntry, Entry, PaymentEntry, RegistrationEntry } from './entries.ts';
import { owedOn } from './payments.ts';

/** São Paulo's hours: payers pay before the day ends, and the bank writes off in the night after. */
const PAYMENT_HOUR = 20;
const WRITE_OFF_HOUR = 3;

export type Boleto = Omit<RegistrationEntry, 'dueOn' | 'payableUntil' | 'plan'> & {
  readonly registration: RegistrationEntry;
  dueOn: string;
  payableUntil: string;
  /** All that it has had, the newest last. */
  readonly dueDays: string[];
  /** Payments of the plan move along with the due day. */
  plan: RegistrationEntry['plan'];
  status: 'refused' | 'issued' | 'paid' | 'canceled' | 'expired';
  readonly payments: PaymentEntry[];
  /** Of its plan. */
  plannedPaid: number;
};

export type Event = 'paid' | 'canceled' | 'expired';
/** `changeId` counts what happened, `cursor` what is reported of it: a change may be reported twice. */
export type Change = {
  readonly changeId: string;
  readonly cursor: number;
  readonly boleto: Boleto;
  readonly event: Event;
  readonly entry: PaymentEntry | EndEntry;
  /** What the boleto was before. */
  readonly before: Boleto['status'];
};

/** What happens next by itself. */
export type Due = { readonly boleto: Boleto; readonly at: number; readonly entry: Entry };

const EVENTS = { payment: 'paid', cancellation: 'canceled', writeOff: 'expired' } as const;

/** All that the bank knows, made of its ledger's entries in their order. */
export class Boletos {
  readonly #boletos = new Map<string, Boleto>();
  /** To which something still happens by itself; what was overtaken is found out when it is first. */
  readonly #due = new Map<string, DueLine<Boleto>>();
  readonly #changes: Change[] = [];
  readonly #changesOfMerchant = new Map<string, Change[]>();
  #happened = 0;
  lastAt = 0;
  /** Changes of due days, in the order of the ledger. */
  readonly dueDays: { readonly boleto: Boleto; readonly entry: DueDayEntry }[] = [];

  /** In the order of the ledger. */
  get all(): readonly Boleto[] {
    return [...this.#boletos.values()];
  }

  boleto(merchantId: string, ourNumber: string): Boleto | undefined {
    return this.#boletos.get(keyOf(merchantId, ourNumber));
  }

  /** In the order of the ledger; null: of all merchants. */
  changesOf(merchantId: string | null): readonly Change[] {
    return merchantId === null ? this.#changes : (this.#changesOfMerchant.get(merchantId) ?? []);
  }

  apply(entry: Entry): void {
    const known = this.boleto(entry.merchantId, entry.ourNumber);
    this.lastAt = Math.max(this.lastAt, entry.at);
    if (entry.type === 'registration') {
      if (known !== undefined) throw new ContradictoryEntry(`${entry.ourNumber} is registered twice`);
      this.#register(entry);
      return;
    }
    if (known === undefined || known.status === 'refused')
      throw new ContradictoryEntry(`${entry.ourNumber} is not registered`);
    if (entry.type === 'dueDay') this.#changeDueDay(known, entry);
    else this.#happen(known, entry);
  }

  #changeDueDay(boleto: Boleto, entry: DueDayEntry): void {
    const days = daysBetween(boleto.dueOn, entry.dueOn);
    boleto.plan = boleto.plan.map((payment, index) =>
      index < boleto.plannedPaid ? payment : { ...payment, paidOn: dayAfter(payment.paidOn, days) },
    );
    boleto.dueOn = entry.dueOn;
    boleto.payableUntil = entry.payableUntil;
    boleto.dueDays.push(entry.dueOn);
    this.#waitFor(boleto);
    this.dueDays.push({ boleto, entry });
  }

  /** The earliest that happens by itself up to the instant; null: nothing does. */
  nextDue(merchantId: string | null, until: number): Due | null {
    if (merchantId !== null) return this.#firstDue(this.#due.get(merchantId), until);
    let first: Due | null = null;
    for (const line of this.#due.values()) {
      const due = this.#firstDue(line, until);
      if (due !== null && (first === null || due.at < first.at)) first = due;
    }
    return first;
  }

  #firstDue(line: DueLine<Boleto> | undefined, until: number): Due | null {
    while (line?.first !== undefined && line.first.at <= until) {
      const due = dueOf(line.first.item);
      if (due?.at === line.first.at) return due;
      line.pop();
    }
    return null;
  }

  #waitFor(boleto: Boleto): void {
    const due = dueOf(boleto);
    if (due === null) return;
    const line = this.#due.get(boleto.merchantId) ?? new DueLine();
    this.#due.set(boleto.merchantId, line);
    line.push({ at: due.at, name: boleto.ourNumber, item: boleto });
  }

  #register(entry: RegistrationEntry): void {
    const status = entry.refusal === null ? 'issued' : 'refused';
    const empty = { dueDays: [entry.dueOn], payments: [], plannedPaid: 0 };
    const boleto: Boleto = { ...entry, registration: entry, status, ...empty };
    this.#boletos.set(keyOf(entry.merchantId, entry.ourNumber), boleto);
    this.#waitFor(boleto);
  }

  #happen(boleto: Boleto, entry: PaymentEntry | EndEntry): void {
    const before = boleto.status;
    if (entry.type === 'payment') {
      boleto.payments.push(entry);
      if (entry.isPlanned) boleto.plannedPaid += 1;
      // Money for what was canceled or written off changes nothing of that.
      if (boleto.status === 'issued') boleto.status = 'paid';
    } else boleto.status = entry.type === 'cancellation' ? 'canceled' : 'expired';
    this.#waitFor(boleto);
    this.#happened += 1;
    for (let times = boleto.isReportedTwice ? 2 : 1; times > 0; times -= 1) {
      const cursor = this.#changes.length + 1;
      const event = EVENTS[entry.type];
      const change = { changeId: String(this.#happened), cursor, boleto, event, entry, before };
      this.#changes.push(change);
      const ofMerchant = this.#changesOfMerchant.get(boleto.merchantId) ?? [];
      this.#changesOfMerchant.set(boleto.merchantId, ofMerchant);
      ofMerchant.push(change);
    }
  }
}

/** No number has a blank, so that no two pairs share a key. */
export function keyOf(merchantId: string, ourNumber: string): string {
  return `${ourNumber} ${merchantId}`;
}

function dueOf(boleto: Boleto): Due | null {
  const { status, plan, plannedPaid, payableUntil, merchantId, ourNumber } = boleto;
  if (status === 'refused' || status === 'canceled' || status === 'expired') return null;
  const booked = { at: 0, merchantId, ourNumber };
  const planned = plan[plannedPaid];
  if (planned !== undefined && planned.paidOn <= payableUntil) {
    const { paidOn } = planned;
    const at = atHour(paidOn, PAYMENT_HOUR);
    const amount = planned.amount ?? owedOn(boleto, paidOn);
    const entry: PaymentEntry = {
      ...{ type: 'payment', ...booked, amount, paidOn, happenedAt: at, isPlanned: true },
    };
    return { boleto, at, entry };
  }
  if (status === 'paid') return null;
  const at = atHour(dayAfter(payableUntil, 1), WRITE_OFF_HOUR);
  return { boleto, at, entry: { type: 'writeOff', ...booked, happenedAt: at } };
}
