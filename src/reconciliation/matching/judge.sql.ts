import { newId } from '../../platform/chance.ts';
import { type CommitStep, type Row, type Step, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import type { Day } from '../../values/instant.ts';
import { ENQUEUE_DELIVERIES } from '../../webhooks/deliveries/to-send.sql.ts';
import {
  EXCEPTION_MOVES,
  type ExceptionClass,
  type ExceptionMove,
  type ExceptionState,
  exceptionMove,
  type Finding,
  type KnownException,
  noticeOf,
} from '../exceptions/exception.ts';
import { exceptionMessage } from '../exceptions/exception-message.ts';
import {
  type Coverage,
  findingsOf,
  type JudgedInstallment,
  type MatchedPart,
  netOf,
} from '../exceptions/finding.ts';
import type { EntryKind } from '../settlement-entry.ts';
import type { InstallmentKey } from './decided-lines.ts';
import type { MatchRule } from './entry-match.ts';

/*
 * Judging an installment: under the lock of its receivable everything is read that is known of it, the
 * rules say in what files and books differ, and the exceptions are written as they follow. Whatever
 * changed before, and in whatever order, the same facts end in the same exceptions.
 */

const KEYS = inputRows<InstallmentKey>({
  merchant_id: ['text', (key) => key.merchantId],
  transaction_id: ['uuid', (key) => key.transactionId],
  installment_number: ['smallint', (key) => key.installmentNumber],
});

const LOCK = statement(
  'receivables.lock_to_judge',
  `select r.merchant_id, r.transaction_id, r.installment_number, r.account_number, r.gross, r.canceled, r.expected_fee,
     r.expected_net, to_char(r.expected_on, 'YYYY-MM-DD') as expected_on, r.installment_count, r.installment_state as state,
     to_char(c.covered_from, 'YYYY-MM-DD') as covered_from, to_char(c.covered_to, 'YYYY-MM-DD') as covered_to
   from (select * from ${KEYS.sql} order by 1, 2, 3) k
   cross join lateral (
     select * from receivables
     where merchant_id = k.merchant_id and transaction_id = k.transaction_id and installment_number = k.installment_number
     limit 1 for no key update
   ) r
   left join lateral (
     select min(covered_from) as covered_from, max(covered_to) as covered_to from settlement_coverages
     where merchant_id = k.merchant_id
   ) c on true`,
);

/** With a bound far above what files say of one installment. */
const READ_PARTS = statement(
  'settlement_matches.read_parts',
  `select m.*, to_char(m.bank_on, 'YYYY-MM-DD') as bank_day, c.state as change_state
   from ${KEYS.sql}
   cross join lateral (
     select * from settlement_matches
     where merchant_id = i.merchant_id and transaction_id = i.transaction_id
       and installment_number = i.installment_number
     order by file_number, line_number limit 50
   ) m
   left join lateral (
     select state from acquirer_changes where merchant_id = m.merchant_id and change_id = m.change_id limit 1
   ) c on true
   order by m.file_number, m.line_number`,
);

const READ_KNOWN = statement(
  'reconciliation_exceptions.read_known',
  `select e.*, to_char(e.day, 'YYYY-MM-DD') as day_text from ${KEYS.sql}
   cross join lateral (
     select * from reconciliation_exceptions
     where merchant_id = i.merchant_id and transaction_id = i.transaction_id
       and installment_number = i.installment_number
     limit 50
   ) e`,
);

type FiledMoney = InstallmentKey & {
  readonly fee: number | null;
  readonly net: number | null;
  readonly anticipation: number | null;
  readonly bankOn: Day | null;
};

const FILED = inputRows<FiledMoney>({
  merchant_id: ['text', (row) => row.merchantId],
  transaction_id: ['uuid', (row) => row.transactionId],
  installment_number: ['smallint', (row) => row.installmentNumber],
  fee: ['bigint', (row) => row.fee],
  net: ['bigint', (row) => row.net],
  anticipation: ['bigint', (row) => row.anticipation],
  bank_on: ['date', (row) => row.bankOn],
});

/** What files say that was paid; it is what was read under lock, and may be less than before. */
const RECORD_FILED = statement(
  'receivables.record_filed',
  `update receivables r set filed_fee = i.fee, filed_net = i.net, filed_anticipation = i.anticipation,
     filed_bank_on = i.bank_on
   from ${FILED.sql}
   where r.merchant_id = i.merchant_id and r.transaction_id = i.transaction_id
     and r.installment_number = i.installment_number
     and (r.filed_fee, r.filed_net, r.filed_anticipation, r.filed_bank_on)
       is distinct from (i.fee, i.net, i.anticipation, i.bank_on)
   returning true`,
);

/** An exception as a statement writes it. */
export type ExceptionRow = {
  readonly merchantId: string;
  readonly exceptionId: string;
  readonly key: string;
  readonly class: ExceptionClass;
  readonly event: 'open' | 'explain' | 'heal' | 'reopen' | 'refresh';
  readonly before: ExceptionState | null;
  readonly state: ExceptionState;
  readonly accountNumber: string | null;
  readonly transactionId: string | null;
  readonly installmentNumber: number | null;
  readonly fileNumber: number | null;
  readonly lineNumber: number | null;
  readonly finding: Omit<Finding, 'class'>;
  /** The message to those who want it; null: it is nobody's business. */
  readonly message: string | null;
};

const ROWS = inputRows<ExceptionRow>({
  merchant_id: ['text', (row) => row.merchantId],
  exception_id: ['uuid', (row) => row.exceptionId],
  exception_key: ['text', (row) => row.key],
  class: ['text', (row) => row.class],
  event: ['text', (row) => row.event],
  state_before: ['text', (row) => row.before],
  next_state: ['text', (row) => row.state],
  account_number: ['text', (row) => row.accountNumber],
  transaction_id: ['uuid', (row) => row.transactionId],
  installment_number: ['smallint', (row) => row.installmentNumber],
  file_number: ['bigint', (row) => row.fileNumber],
  line_number: ['integer', (row) => row.lineNumber],
  amount: ['bigint', (row) => row.finding.amount],
  expected: ['text', (row) => row.finding.expected],
  found: ['text', (row) => row.finding.found],
  day: ['date', (row) => row.finding.day],
  explanation: ['text', (row) => row.finding.explanation],
  body: ['text', (row) => row.message],
});

/** How soon an open exception is looked at again; each look that changes nothing doubles it. */
const FIRST_LOOK = "interval '1 minute'";
const IS_LOOKED_AT = "(g.next_state = 'open' or g.next_state = 'explained' and g.explanation = 'onItsWay')";

const RECORD = statement(
  'reconciliation_exceptions.record',
  `with given as materialized (
     select * from ${ROWS.sql}
   ), inserted as (
     insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, account_number,
       transaction_id, installment_number, file_number, line_number, amount, expected, found, day, explanation, due_at)
     select g.merchant_id, g.exception_id, g.exception_key, g.class, g.next_state, g.account_number, g.transaction_id,
       g.installment_number, g.file_number, g.line_number, g.amount, g.expected, g.found, g.day, g.explanation,
       case when ${IS_LOOKED_AT} then now() + ${FIRST_LOOK} end
     from given g where g.event = 'open'
     on conflict do nothing
     returning merchant_id, exception_id
   ), moved as (
     update reconciliation_exceptions e set state = g.next_state,
       amount = g.amount, expected = g.expected, found = g.found, day = g.day, explanation = g.explanation,
       ended_at = case when g.next_state = 'healed' then now() end, reason = null, resolved_by = null, tries = 0,
       due_at = case when ${IS_LOOKED_AT} then now() + ${FIRST_LOOK} end
     from given g
     where e.merchant_id = g.merchant_id and e.exception_id = g.exception_id
       and e.state in (${fromStates(EXCEPTION_MOVES, 'explain', 'heal', 'reopen')}) and e.state = g.state_before
       and g.event in ('explain', 'heal', 'reopen')
     returning e.merchant_id, e.exception_id
   ), refreshed as (
     update reconciliation_exceptions e set amount = g.amount, expected = g.expected, found = g.found, day = g.day
     from given g
     where e.merchant_id = g.merchant_id and e.exception_id = g.exception_id and g.event = 'refresh'
   ), enqueued as (
     ${ENQUEUE_DELIVERIES}
     select g.merchant_id, nextval('movement_ids'), 'notice', n.endpoint, g.account_number, g.exception_id,
       0, null, n.callback_url, g.body, now(), now(), null, 0
     from (select merchant_id, exception_id from inserted union all select merchant_id, exception_id from moved) w
     join given g on g.merchant_id = w.merchant_id and g.exception_id = w.exception_id and g.body is not null
     cross join lateral (
       select endpoint, callback_url from reconciliation_notifiers
       where merchant_id = g.merchant_id and account_number = g.account_number limit 1
     ) n
     returning true
   )
   select (select count(*) from inserted) as opened, (select count(*) from moved) as moved,
     exists (select from enqueued) as is_waiting`,
);

/** Writes exceptions within a commit; its one row says how many, and whether a delivery waits. */
export function recordExceptionsStep(rows: readonly ExceptionRow[]): Step | null {
  return rows.length === 0 ? null : { statement: RECORD, values: ROWS.values(rows) };
}

/** How many steps `judgeSteps` gives. */
const STEPS_TO_JUDGE = 5;

/**
 * The steps that judge installments within a commit; `at`: how many steps stand before them. Of the
 * last one's row `is_waiting` says that the deliverer is to be notified.
 */
export function judgeSteps(keys: readonly InstallmentKey[], at: number): CommitStep[] {
  if (keys.length === 0) return Array.from({ length: STEPS_TO_JUDGE }, () => () => null);
  const values = KEYS.values(uniqueKeys(keys));
  return [
    { statement: LOCK, values },
    { statement: READ_PARTS, values },
    { statement: READ_KNOWN, values },
    (rows) => filedStep(rows[at] ?? [], partsByPlace(rows[at + 1] ?? [])),
    (rows) => {
      const [parts, known] = [partsByPlace(rows[at + 1] ?? []), knownByPlace(rows[at + 2] ?? [])];
      return recordExceptionsStep((rows[at] ?? []).flatMap((row) => exceptionRows(row, parts, known)));
    },
  ];
}

function uniqueKeys(keys: readonly InstallmentKey[]): InstallmentKey[] {
  const named = keys.map((key) => [`${key.merchantId} ${key.transactionId} ${key.installmentNumber}`, key]);
  return [...new Map(named as [string, InstallmentKey][]).values()];
}

const placeOf = (row: Row) => `${row.merchant_id} ${row.transaction_id} ${row.installment_number}`;

function partsByPlace(rows: readonly Row[]): ReadonlyMap<string, readonly MatchedPart[]> {
  const places = Map.groupBy(rows, placeOf);
  return new Map([...places].map(([place, found]) => [place, found.map(parsePart)]));
}

function knownByPlace(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  return Map.groupBy(rows, placeOf);
}

export function parsePart(row: Row): MatchedPart {
  return {
    kind: row.kind as EntryKind,
    rule: row.rule as MatchRule,
    fileNumber: row.file_number as number,
    lineNumber: row.line_number as number,
    gross: row.gross as number,
    fee: row.fee as number | null,
    net: row.net as number | null,
    anticipationFee: row.anticipation_fee as number | null,
    bankOn: row.bank_day as Day | null,
    document: row.document as string | null,
    changeState: row.change_state as MatchedPart['changeState'],
  };
}

export function parseJudged(row: Row): JudgedInstallment {
  return {
    gross: row.gross as number,
    canceled: row.canceled as number,
    expectedFee: row.expected_fee as number,
    expectedNet: row.expected_net as number,
    expectedOn: row.expected_on as Day,
    installmentCount: row.installment_count as number,
    state: row.state as JudgedInstallment['state'],
  };
}

function keyOf(row: Row): InstallmentKey {
  return {
    merchantId: row.merchant_id as string,
    transactionId: row.transaction_id as string,
    installmentNumber: row.installment_number as number,
  };
}

/** What a receivable shows as filed: the sums of the lines that pay it, and their last day. */
function filedStep(judged: readonly Row[], parts: ReadonlyMap<string, readonly MatchedPart[]>): Step | null {
  if (judged.length === 0) return null;
  const rows = judged.map((row): FiledMoney => {
    const paid = (parts.get(placeOf(row)) ?? []).filter(
      ({ kind }) => kind === 'payout' || kind === 'anticipation',
    );
    const sum = (amount: (part: MatchedPart) => number) => paid.reduce((all, part) => all + amount(part), 0);
    const days = paid.flatMap(({ bankOn }) => (bankOn === null ? [] : [bankOn])).sort();
    const isPaid = paid.length > 0;
    return {
      ...keyOf(row),
      fee: isPaid ? sum(({ fee }) => fee ?? 0) : null,
      net: isPaid ? sum(netOf) : null,
      anticipation: isPaid ? sum(({ anticipationFee }) => anticipationFee ?? 0) : null,
      bankOn: days.at(-1) ?? null,
    };
  });
  return { statement: RECORD_FILED, values: FILED.values(rows) };
}

function coverageOf(row: Row): Coverage {
  return row.covered_to === null
    ? null
    : { coveredFrom: row.covered_from as Day, coveredTo: row.covered_to as Day };
}

function exceptionRows(
  row: Row,
  parts: ReadonlyMap<string, readonly MatchedPart[]>,
  known: ReadonlyMap<string, readonly Row[]>,
): ExceptionRow[] {
  const place = placeOf(row);
  const findings = findingsOf(parseJudged(row), parts.get(place) ?? [], coverageOf(row));
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
  const key = keyOf(row);
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
