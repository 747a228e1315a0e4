import { createHash } from 'node:crypto';
import type { FieldReader } from '../kit/field-reader.ts';
import {
  LARGEST_AMOUNT,
  MERCHANT_ID,
  OUR_NUMBER,
  type RegistrationEntry,
  readDay,
  readDayOrNull,
  WHOLE_PORTION,
} from './entries.ts';
import { CANCEL_REFUSALS, type CancelStep, FAULTS, REFUSALS, type Step } from './script-step.ts';

const TEXT = /^[^\p{Cc}]{1,255}$/u;
const DOCUMENT = /^(\d{11}|[0-9A-Z]{12}\d{2})$/;
const MOST_INSTRUCTIONS = 4;
const INSTRUCTION = /^[^\p{Cc}]{1,80}$/u;
const MOST_STEPS = 1_000;
const LONGEST_DELAY_MILLISECONDS = 60_000;
const MOST_TIMES = 1_000;
const MOST_PAYMENTS = 10;
const MOST_DAYS = 400;
export const EVENTS = ['paid', 'canceled', 'expired'] as const;

export type Registration = Omit<RegistrationEntry, 'type' | 'at' | 'refusal' | 'plan' | 'isReportedTwice'>;

export type WantedChange = {
  readonly merchantId: string;
  readonly ourNumber: string;
  readonly event: (typeof EVENTS)[number];
  /** Of a payment; null: what is owed on its day. */
  readonly amount: number | null;
  /** Of a payment; null: the day of `at`. */
  readonly paidOn: string | null;
  readonly at: number;
};

export type ChangesQuery = {
  /** Null: those of all merchants. */
  readonly merchantId: string | null;
  readonly cursor: number;
  /** Null: now, by the bank's own clock. */
  readonly until: number | null;
  readonly limit: number;
};

export type Script = {
  readonly merchantId: string;
  readonly steps: readonly Step[];
  readonly cancels: readonly CancelStep[];
};

export function readRegistration(fields: FieldReader): Registration {
  const discount = fields.objectOrNull('discount', (given) => ({
    amount: given.integer('amount', 1, LARGEST_AMOUNT),
    until: readDay(given, 'until'),
  }));
  const asked = {
    merchantId: fields.text('merchantId', MERCHANT_ID),
    ourNumber: fields.text('ourNumber', OUR_NUMBER),
    amount: fields.integer('amount', 1, LARGEST_AMOUNT),
    issuedOn: readDay(fields, 'issuedOn'),
    dueOn: readDay(fields, 'dueOn'),
    payableUntil: readDay(fields, 'payableUntil'),
    finePortion: fields.integerOrNull('finePortion', 0, WHOLE_PORTION),
    interestPortion: fields.integerOrNull('interestPortion', 0, WHOLE_PORTION),
    discountAmount: discount?.amount ?? null,
    discountUntil: discount?.until ?? null,
  };
  const payer = fields.object('payer', readPayer);
  const instructions = fields.texts('instructions', MOST_INSTRUCTIONS, INSTRUCTION);
  const requestMark = createHash('sha256')
    .update(JSON.stringify([asked, payer, instructions]))
    .digest('hex');
  return { ...asked, payerName: payer.name, payerDocument: payer.documentNumber, requestMark };
}

function readPayer(payer: FieldReader) {
  return {
    name: payer.text('name', TEXT),
    documentNumber: payer.text('documentNumber', DOCUMENT),
    email: payer.textOrNull('email', TEXT),
    address: payer.object('address', (address) => ({
      street: address.text('street', TEXT),
      number: address.text('number', TEXT),
      complement: address.textOrNull('complement', TEXT),
      district: address.text('district', TEXT),
      city: address.text('city', TEXT),
      state: address.text('state', /^[A-Z]{2}$/),
      zipCode: address.text('zipCode', /^\d{8}$/),
    })),
  };
}

export function readWantedChange(fields: FieldReader): WantedChange {
  const event = fields.word('event', EVENTS);
  return {
    event,
    merchantId: fields.text('merchantId', MERCHANT_ID),
    ourNumber: fields.text('ourNumber', OUR_NUMBER),
    amount: fields.integerOrNull('amount', 1, LARGEST_AMOUNT),
    paidOn: readDayOrNull(fields, 'paidOn'),
    at: fields.instant('at'),
  };
}

export type DueDayOrder = {
  readonly merchantId: string;
  readonly requestedAt: number;
  readonly dueOnBefore: string;
  readonly dueOn: string;
  readonly payableUntil: string;
};

export function readDueDay(fields: FieldReader): DueDayOrder {
  return {
    merchantId: fields.text('merchantId', MERCHANT_ID),
    requestedAt: fields.instant('requestedAt'),
    dueOnBefore: readDay(fields, 'dueOnBefore'),
    dueOn: readDay(fields, 'dueOn'),
    payableUntil: readDay(fields, 'payableUntil'),
  };
}

export function readScript(fields: FieldReader): Script {
  return {
    merchantId: fields.text('merchantId', MERCHANT_ID),
    steps: fields.listOrEmpty('steps', MOST_STEPS, readStep),
    cancels: fields.listOrEmpty('cancels', MOST_STEPS, (step) => ({
      fault: step.wordOrNull('fault', FAULTS),
      refusal: step.wordOrNull('refusal', CANCEL_REFUSALS),
    })),
  };
}

function readStep(step: FieldReader): Step {
  return {
    fault: step.wordOrNull('fault', FAULTS),
    refusal: step.wordOrNull('refusal', REFUSALS),
    delayMilliseconds: step.integerOrNull('delayMilliseconds', 0, LONGEST_DELAY_MILLISECONDS) ?? 0,
    notFoundTimes: step.integerOrNull('notFoundTimes', 0, MOST_TIMES) ?? 0,
    isReportedTwice: step.booleanOr('isReportedTwice', false),
    payments: step.listOrEmpty('payments', MOST_PAYMENTS, (payment) => ({
      daysAfterDue: payment.integer('daysAfterDue', -MOST_DAYS, MOST_DAYS),
      amount: payment.integerOrNull('amount', 1, LARGEST_AMOUNT),
    })),
  };
}
