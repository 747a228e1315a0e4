import { randomUUID } from 'node:crypto';
import { isDay, saoPauloDayOf } from '../kit/days.ts';
import type { Answer } from '../kit/sales/server.ts';
import { type Hosts, refused } from './answers.ts';
import { fieldsOf, isTrue, textOf, wholeOf } from './fields.ts';
import type { Sale as SaleRequest } from './requests.ts';

/** As a sale asks for it. */
export type Plan = {
  readonly isNow: boolean;
  readonly months: number;
  readonly startOn: string | null;
  readonly endOn: string | null;
};

/** What Cielo charges again by itself. */
export type Recurrence = {
  readonly id: string;
  readonly merchantId: string;
  request: SaleRequest;
  readonly isNow: boolean;
  readonly createdOn: string;
  readonly startOn: string;
  months: number;
  amount: number;
  endOn: string | null;
  nextOn: string;
  customer: unknown;
  /** Of the month. */
  day: number;
  status: (typeof STATUSES)[keyof typeof STATUSES];
  readonly payments: string[];
};

/** What of a sale is sent anew, read as one. */
export type ReadSale = (json: object) => SaleRequest | number;

const STATUSES = { active: 1, ended: 2, stopped: 3 } as const;
const INTERVALS: Readonly<Record<string, number>> = {
  monthly: 1,
  bimonthly: 2,
  quarterly: 3,
  semiannual: 6,
  annual: 12,
};
const NAMES: Readonly<Record<number, string>> = {
  1: 'Monthly',
  2: 'Bimonthly',
  3: 'Quarterly',
  6: 'SemiAnnual',
  12: 'Annual',
};
const MOST_RECURRENCES = 10_000;
const LARGEST_AMOUNT = 999_999_999_999;
const NOT_FOUND = refused(313, 404);
const DONE: Answer = { status: 200, body: undefined };

/** Null: none is asked for. A number: the code of what is wrong with it. */
export function readPlan(json: unknown, installments: number): Plan | number | null {
  if (json === undefined || json === null) return null;
  const fields = fieldsOf(json);
  if (!/^(true|false|[01])$/i.test(String(fields.AuthorizeNow))) return 166;
  if (installments > 1) return 179;
  const [startOn, endOn] = [textOf(fields.StartDate), textOf(fields.EndDate)].map((day) => day.slice(0, 10));
  const isNow = isTrue(fields.AuthorizeNow);
  if (!isNow && !isDay(startOn ?? '')) return 316;
  if (endOn !== '' && !isDay(endOn ?? '')) return 321;
  const months = monthsOf(fields.Interval);
  return {
    isNow,
    months,
    startOn: isNow ? null : (startOn ?? null),
    endOn: endOn === '' ? null : (endOn ?? null),
  };
}

/** The code of days that are over; null: it can begin. */
export function faultOfPlan({ startOn, endOn }: Plan, now: number): number | null {
  const today = saoPauloDayOf(now);
  if (startOn !== null && startOn < today) return 316;
  return endOn !== null && endOn < (startOn ?? today) ? 321 : null;
}

/** By its name or its number; every month where none is given. */
function monthsOf(interval: unknown): number {
  const text = textOf(interval).toLowerCase();
  const number = Number(text);
  return INTERVALS[text] ?? (NAMES[number] === undefined ? 1 : number);
}

/** In memory only, as the cards that they charge: a restart forgets them. */
export class Recurrences {
  readonly #all = new Map<string, Recurrence>();

  begin(merchantId: string, request: SaleRequest, plan: Plan, now: number): Recurrence {
    for (const oldest of this.#all.keys()) {
      if (this.#all.size < MOST_RECURRENCES) break;
      this.#all.delete(oldest);
    }
    const today = saoPauloDayOf(now);
    const startOn = plan.startOn ?? today;
    const begun: Recurrence = {
      ...{ id: randomUUID(), merchantId, request, isNow: plan.isNow, createdOn: today, startOn },
      ...{ months: plan.months, amount: request.amount, endOn: plan.endOn, customer: request.echo.customer },
      ...{ day: Number(startOn.slice(8)), status: STATUSES.active, payments: [], nextOn: startOn },
    };
    if (plan.isNow) goOn(begun);
    this.#all.set(begun.id, begun);
    return begun;
  }

  /** Those whose day has come, as often as it has. */
  *takeDue(now: number): Generator<Recurrence, void, undefined> {
    const today = saoPauloDayOf(now);
    for (const one of this.#all.values())
      while (one.status === STATUSES.active && one.nextOn <= today) {
        goOn(one);
        yield one;
      }
  }

  find(merchantId: string, id: string, hosts: Hosts): Answer {
    const found = this.#all.get(id);
    return found?.merchantId === merchantId ? { status: 200, body: shown(found, hosts) } : NOT_FOUND;
  }

  change(
    merchantId: string,
    id: string,
    [what, value]: readonly [string, unknown],
    now: number,
    readSale: ReadSale,
  ): Answer {
    const found = this.#all.get(id);
    if (found?.merchantId !== merchantId) return NOT_FOUND;
    const code =
      what === 'Payment'
        ? paidOtherwise(found, value, readSale)
        : applied(found, what, value, saoPauloDayOf(now));
    return code === null ? DONE : refused(code);
  }
}

/** The same day of a later month, or its last. */
function goOn(one: Recurrence): void {
  const [year = 0, month = 0] = one.nextOn.split('-').map(Number);
  const last = new Date(Date.UTC(year, month - 1 + one.months + 1, 0)).getUTCDate();
  const next = new Date(Date.UTC(year, month - 1 + one.months, Math.min(one.day, last)));
  one.nextOn = next.toISOString().slice(0, 10);
  endIfOver(one);
}

function endIfOver(one: Recurrence): void {
  if (one.endOn !== null && one.nextOn > one.endOn) one.status = STATUSES.ended;
}

/** Null: it is. All of the payment is new, save that there is one installment. */
function paidOtherwise(one: Recurrence, payment: unknown, readSale: ReadSale): number | null {
  const Payment = { ...fieldsOf(payment), Installments: 1, RecurrentPayment: null };
  const request = readSale({ MerchantOrderId: one.request.reference, Customer: one.customer, Payment });
  if (typeof request === 'number') return request;
  one.request = request;
  one.amount = request.amount;
  return null;
}

/** Null: it is changed. Values come as bare JSON. */
function applied(one: Recurrence, what: string, value: unknown, today: string): number | null {
  const text = textOf(value);
  switch (what) {
    case 'Deactivate':
      one.status = STATUSES.stopped;
      return null;
    case 'Reactivate':
      one.status = STATUSES.active;
      endIfOver(one);
      // What it missed is not charged.
      while (one.status === STATUSES.active && one.nextOn < today) goOn(one);
      return null;
    case 'Customer':
      one.customer = value;
      return null;
    case 'Amount': {
      const amount = wholeOf(value, LARGEST_AMOUNT);
      if (amount === null || amount === 0) return 108;
      one.amount = amount;
      return null;
    }
    case 'Interval':
      one.months = monthsOf(value);
      return null;
    case 'EndDate':
      if (!isDay(text) || text < one.nextOn) return 321;
      one.endOn = text;
      return null;
    case 'NextPaymentDate':
      if (!isDay(text) || text < today) return 316;
      one.nextOn = text;
      return null;
    case 'RecurrencyDay': {
      const day = wholeOf(value, 31);
      if (day === null || day === 0) return 317;
      one.day = day;
      return null;
    }
    default:
      return 310;
  }
}

/** What the answer to a sale has of it. */
export function recurrenceFields(one: Recurrence, { query }: Hosts): object {
  const { id, nextOn, startOn, endOn, months, isNow } = one;
  return {
    RecurrentPaymentId: id,
    NextRecurrency: nextOn,
    ...(isNow ? {} : { StartDate: startOn }),
    ...(endOn === null ? {} : { EndDate: endOn }),
    Interval: months,
    Link: { Method: 'GET', Rel: 'recurrentPayment', Href: `${query}/1/RecurrentPayment/${id}` },
    AuthorizeNow: isNow,
    ...{ ReasonCode: 0, ReasonMessage: 'Successful' },
  };
}

function shown(one: Recurrence, { query }: Hosts): object {
  const { id, nextOn, startOn, endOn, months, amount, createdOn, day, status, payments, request } = one;
  return {
    Customer: one.customer ?? {},
    RecurrentPayment: {
      ...{ RecurrentPaymentId: id, NextRecurrency: nextOn, StartDate: startOn },
      ...(endOn === null ? {} : { EndDate: endOn }),
      ...{ Interval: NAMES[months] ?? months, Amount: amount, Country: 'BRA' },
      ...{ CreateDate: `${createdOn}T00:00:00`, Currency: 'BRL', CurrentRecurrencyTry: 1 },
      ...{ OrderNumber: request.reference, Provider: 'Simulado', RecurrencyDay: day },
      SuccessfulRecurrences: payments.length,
      Links: [{ Method: 'GET', Rel: 'self', Href: `${query}/1/RecurrentPayment/${id}` }],
      RecurrentTransactions: payments.map((PaymentId, PaymentNumber) => ({
        ...{ PaymentId, PaymentNumber, TryNumber: 1 },
      })),
      Status: status,
    },
  };
}
