import { isDay } from '../kit/days.ts';
import { FieldReader } from '../kit/field-reader.ts';
import type { PlannedPayment, Terms } from './payments.ts';
import { REFUSALS, type Refusal } from './script-step.ts';

export const MERCHANT_ID = /^[^\p{Cc}]{1,64}$/u;
export const OUR_NUMBER = /^\d{11}$/;
/** Cents: ten digits. */
export const LARGEST_AMOUNT = 9_999_999_999;
/** Hundredths of a percent. */
export const WHOLE_PORTION = 10_000;
const MOST_PAYMENTS = 20;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** `at`: the bank's own time of the booking, in milliseconds since 1970. */
type Booked = { readonly at: number; readonly merchantId: string; readonly ourNumber: string };

/** Of the payer there is only what a return file names. */
export type RegistrationEntry = Booked &
  Terms & {
    readonly type: 'registration';
    readonly payableUntil: string;
    readonly payerName: string;
    readonly payerDocument: string;
    /** A digest of all that was asked for: a repetition has the same. */
    readonly requestMark: string;
    readonly refusal: Refusal | null;
    /** Payments that happen by themselves. */
    readonly plan: readonly PlannedPayment[];
    readonly isReportedTwice: boolean;
  };

/** `happenedAt`: in the merchant's time. */
type Happened = Booked & { readonly happenedAt: number };
export type PaymentEntry = Happened & {
  readonly type: 'payment';
  readonly amount: number;
  readonly paidOn: string;
  readonly isPlanned: boolean;
};
export type EndEntry = Happened & { readonly type: 'cancellation' | 'writeOff' };
/** It is due on another day from now on. */
export type DueDayEntry = Happened & {
  readonly type: 'dueDay';
  readonly dueOn: string;
  readonly payableUntil: string;
};
export type Entry = RegistrationEntry | PaymentEntry | EndEntry | DueDayEntry;

/** The line of an entry. */
export function lineOf(entry: Entry): string {
  return JSON.stringify(entry);
}

/** The entry that a line holds; null when it holds none. */
export function entryOfLine(line: string): Entry | null {
  const fields = new FieldReader(jsonOf(line));
  const entry = readEntry(fields);
  return fields.fault === null ? entry : null;
}

function readEntry(fields: FieldReader): Entry {
  const type = fields.word('type', ['registration', 'payment', 'cancellation', 'writeOff', 'dueDay']);
  const booked = {
    at: readTime(fields, 'at'),
    merchantId: fields.text('merchantId', MERCHANT_ID),
    ourNumber: fields.text('ourNumber', OUR_NUMBER),
  };
  if (type === 'registration') return { type, ...booked, ...readRegistration(fields) };
  const happenedAt = readTime(fields, 'happenedAt');
  if (type === 'dueDay')
    return {
      ...{ type, ...booked, happenedAt },
      dueOn: readDay(fields, 'dueOn'),
      payableUntil: readDay(fields, 'payableUntil'),
    };
  if (type !== 'payment') return { type, ...booked, happenedAt };
  return {
    ...{ type, ...booked, happenedAt },
    amount: fields.integer('amount', 1, LARGEST_AMOUNT),
    paidOn: readDay(fields, 'paidOn'),
    isPlanned: fields.boolean('isPlanned'),
  };
}

function readRegistration(fields: FieldReader) {
  return {
    amount: fields.integer('amount', 1, LARGEST_AMOUNT),
    issuedOn: readDay(fields, 'issuedOn'),
    dueOn: readDay(fields, 'dueOn'),
    payableUntil: readDay(fields, 'payableUntil'),
    finePortion: fields.integerOrNull('finePortion', 0, WHOLE_PORTION),
    interestPortion: fields.integerOrNull('interestPortion', 0, WHOLE_PORTION),
    discountAmount: fields.integerOrNull('discountAmount', 1, LARGEST_AMOUNT),
    discountUntil: readDayOrNull(fields, 'discountUntil'),
    payerName: fields.text('payerName', /^.{1,255}$/s),
    payerDocument: fields.text('payerDocument', /^[0-9A-Z]{11,14}$/),
    requestMark: fields.text('requestMark', /^[0-9a-f]{64}$/),
    refusal: fields.wordOrNull('refusal', REFUSALS),
    plan: fields.list('plan', MOST_PAYMENTS, (payment) => ({
      paidOn: readDay(payment, 'paidOn'),
      amount: payment.integerOrNull('amount', 1, LARGEST_AMOUNT),
    })),
    isReportedTwice: fields.boolean('isReportedTwice'),
  };
}

export function readDay(fields: FieldReader, name: string): string {
  const day = fields.text(name, DAY);
  if (!isDay(day)) fields.refuse(name);
  return day;
}

export function readDayOrNull(fields: FieldReader, name: string): string | null {
  return fields.textOrNull(name, DAY) === null ? null : readDay(fields, name);
}

function readTime(fields: FieldReader, name: string): number {
  return fields.integer(name, 0, Number.MAX_SAFE_INTEGER);
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
