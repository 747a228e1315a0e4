import { newId } from '../../platform/chance.ts';
import { type CommitStep, type Row, type Step, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import type { Day } from '../../values/instant.ts';
import {
  type ExceptionClass,
  type ExceptionMove,
  type ExceptionState,
  exceptionMove,
  type Finding,
  type KnownException,
  noticeOf,
} from '../exceptions/exception.ts';
import { exceptionMessage } from '../exceptions/exception-message.ts';
import { type ExceptionRow, recordExceptionsStep } from '../exceptions/exception-writes.sql.ts';
import { findingsOf } from './finding.ts';
import { judgedSteps, parseJudged, parseKey, partsByPlace, placeOf } from './judged.sql.ts';
import { type FiledPayout, filedPayout, type InstallmentKey, type MatchedPart } from './matched-part.ts';
import { type ApartDays, apartDays } from './money-of-day.ts';

/*
 * Judging an installment: under the lock of its receivable everything is read that is known of it, the
 * rules say in what files and books differ, and the exceptions are written as they follow. Whatever
 * changed before, and in whatever order, the same facts end in the same exceptions.
 */

type FiledMoney = InstallmentKey & FiledPayout & { readonly apart: ApartDays | null };

const FILED = inputRows<FiledMoney>({
  merchant_id: ['text', (row) => row.merchantId],
  transaction_id: ['uuid', (row) => row.transactionId],
  installment_number: ['smallint', (row) => row.installmentNumber],
  fee: ['bigint', (row) => row.fee],
  net: ['bigint', (row) => row.net],
  anticipation: ['bigint', (row) => row.anticipation],
  bank_on: ['date', (row) => row.bankOn],
  apart_from: ['date', (row) => row.apart?.from ?? null],
  apart_to: ['date', (row) => row.apart?.to ?? null],
});

/** What files say that was paid; it is what was read under lock, and may be less than before. */
const RECORD_FILED = statement(
  'receivables.record_filed',
  `update receivables r set filed_fee = i.fee, filed_net = i.net, filed_anticipation = i.anticipation,
     filed_bank_on = i.bank_on, apart_from = i.apart_from, apart_to = i.apart_to
   from ${FILED.sql}
   where r.merchant_id = i.merchant_id and r.transaction_id = i.transaction_id
     and r.installment_number = i.installment_number
     and (r.filed_fee, r.filed_net, r.filed_anticipation, r.filed_bank_on, r.apart_from, r.apart_to)
       is distinct from (i.fee, i.net, i.anticipation, i.bank_on, i.apart_from, i.apart_to)
   returning true`,
);

/** How many steps `judgeSteps` gives. */
const STEPS_TO_JUDGE = 5;

/**
 * The steps that judge installments within a commit; `at`: how many steps stand before them. Of the
 * last one's row `is_waiting` says that the deliverer is to be notified.
 */
export function judgeSteps(keys: readonly InstallmentKey[], at: number): CommitStep[] {
  if (keys.length === 0) return Array.from({ length: STEPS_TO_JUDGE }, () => () => null);
  return [
    ...judgedSteps(uniqueKeys(keys)),
    (rows) => filedStep(rows[at] ?? [], partsByPlace(rows[at + 1] ?? [])),
    (rows) => {
      const [parts, known] = [partsByPlace(rows[at + 1] ?? []), knownByPlace(rows[at + 2] ?? [])];
      return recordExceptionsStep((rows[at] ?? []).flatMap((row) => exceptionRows(row, parts, known)));
    },
  ];
}

/** The same of installments that a step before them gives. */
export function judgeGivenSteps(
  keysOf: (rows: readonly Row[][]) => readonly InstallmentKey[],
  at: number,
): CommitStep[] {
  return Array.from({ length: STEPS_TO_JUDGE }, (_, index): CommitStep => {
    return (rows) => {
      const step = judgeSteps(keysOf(rows), at)[index] as CommitStep;
      return typeof step === 'function' ? step(rows) : step;
    };
  });
}

function uniqueKeys(keys: readonly InstallmentKey[]): InstallmentKey[] {
  const named = keys.map((key) => [`${key.merchantId} ${key.transactionId} ${key.installmentNumber}`, key]);
  return [...new Map(named as [string, InstallmentKey][]).values()];
}

function knownByPlace(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  return Map.groupBy(rows, placeOf);
}

/** What a receivable shows as filed: the sums of the lines that pay it, their last day, if that is all. */
function filedStep(judged: readonly Row[], parts: ReadonlyMap<string, readonly MatchedPart[]>): Step | null {
  if (judged.length === 0) return null;
  const rows = judged.map((row) => {
    const lines = parts.get(placeOf(row)) ?? [];
    const apart = apartDays(lines, { expectedOn: row.expected_on as Day });
    return { ...parseKey(row), ...filedPayout(lines), apart };
  });
  return { statement: RECORD_FILED, values: FILED.values(rows) };
}

function exceptionRows(
  row: Row,
  parts: ReadonlyMap<string, readonly MatchedPart[]>,
  known: ReadonlyMap<string, readonly Row[]>,
): ExceptionRow[] {
  const place = placeOf(row);
  const findings = findingsOf(parseJudged(row), parts.get(place) ?? []);
  const standing = known.get(place) ?? [];
  const classes = new Set<string>([
    ...findings.map((finding) => finding.class),
    ...standing.map((each) => each.class as string),
  ]);
  return [...classes].flatMap((name) => {
    const finding = findings.find((each) => each.class === name) ?? null;
    const before = standing.find((each) => each.class === name);
    const move = exceptionMove(before === undefined ? null : parseKnown(before), finding);
    return exceptionRow(row, name as ExceptionClass, { finding, before, move });
  });
}

function parseKnown(row: Row): KnownException {
  return {
    class: row.class as ExceptionClass,
    state: row.state as ExceptionState,
    amount: row.amount as number,
    expected: row.expected as string | null,
    found: row.found as string | null,
    day: row.day_text as Day | null,
    wasOpen: row.was_open as boolean,
  };
}

function exceptionRow(
  row: Row,
  name: ExceptionClass,
  {
    finding,
    before,
    move,
  }: {
    readonly finding: Finding | null;
    readonly before: Row | undefined;
    readonly move: ExceptionMove;
  },
): ExceptionRow[] {
  if (move.kind === 'none') return [];
  const key = parseKey(row);
  const known = before === undefined ? null : parseKnown(before);
  // One that healed keeps the money that it was about.
  const shown = finding ?? { ...(known as KnownException), explanation: null };
  const exceptionId = (before?.exception_id as string | undefined) ?? newId();
  const state = move.kind === 'refresh' ? (known as KnownException).state : move.state;
  const accountNumber = row.account_number as string;
  const notice = noticeOf(known, move, finding);
  return [
    {
      ...key,
      exceptionId,
      key: `${key.transactionId}:${key.installmentNumber}:${name}`,
      class: name,
      event: move.kind === 'move' ? (move.event as ExceptionRow['event']) : move.kind,
      before: known?.state ?? null,
      state,
      accountNumber,
      fileNumber: null,
      lineNumber: null,
      finding: shown,
      message:
        notice === null
          ? null
          : exceptionMessage(notice, { ...key, ...shown, exceptionId, accountNumber, class: name, state }),
    },
  ];
}
