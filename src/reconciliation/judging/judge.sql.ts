import { newId } from '../../platform/chance.ts';
import { statement, type Tx } from '../../platform/postgres/database.ts';
import { inputRows, own } from '../../platform/postgres/input-rows.ts';
import {
  type ExceptionClass,
  exceptionMessage,
  exceptionMove,
  type Finding,
  noticeOf,
} from '../exceptions/exception.ts';

import { type ExceptionRow, recordExceptions } from '../exceptions/exception-writes.sql.ts';
import { findingsOf } from './finding.ts';
import { type KnownInstallment, lockKnown, type StandingException } from './judged.sql.ts';
import { type FiledPayout, filedPayout, type InstallmentKey } from './judged-installment.ts';
import { type ApartDays, apartDays } from './money-of-day.ts';

/*
 * Judging reads all facts of an installment under the lock of its receivable, compares files and books by the
 * rules, and writes the resulting exceptions. The order in which facts came does not matter.
 */

type FiledMoney = InstallmentKey & FiledPayout & { readonly apart: ApartDays | null };

const FILED = inputRows<FiledMoney>({
  ...own({ merchantId: 'text', transactionId: 'uuid', installmentNumber: 'smallint', fee: 'bigint' }),
  ...own({ net: 'bigint', anticipation: 'bigint', bankOn: 'date' }),
  apart_from: ['date', (row) => row.apart?.from ?? null],
  apart_to: ['date', (row) => row.apart?.to ?? null],
});

/** The sums were read under a lock, and may be less than before. */
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

/** Returns whether a delivery was written. */
export async function judge(tx: Tx, keys: readonly InstallmentKey[]): Promise<boolean> {
  if (keys.length === 0) return false;
  const known = await lockKnown(tx, uniqueKeys(keys));
  if (known.length > 0) await tx.query(RECORD_FILED, FILED.values(known.map(filedMoney)));
  return recordExceptions(tx, known.flatMap(exceptionRows));
}

function uniqueKeys(keys: readonly InstallmentKey[]): InstallmentKey[] {
  const named = keys.map((key) => [`${key.merchantId} ${key.transactionId} ${key.installmentNumber}`, key]);
  return [...new Map(named as [string, InstallmentKey][]).values()];
}

function filedMoney({ key, installment, parts }: KnownInstallment): FiledMoney {
  return { ...key, ...filedPayout(parts), apart: apartDays(parts, installment) };
}

function exceptionRows(known: KnownInstallment): ExceptionRow[] {
  const { installment, parts, standing } = known;
  const findings = findingsOf(installment, parts);
  const classes = new Set([...findings, ...standing].map((each) => each.class));
  return [...classes].flatMap((name) => {
    const finding = findings.find((each) => each.class === name) ?? null;
    const before = standing.find((each) => each.class === name) ?? null;
    return exceptionRow(known, name, finding, before);
  });
}

function exceptionRow(
  { key, accountNumber }: KnownInstallment,
  name: ExceptionClass,
  finding: Finding | null,
  before: StandingException | null,
): ExceptionRow[] {
  const move = exceptionMove(before, finding);
  if (move.kind === 'none') return [];
  // A healed exception keeps its last amount.
  const shown = finding ?? { ...(before as StandingException), explanation: null };
  const exceptionId = before?.exceptionId ?? newId();
  const state = move.kind === 'refresh' ? (before as StandingException).state : move.state;
  const notice = noticeOf(before, move, finding);
  return [
    {
      ...key,
      exceptionId,
      key: `${key.transactionId}:${key.installmentNumber}:${name}`,
      class: name,
      event: move.kind === 'move' ? (move.event as ExceptionRow['event']) : move.kind,
      before: before?.state ?? null,
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
