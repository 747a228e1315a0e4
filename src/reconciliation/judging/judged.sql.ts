import {
  type Reader,
  type Row,
  type Statement,
  statement,
  type Tx,
} from '../../platform/postgres/database.ts';
import { inputRows, own } from '../../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { INSTALLMENT_STATES } from '../../transactions/transaction.ts';
import { addDays, type Day } from '../../values/instant.ts';
import { EXCEPTION_CLASSES, EXCEPTION_STATES, type KnownException } from '../exceptions/exception.ts';
import { ENTRY_KINDS } from '../settlement-entry.ts';
import {
  FILED_CHANGE_STATES,
  GRACE_DAYS,
  type InstallmentKey,
  type JudgedInstallment,
  MATCH_RULES,
  type MatchedPart,
  TAKING_DAYS,
} from './judged-installment.ts';

/* Facts of a receivable `r` that no line pays. For a paid one they are not read. */

/** `GRACE_DAYS` as SQL text. */
const GRACE = '2';

const IS_UNPAID = `not exists (
       select from settlement_matches m where m.merchant_id = r.merchant_id and m.transaction_id = r.transaction_id
         and m.installment_number = r.installment_number and m.kind in ('payout', 'anticipation')
     )`;

/**
 * Whether a missing file of coverage `v` may report the day of `r` or its grace days: its days lie between
 * those of the files before and after it.
 */
const IS_FILE_MISSING = `exists (
         select from settlement_files f
         cross join lateral (
           select to_on from settlement_files
           where format = f.format and establishment = f.establishment and sequence < f.sequence
             and taken_at is not null and matched_at is not null
           order by sequence desc limit 1
         ) b
         where f.format = v.format and f.establishment = v.establishment and f.taken_at is not null
           and f.to_on >= r.expected_on and r.expected_on <= greatest(f.from_on - 1, b.to_on)
           and r.expected_on + ${GRACE} >= least(f.from_on, b.to_on + 1)
           and not exists (
             select from settlement_files n
             where n.format = f.format and n.establishment = f.establishment and n.sequence = f.sequence - 1
               and n.taken_at is not null and n.matched_at is not null
           )
       )`;

/** null: no file covers the day of `r`. */
const COVERED_TO = `(
       select max(v.covered_to) from settlement_coverages v
       where v.merchant_id = r.merchant_id and v.covered_from <= r.expected_on
         and v.covered_to >= r.expected_on + ${GRACE}
         and case when ${IS_UNPAID} then not ${IS_FILE_MISSING} else true end
     )`;

const COVERED_DAY = rowCodec({ day: column.day('r.expected_on') });

const LIST_COVERED_DAYS = statement(
  'settlement_coverages.list_covered_days',
  `select ${COVERED_DAY.columns}
   from (select $1::text as merchant_id, d.day as expected_on from unnest($2::date[]) d (day)) r
   where exists (
     select from settlement_coverages v
     where v.merchant_id = $1 and v.covered_from <= r.expected_on and v.covered_to >= r.expected_on + ${GRACE}
       and not ${IS_FILE_MISSING}
   )`,
);

/** Those of `days` whose unpaid installments are judged. */
export async function listCoveredDays(
  reader: Reader,
  merchantId: string,
  days: readonly Day[],
): Promise<Day[]> {
  const rows = await reader.query(LIST_COVERED_DAYS, [merchantId, days]);
  return rows.map((row) => COVERED_DAY.parse(row).day);
}

/** Whether the batch payout of `r` waits for its list. No index leads there, but few lines wait. */
const AWAITS_LIST = `case when ${IS_UNPAID} then exists (
       select from settlement_matches m
       join settlement_entries l on l.file_number = m.file_number and l.line_number = m.line_number
       where m.merchant_id = r.merchant_id and m.transaction_id = r.transaction_id and m.kind = 'sale'
         and ((l.establishment, l.batch, r.installment_number) in (
           select p.establishment, p.batch, coalesce(p.installment_number, 1::smallint)
           from reconciliation_exceptions x
           join settlement_entries p on p.file_number = x.file_number and p.line_number = x.line_number
           where x.merchant_id = '' and x.class = 'notInParcela' and x.state = 'open' and x.found = 'batchIncomplete'
         )) is true
     ) else false end`;

/** From the acquirer's feed or its files. */
const OF_CHARGEBACKS = `from acquirer_changes e
       where e.merchant_id = r.merchant_id and e.reference = r.transaction_id::text
         and e.installment_number = r.installment_number and e.event = 'chargeback' and e.state = 'applied'`;

/** null: one chargeback has no amount. */
export const CHARGED_BACK = `(
       select case when bool_or(e.amount is null) then null else coalesce(sum(e.amount), 0)::bigint end
       ${OF_CHARGEBACKS}
     )`;

export const INSTALLMENT_KEY = rowCodec<InstallmentKey>({
  merchantId: column.text(),
  transactionId: column.text(),
  installmentNumber: column.whole(),
});

export const JUDGED = rowCodec(
  {
    gross: column.whole(),
    canceled: column.whole(),
    feePortion: column.whole(),
    expectedFee: column.whole(),
    expectedNet: column.whole(),
    expectedOn: column.day(),
    paidOn: column.nullable(column.day()),
    installmentCount: column.whole(),
    state: column.oneOf(INSTALLMENT_STATES, 'r.installment_state'),
    coveredTo: column.nullable(column.day(COVERED_TO)),
    awaitsList: column.boolean(AWAITS_LIST),
    chargedBack: column.nullable(column.whole(CHARGED_BACK)),
    chargedBackByFiles: column.whole(`(
       select coalesce(sum(e.amount), 0)::bigint ${OF_CHARGEBACKS} and e.source = 'file'
     )`),
  },
  'r',
);

export function parseJudged(row: Row): JudgedInstallment {
  const { coveredTo, ...judged } = JUDGED.parse(row);
  const { expectedOn } = judged;
  return {
    ...judged,
    isCovered: coveredTo !== null && addDays(expectedOn, GRACE_DAYS) <= coveredTo,
    mayStillTake: coveredTo === null || coveredTo < addDays(expectedOn, TAKING_DAYS),
  };
}

const HELD = rowCodec({ ...INSTALLMENT_KEY.fields, accountNumber: column.text() }, 'r');

const MATCHED_PART = rowCodec<MatchedPart>(
  {
    kind: column.oneOf(ENTRY_KINDS),
    rule: column.oneOf(MATCH_RULES),
    fileNumber: column.whole(),
    lineNumber: column.whole(),
    gross: column.whole(),
    fee: column.nullable(column.whole()),
    net: column.nullable(column.whole()),
    anticipationFee: column.nullable(column.whole()),
    bankOn: column.nullable(column.day()),
    document: column.nullable(column.text()),
    changeId: column.nullable(column.text()),
    changeState: column.nullable(column.oneOf(FILED_CHANGE_STATES, 'c.state')),
  },
  'm',
);

const PLACED_PART = rowCodec({ ...INSTALLMENT_KEY.fields, ...MATCHED_PART.fields }, 'm');

const STANDING = rowCodec<InstallmentKey & KnownException & { readonly exceptionId: string }>(
  {
    ...INSTALLMENT_KEY.fields,
    exceptionId: column.text(),
    class: column.oneOf(EXCEPTION_CLASSES),
    state: column.oneOf(EXCEPTION_STATES),
    amount: column.whole(),
    expected: column.nullable(column.text()),
    found: column.nullable(column.text()),
    day: column.nullable(column.day()),
    wasOpen: column.boolean(),
  },
  'e',
);

export type StandingException = RowOf<typeof STANDING>;

const KEYS = inputRows<InstallmentKey>({
  ...own({ merchantId: 'text', transactionId: 'uuid', installmentNumber: 'smallint' }),
});

const OF_KEYS = `select ${HELD.columns}, ${JUDGED.columns}
   from (select * from ${KEYS.sql} order by 1, 2, 3) k
   cross join lateral (
     select * from receivables
     where merchant_id = k.merchant_id and transaction_id = k.transaction_id and installment_number = k.installment_number
     limit 1`;

const LOCK = statement('receivables.lock_to_judge', `${OF_KEYS} for no key update) r`);
const READ_INSTALLMENTS = statement('receivables.read_judged', `${OF_KEYS}) r order by 1, 2, 3`);

/** Far above what files say about one installment. */
const READ_PARTS = statement(
  'settlement_matches.read_parts',
  `select ${PLACED_PART.columns}
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

const READ_STANDING = statement(
  'reconciliation_exceptions.read_known',
  `select ${STANDING.columns} from ${KEYS.sql}
   cross join lateral (
     select * from reconciliation_exceptions
     where merchant_id = i.merchant_id and transaction_id = i.transaction_id
       and installment_number = i.installment_number
     limit 50
   ) e`,
);

export type KnownInstallment = {
  readonly key: InstallmentKey;
  readonly accountNumber: string;
  readonly installment: JudgedInstallment;
  readonly parts: readonly MatchedPart[];
  readonly standing: readonly StandingException[];
};

export function lockKnown(tx: Tx, keys: readonly InstallmentKey[]): Promise<KnownInstallment[]> {
  return readKnown(tx, LOCK, keys);
}

async function readKnown(
  reader: Reader,
  installments: Statement,
  keys: readonly InstallmentKey[],
): Promise<KnownInstallment[]> {
  const values = KEYS.values(keys);
  const rows = await reader.query(installments, values);
  const parts = Map.groupBy((await reader.query(READ_PARTS, values)).map(PLACED_PART.parse), placeOf);
  const standing = Map.groupBy((await reader.query(READ_STANDING, values)).map(STANDING.parse), placeOf);
  return rows.map((row) => {
    const { accountNumber, ...key } = HELD.parse(row);
    const place = placeOf(key);
    return {
      ...{ key, accountNumber, installment: parseJudged(row) },
      parts: parts.get(place) ?? [],
      standing: standing.get(place) ?? [],
    };
  });
}

const placeOf = ({ merchantId, transactionId, installmentNumber }: InstallmentKey) =>
  `${merchantId} ${transactionId} ${installmentNumber}`;

export type ReadInstallment = InstallmentKey &
  Pick<KnownInstallment, 'installment' | 'parts'> & {
    readonly exceptions: ReadonlyMap<string, string>;
  };

/** In the order of the keys. */
export async function readJudged(
  reader: Reader,
  keys: readonly InstallmentKey[],
): Promise<ReadInstallment[]> {
  if (keys.length === 0) return [];
  const known = await readKnown(reader, READ_INSTALLMENTS, keys);
  return known.map(({ key, installment, parts, standing }) => ({
    ...{ ...key, installment, parts },
    exceptions: new Map(
      standing.filter(({ state }) => state !== 'healed').map((each) => [each.class, each.exceptionId]),
    ),
  }));
}

const SHOWN_LINE = rowCodec(
  {
    ...MATCHED_PART.fields,
    fileName: column.text('f.name'),
    format: column.text('f.format'),
    line: column.nullable(
      column.text(
        '(select e.line from settlement_entries e where e.file_number = m.file_number and e.line_number = m.line_number)',
      ),
    ),
  },
  'm',
);

export type ShownLine = RowOf<typeof SHOWN_LINE>;

const READ_LINES = statement(
  'settlement_matches.read_lines_of_installment',
  `select ${SHOWN_LINE.columns}
   from settlement_matches m
   join settlement_files f on f.file_number = m.file_number
   left join acquirer_changes c on c.merchant_id = m.merchant_id and c.change_id = m.change_id
   where m.merchant_id = $1 and m.transaction_id = $2 and m.installment_number = $3
   order by m.file_number, m.line_number limit 50`,
);

export async function readLinesOfInstallment(
  database: Reader,
  { merchantId, transactionId, installmentNumber }: InstallmentKey,
): Promise<ShownLine[]> {
  const rows = await database.query(READ_LINES, [merchantId, transactionId, installmentNumber]);
  return rows.map(SHOWN_LINE.parse);
}

/** `truth/` calls the day `bank_day`. */
export function parsePart(row: Row): MatchedPart {
  return MATCHED_PART.parse({ ...row, bank_on: row.bank_day });
}
