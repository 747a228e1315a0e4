import type { Fields } from '../../../../platform/channels/answer-fields.ts';
import type { Asked } from '../../../../platform/channels/ask-once.ts';
import type { UnclearCause } from '../../../../platform/channels/unclear.ts';
import { parseBarCode } from '../../../../values/bar-code.ts';
import {
  type BankNotConnected,
  type BankUnknown,
  BOLETO_CANCEL_REFUSAL_REASONS,
  type BoletoCancelAnswer,
  type BoletoRequest,
  DUE_DAY_REFUSAL_REASONS,
  type DueDayAnswer,
  type FoundBoleto,
  ISSUE_REFUSAL_REASONS,
  type IssueAnswer,
  type RegisteredBoleto,
} from '../../bank.ts';

type AskedBoleto = Pick<BoletoRequest, 'ourNumber' | 'amount' | 'dueOn'>;

/** Another number, or a bar code with other facts, is unknown: a payer would pay the wrong boleto. */
export function readIssue(answer: Asked, asked: AskedBoleto, bankCode: string): IssueAnswer {
  const { failed, body } = readBody(answer, asked.ourNumber);
  if (failed !== null) return failed;
  if (body.outcome === 'issued') {
    const registered = readRegistered(body, asked, bankCode);
    return typeof registered === 'string' ? unknown(registered) : { kind: 'issued', ...registered };
  }
  const reason = ISSUE_REFUSAL_REASONS.find((known) => known === body.reason);
  if (body.outcome === 'refused' && reason !== undefined) return { kind: 'refused', reason };
  return unknown('the answer was neither a yes nor a no');
}

export function readCancel(answer: Asked, ourNumber: string): BoletoCancelAnswer {
  const { failed, body } = readBody(answer, ourNumber);
  if (failed !== null) return failed;
  if (body.outcome === 'canceled') return { kind: 'canceled' };
  const reason = BOLETO_CANCEL_REFUSAL_REASONS.find((known) => known === body.reason);
  if (body.outcome === 'refused' && reason !== undefined) return { kind: 'refused', reason };
  return unknown('the answer was neither a yes nor a no');
}

/** Another bar code than that of the wanted day is unknown. A bridge that has no such path changes none. */
export function readDueDay(answer: Asked, asked: AskedBoleto, bankCode: string): DueDayAnswer {
  const isUnknownPath = answer.kind === 'answer' && answer.status === 404;
  if (isUnknownPath && fieldsOf(answer.body)?.error === 'unknownPath')
    return { kind: 'refused', reason: 'notOffered' };
  const { failed, body } = readBody(answer, asked.ourNumber);
  if (failed !== null) return failed;
  if (body.outcome === 'changed') {
    const registered = readRegistered(body, asked, bankCode);
    return typeof registered === 'string' ? unknown(registered) : { kind: 'changed', ...registered };
  }
  const reason = DUE_DAY_REFUSAL_REASONS.find((known) => known === body.reason);
  if (body.outcome === 'refused' && reason !== undefined) return { kind: 'refused', reason };
  return unknown('the answer was neither a yes nor a no');
}

export function readFound(answer: Asked, asked: AskedBoleto, bankCode: string): FoundBoleto {
  const isNotFound = answer.kind === 'answer' && answer.status === 404;
  if (isNotFound && fieldsOf(answer.body)?.error === 'notFound') return { kind: 'notFound' };
  const { failed, body } = readBody(answer, asked.ourNumber);
  // A look-up is repeated either way.
  if (failed !== null) return { ...failed, kind: 'unknown' };
  const { status } = body;
  if (status === 'canceled' || status === 'expired') return { kind: status };
  if (status !== 'issued' && status !== 'paid') return unknown('the answer had no status that is known');
  const { barCode } = body;
  const read = typeof barCode === 'string' ? parseBarCode(barCode, asked.dueOn) : null;
  const dueOn = (read?.kind === 'barCode' ? read.dueOn : null) ?? asked.dueOn;
  const registered = readRegistered(body, { ...asked, dueOn }, bankCode);
  return typeof registered === 'string' ? unknown(registered) : { kind: status, dueOn, ...registered };
}

type Failed = BankUnknown | BankNotConnected;
type Body =
  | { readonly failed: null; readonly body: Fields }
  | { readonly failed: Failed; readonly body: null };

/** Returns the fields of an answer about this number, or why there are none. */
function readBody(answer: Asked, ourNumber: string): Body {
  if (answer.kind === 'notConnected') return failing({ ...answer, cause: 'silent' });
  if (answer.kind === 'notSent')
    return failing({ kind: 'notConnected', cause: 'notAsked', reason: answer.reason });
  if (answer.kind === 'unknown') return failing(unknown(answer.reason, 'silent'));
  const body = fieldsOf(answer.body);
  if (answer.status === 409 && body?.error === 'referenceReused')
    return failing(unknown('our number stands for another boleto at the bank'));
  if (answer.status !== 200 || body === null) return failing(otherStatus(answer.status));
  if (body.ourNumber !== ourNumber) return failing(unknown('the answer was for another number'));
  return { failed: null, body };
}

function failing(failed: Failed): Body {
  return { failed, body: null };
}

/** Returns the boleto, or why it is not the requested one. */
function readRegistered(body: Fields, asked: AskedBoleto, bankCode: string): RegisteredBoleto | string {
  const { barCode, pixEmv = null } = body;
  if (typeof barCode !== 'string') return 'the boleto had no bar code';
  const read = parseBarCode(barCode, asked.dueOn);
  if (read.kind === 'fault') return `the bar code cannot be: ${read.fault}`;
  if (read.bankCode !== bankCode) return 'the bar code was of another bank';
  if (read.amount !== asked.amount) return 'the bar code was of another amount';
  if (read.dueOn !== asked.dueOn) return 'the bar code was of another due day';
  if (pixEmv === null) return { barCode, pixEmv };
  const isFit = typeof pixEmv === 'string' && isPixCodeOf(pixEmv, asked.amount);
  return isFit ? { barCode, pixEmv } : 'the Pix code cannot be';
}

/** A bridge whose bank gives no clear answer says 503. */
export function otherStatus(status: number): BankUnknown {
  return unknown(`the bank answered ${status}`, status >= 500 ? 'silent' : 'unusable');
}

export function unknown(reason: string, cause: UnclearCause = 'unusable'): BankUnknown {
  return { kind: 'unknown', cause, reason };
}

function fieldsOf(body: unknown): Fields | null {
  return typeof body === 'object' && body !== null ? (body as Fields) : null;
}

const LONGEST = 512;
/** Begins with version 01 and ends with a check sum of four digits. */
const FORM = /^000201[\x20-\x7e]*6304[0-9A-F]{4}$/;
const REAIS = '986';

type Field = { readonly id: string; readonly value: string };

/** Whether a BR Code is sound and fits the amount. A code without an amount fits any. */
export function isPixCodeOf(code: string, amount: number): boolean {
  if (code.length > LONGEST || !FORM.test(code)) return false;
  if (checkSum(code.slice(0, -4)) !== code.slice(-4)) return false;
  const fields = pixFieldsOf(code);
  if (fields === null) return false;
  const textOf = (id: string) => fields.find((field) => field.id === id)?.value;
  if (textOf('53') !== REAIS || textOf('58') !== 'BR') return false;
  const named = textOf('54');
  return (
    named === undefined || named === `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`
  );
}

/** Each field is a two-digit id, a two-digit length, and the value. Returns null if the code is malformed. */
function pixFieldsOf(code: string): readonly Field[] | null {
  const fields: Field[] = [];
  for (let start = 0; start < code.length; ) {
    const head = code.slice(start, start + 4);
    if (!/^\d{4}$/.test(head)) return null;
    const end = start + 4 + Number(head.slice(2));
    if (end > code.length) return null;
    fields.push({ id: head.slice(0, 2), value: code.slice(start + 4, end) });
    start = end;
  }
  return fields;
}

/** CRC-16 with polynomial 0x1021 and initial value 0xffff, in upper-case hexadecimal. */
function checkSum(text: string): string {
  let sum = 0xffff;
  for (const byte of Buffer.from(text, 'latin1')) {
    sum ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) sum = ((sum << 1) ^ (sum & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return sum.toString(16).toUpperCase().padStart(4, '0');
}
