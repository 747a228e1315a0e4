import { type Reader, type Row, type Step, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { addDays, type Day } from '../../values/instant.ts';
import type { EntryKind, EntryMoney } from '../settlement-entry.ts';
import { AWAITS_LIST, COVERED_TO } from './coverage.sql.ts';
import { GRACE_DAYS, type JudgedInstallment, TAKING_DAYS } from './judged-installment.ts';
import type { InstallmentKey, MatchedPart, MatchRule } from './matched-part.ts';

/** Chargebacks of a receivable `r`, as the states took what the acquirer or its files reported. */
const OF_CHARGEBACKS = `from acquirer_changes e
       where e.merchant_id = r.merchant_id and e.reference = r.transaction_id::text
         and e.installment_number = r.installment_number and e.event = 'chargeback' and e.state = 'applied'`;

/** What they took; null: of one nobody said how much. */
export const CHARGED_BACK = `(
       select case when bool_or(e.amount is null) then null else coalesce(sum(e.amount), 0)::bigint end
       ${OF_CHARGEBACKS}
     )`;

/**
 * What of a receivable `r` is judged.
 */
export const JUDGED_COLUMNS = `r.gross, r.canceled, r.fee_portion, r.expected_fee, r.expected_net,
     to_char(r.expected_on, 'YYYY-MM-DD') as expected_on, to_char(r.paid_on, 'YYYY-MM-DD') as paid_on,
     r.installment_count, r.installment_state as state, ${COVERED_TO} as covered_to, ${AWAITS_LIST} as awaits_list,
     ${CHARGED_BACK} as charged_back, (
       select coalesce(sum(e.amount), 0)::bigint ${OF_CHARGEBACKS} and e.source = 'file'
     ) as charged_back_by_files`;

const KEYS = inputRows<InstallmentKey>({
  merchant_id: ['text', (key) => key.merchantId],
  transaction_id: ['uuid', (key) => key.transactionId],
  installment_number: ['smallint', (key) => key.installmentNumber],
});

const OF_KEYS = `select r.merchant_id, r.transaction_id, r.installment_number, r.account_number, ${JUDGED_COLUMNS}
   from (select * from ${KEYS.sql} order by 1, 2, 3) k
   cross join lateral (
     select * from receivables
     where merchant_id = k.merchant_id and transaction_id = k.transaction_id and installment_number = k.installment_number
     limit 1`;

const LOCK = statement('receivables.lock_to_judge', `${OF_KEYS} for no key update) r`);
const READ_INSTALLMENTS = statement('receivables.read_judged', `${OF_KEYS}) r order by 1, 2, 3`);

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

/** Installments under lock, then the parts of lines in them, then the exceptions that stand of them. */
export function judgedSteps(keys: readonly InstallmentKey[]): Step[] {
  const values = KEYS.values(keys);
  return [LOCK, READ_PARTS, READ_KNOWN].map((each) => ({ statement: each, values }));
}

/** An installment with all that is known of it. */
export type ReadInstallment = InstallmentKey & {
  readonly installment: JudgedInstallment;
  readonly parts: readonly MatchedPart[];
  /** The exceptions that are not healed: their ids by class. */
  readonly exceptions: ReadonlyMap<string, string>;
};

/** The same without a lock, in the order of their keys. */
export async function readJudged(
  database: Reader,
  keys: readonly InstallmentKey[],
): Promise<ReadInstallment[]> {
  if (keys.length === 0) return [];
  const values = KEYS.values(keys);
  const installments = await database.query(READ_INSTALLMENTS, values);
  const parts = partsByPlace(await database.query(READ_PARTS, values));
  const known = Map.groupBy(await database.query(READ_KNOWN, values), placeOf);
  return installments.map((row) => ({
    ...parseKey(row),
    installment: parseJudged(row),
    parts: parts.get(placeOf(row)) ?? [],
    exceptions: new Map(
      (known.get(placeOf(row)) ?? [])
        .filter(({ state }) => state !== 'healed')
        .map((each) => [each.class as string, each.exception_id as string]),
    ),
  }));
}

export const placeOf = (row: Row) => `${row.merchant_id} ${row.transaction_id} ${row.installment_number}`;

export function partsByPlace(rows: readonly Row[]): ReadonlyMap<string, readonly MatchedPart[]> {
  const places = Map.groupBy(rows, placeOf);
  return new Map([...places].map(([place, found]) => [place, found.map(parsePart)]));
}

/** Of a line, or of its part in an installment. */
export function parseLine(
  row: Row,
): EntryMoney & Pick<MatchedPart, 'kind' | 'fileNumber' | 'lineNumber' | 'bankOn' | 'document'> {
  return {
    kind: row.kind as EntryKind,
    fileNumber: row.file_number as number,
    lineNumber: row.line_number as number,
    gross: row.gross as number,
    fee: row.fee as number | null,
    net: row.net as number | null,
    anticipationFee: row.anticipation_fee as number | null,
    bankOn: row.bank_day as Day | null,
    document: row.document as string | null,
  };
}

export function parsePart(row: Row): MatchedPart {
  return {
    ...parseLine(row),
    rule: row.rule as MatchRule,
    changeId: row.change_id as string | null,
    changeState: row.change_state as MatchedPart['changeState'],
  };
}

export function parseJudged(row: Row): JudgedInstallment {
  const [expectedOn, coveredTo] = [row.expected_on as Day, row.covered_to as Day | null];
  return {
    gross: row.gross as number,
    canceled: row.canceled as number,
    chargedBack: row.charged_back as number | null,
    chargedBackByFiles: row.charged_back_by_files as number,
    feePortion: row.fee_portion as number,
    expectedFee: row.expected_fee as number,
    expectedNet: row.expected_net as number,
    expectedOn,
    paidOn: row.paid_on as Day | null,
    installmentCount: row.installment_count as number,
    state: row.state as JudgedInstallment['state'],
    isCovered: coveredTo !== null && addDays(expectedOn, GRACE_DAYS) <= coveredTo,
    awaitsList: row.awaits_list as boolean,
    mayStillTake: coveredTo === null || coveredTo < addDays(expectedOn, TAKING_DAYS),
  };
}

export function parseKey(row: Row): InstallmentKey {
  return {
    merchantId: row.merchant_id as string,
    transactionId: row.transaction_id as string,
    installmentNumber: row.installment_number as number,
  };
}

const READ_LINES = statement(
  'settlement_matches.read_lines_of_installment',
  `select m.*, to_char(m.bank_on, 'YYYY-MM-DD') as bank_day, f.name, f.format, c.state as change_state,
     (select e.line from settlement_entries e where e.file_number = m.file_number and e.line_number = m.line_number) as line
   from settlement_matches m
   join settlement_files f on f.file_number = m.file_number
   left join acquirer_changes c on c.merchant_id = m.merchant_id and c.change_id = m.change_id
   where m.merchant_id = $1 and m.transaction_id = $2 and m.installment_number = $3
   order by m.file_number, m.line_number limit 50`,
);

/** A line of a file as a person reads it. */
export type ShownLine = MatchedPart & {
  readonly fileName: string;
  readonly format: string;
  readonly line: string | null;
};

export async function readLinesOfInstallment(
  database: Reader,
  { merchantId, transactionId, installmentNumber }: InstallmentKey,
): Promise<ShownLine[]> {
  const rows = await database.query(READ_LINES, [merchantId, transactionId, installmentNumber]);
  return rows.map((row) => ({
    ...parsePart(row),
    fileName: row.name as string,
    format: row.format as string,
    line: row.line as string | null,
  }));
}
