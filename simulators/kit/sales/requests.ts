import { FieldReader } from '../field-reader.ts';
import {
  LARGEST_AMOUNT,
  MERCHANT_ID,
  MOST_INSTALLMENTS,
  RESOLUTIONS,
  SALE_ID,
  WHOLE_PORTION,
} from './entries.ts';
import { FAULTS, OPERATIONS, type Step } from './script-step.ts';

const MOST_STEPS = 1_000;
const LONGEST_WAIT_MILLISECONDS = 60_000;
const LONGEST_TIME_MILLISECONDS = 400 * 86_400_000;
const MOST_COPIES = 5;

export function readScript(json: unknown): Reading<{ merchantId: string; steps: Step[] }> {
  return reading(json, (fields) => ({
    merchantId: fields.text('merchantId', MERCHANT_ID),
    steps: fields.list('steps', MOST_STEPS, readStep),
  }));
}

function readStep(step: FieldReader): Step {
  const milliseconds = (name: string, most: number) => step.integerOrNull(name, 0, most) ?? 0;
  const read = {
    on: step.word('on', OPERATIONS),
    fault: step.wordOrNull('fault', FAULTS),
    delayMilliseconds: milliseconds('delayMilliseconds', LONGEST_WAIT_MILLISECONDS),
    copies: milliseconds('copies', MOST_COPIES),
    copiesAfterMilliseconds: milliseconds('copiesAfterMilliseconds', LONGEST_WAIT_MILLISECONDS),
    outcome: step.wordOrNull('outcome', ['approved', 'declined']),
    meaning: step.textOrNull('meaning', /^\d\d$/),
    responseCode: step.textOrNull('responseCode', /^[0-9A-Z]{2,4}$/),
    adviceCode: step.textOrNull('adviceCode', /^\d\d$/),
    returnCode: step.textOrNull('returnCode', /^\d{1,4}$/),
    books: step.booleanOr('books', false),
    doubt: step.objectOrNull('doubt', (doubt) => ({
      status: Number(doubt.text('status', /^(0|12)$/)) as 0 | 12,
      becomes: doubt.word('becomes', RESOLUTIONS),
      afterMilliseconds: doubt.integerOrNull('afterMilliseconds', 0, LONGEST_TIME_MILLISECONDS),
    })),
    pending: step.objectOrNull('pending', (pending) => ({
      afterMilliseconds: pending.integer('afterMilliseconds', 0, LONGEST_TIME_MILLISECONDS),
      fails: pending.booleanOr('fails', false),
    })),
    feePortion: step.integerOrNull('feePortion', 0, WHOLE_PORTION) ?? 0,
  };
  step.refuseOthers();
  return read;
}

export function readChange(json: unknown) {
  return reading(json, (fields) => ({
    id: fields.text('id', SALE_ID),
    change: fields.word('change', ['settled', 'chargeback']),
    installmentNumber: fields.integer('installmentNumber', 1, MOST_INSTALLMENTS),
    amount: fields.integerOrNull('amount', 1, LARGEST_AMOUNT),
    anticipationFee: fields.integerOrNull('anticipationFee', 1, LARGEST_AMOUNT),
  }));
}

export function readClock(json: unknown): Reading<number> {
  return reading(json, (fields) => fields.integer('forwardMilliseconds', 1, LONGEST_TIME_MILLISECONDS));
}

export function readKey(json: unknown): Reading<{ merchantId: string; key: string }> {
  return reading(json, (fields) => ({
    merchantId: fields.text('merchantId', MERCHANT_ID),
    key: fields.text('key', /^[\x21-\x7e]{1,255}$/),
  }));
}

export type Reading<T> = { readonly value: T } | { readonly fault: string };

function reading<T>(json: unknown, read: (fields: FieldReader) => T): Reading<T> {
  const fields = new FieldReader(json);
  const value = read(fields);
  return fields.fault === null ? { value } : { fault: fields.fault };
}
