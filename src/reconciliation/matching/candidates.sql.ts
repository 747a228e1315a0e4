import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { INSTALLMENT_STATES } from '../../transactions/transaction.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import { CHARGED_BACK } from '../judging/judged.sql.ts';
import type { JudgedInstallment } from '../judging/judged-installment.ts';
import { ENTRY_KINDS, SETTLEMENT_FORMATS, type SettlementEntry } from '../settlement-entry.ts';
import type { Candidate } from './entry-match.ts';
import type { BatchMember, PartWeight } from './entry-parts.ts';

export type FoundCandidate = Candidate &
  BatchMember &
  PartWeight & {
    readonly state: JudgedInstallment['state'];
    readonly accountNumber: string;
    /** The file that lists the sale in the line's batch; null: found another way. */
    readonly list: number | null;
  };

const MATCHED_FILE = rowCodec({
  fileNumber: column.whole(),
  fence: column.whole(),
  matchedLine: column.whole(),
  sha256: column.text("encode(sha256, 'hex')"),
  format: column.oneOf(SETTLEMENT_FORMATS),
  establishment: column.text(),
  from: column.day('from_on'),
  to: column.day('to_on'),
  replaces: column.nullable(column.whole()),
});

export type MatchedFile = RowOf<typeof MATCHED_FILE>;

/**
 * Rede's batch payouts are divided over the unpaid sales of its other file. So earlier lists come first, and
 * payout files of an establishment by their days. A failing file blocks the others only for a while. A format
 * that only a newer process knows is left to that one. `$1`: those that this process knows.
 */
const WAITS = `f.taken_at is not null and f.format = any ($1::text[]) and not (f.format = 'redeEefi' and exists (
     select from settlement_files v where v.establishment = f.establishment and v.file_number <> f.file_number
       and v.taken_at > now() - interval '10 minutes' and v.due_at is not null
       and (v.format = 'redeEevc' and v.file_number < f.file_number
         or v.format = 'redeEefi' and ((v.to_on, v.file_number) < (f.to_on, f.file_number) or v.due_at > now()))
   ))`;

const CLAIM = statement(
  'settlement_files.claim',
  `update settlement_files set due_at = now() + $2 * interval '1 millisecond', fence = fence + 1
   where file_number = (
     select f.file_number from settlement_files f where ${WAITS} and f.due_at <= now()
     order by f.due_at, f.file_number limit 1 for no key update of f skip locked
   )
   returning ${MATCHED_FILE.columns}`,
);

export async function claimFile(database: Database, leaseMilliseconds: number): Promise<MatchedFile | null> {
  return firstOf(await database.query(CLAIM, [SETTLEMENT_FORMATS, leaseMilliseconds]), MATCHED_FILE.parse);
}

export const earliestFileValues = () => [SETTLEMENT_FORMATS];

export const EARLIEST_FILE = statement(
  'settlement_files.earliest_due',
  `select (extract(epoch from min(f.due_at) - now()) * 1000)::float8 as milliseconds
   from settlement_files f where ${WAITS} and f.due_at is not null`,
);

export type FiledEntry = SettlementEntry & { readonly fileNumber: number };

const ENTRY = rowCodec<FiledEntry>(
  {
    fileNumber: column.whole(),
    lineNumber: column.whole(),
    kind: column.oneOf(ENTRY_KINDS),
    establishment: column.text(),
    orderReference: column.nullable(column.text()),
    tid: column.nullable(column.text()),
    nsu: column.nullable(column.text()),
    authorizationCode: column.nullable(column.text()),
    brand: column.nullable(column.oneOf(CARD_BRANDS)),
    cardLastFour: column.nullable(column.text()),
    soldOn: column.nullable(column.day()),
    installmentNumber: column.nullable(column.whole()),
    installmentCount: column.nullable(column.whole()),
    gross: column.whole(),
    fee: column.nullable(column.whole()),
    net: column.nullable(column.whole()),
    anticipationFee: column.nullable(column.whole()),
    bankOn: column.nullable(column.day()),
    batch: column.nullable(column.text()),
    receivableUnit: column.nullable(column.text()),
    description: column.nullable(column.text()),
    document: column.nullable(column.text()),
  },
  'e',
);

const READ_NEXT = statement(
  'settlement_entries.read_next',
  `select ${ENTRY.columns} from settlement_entries e
   where e.file_number = $1 and e.line_number > $2 order by e.line_number limit $3`,
);

export async function readNextEntries(
  database: Database,
  fileNumber: number,
  afterLine: number,
  limit: number,
): Promise<FiledEntry[]> {
  return (await database.query(READ_NEXT, [fileNumber, afterLine, limit])).map(ENTRY.parse);
}

const LINE = statement(
  'settlement_entries.find',
  `select ${ENTRY.columns} from settlement_entries e
   where e.file_number = $1 and e.line_number = $2
     and exists (select from settlement_files f where f.file_number = $1 and f.taken_at is not null)`,
);

export async function findEntry(
  database: Database,
  fileNumber: number,
  lineNumber: number,
): Promise<FiledEntry | null> {
  return firstOf(await database.query(LINE, [fileNumber, lineNumber]), ENTRY.parse);
}

/** The current state: the receivable's copy is slightly behind. */
const STATE_NOW = `coalesce((
     select n.state from installments n where n.merchant_id = r.merchant_id and n.transaction_id = r.transaction_id
       and n.installment_number = r.installment_number limit 1
   ), r.installment_state)`;

const IS_PAID = `exists (
     select from settlement_matches m where m.merchant_id = r.merchant_id and m.transaction_id = r.transaction_id
       and m.installment_number = r.installment_number and m.kind in ('payout', 'anticipation')
   )`;

const BOOKED = rowCodec(
  {
    merchantId: column.text(),
    accountNumber: column.text(),
    transactionId: column.text(),
    installmentNumber: column.whole(),
    installmentCount: column.whole(),
    soldOn: column.day(),
    nsu: column.nullable(column.text()),
    authorizationCode: column.nullable(column.text()),
    tid: column.nullable(column.text()),
    gross: column.whole(),
    canceled: column.whole(),
    due: column.whole('r.expected_fee + r.expected_net'),
    saleGross: column.whole('r.sale_amount'),
    reportedOn: column.nullable(column.day('r.reported_bank_on')),
    state: column.oneOf(INSTALLMENT_STATES, STATE_NOW),
    isPaid: column.boolean(IS_PAID),
  },
  'r',
);

/** For a line about a whole sale: what the books took back in the same way, and what other lines named. */
const TAKING = rowCodec({
  chargedBack: column.nullable(
    column.whole(`case when e.kind in ('cancel', 'chargeback') and e.installment_number is null and r.canceled > 0
       then coalesce(${CHARGED_BACK}, case when e.kind = 'chargeback' then r.canceled else 0 end) end`),
  ),
  named: column.nullable(
    column.whole(`case when e.kind in ('cancel', 'chargeback') and e.installment_number is null then (
       select coalesce(sum(abs(m.gross)), 0)::bigint from settlement_matches m
       where m.merchant_id = r.merchant_id and m.transaction_id = r.transaction_id
         and m.installment_number = r.installment_number and m.kind = e.kind
     ) end`),
  ),
  lineKind: column.nullable(column.oneOf(ENTRY_KINDS, 'e.kind')),
});

const CANDIDATE = rowCodec({ ...BOOKED.fields, ...TAKING.fields, list: column.nullable(column.whole()) });

/** Finds the sales of the acquirer's list of a batch, for lines that have only batch and NSU (Rede: 049). */
const OF_LIST = `from (
       select l.file_number, l.line_number from settlement_entries l
       join settlement_files f on f.file_number = l.file_number and f.taken_at is not null and f.replaced_by is null
       where l.establishment = e.establishment and l.batch = e.batch and l.kind = 'sale'
         and ltrim(l.nsu, '0') = ltrim(e.nsu, '0') and e.kind <> 'sale'
         and e.reference_tail is null and e.tid is null and e.authorization_code is null
     ) s join settlement_matches m on m.file_number = s.file_number and m.line_number = s.line_number
     cross join lateral (
       select * from receivables where merchant_id = m.merchant_id and transaction_id = m.transaction_id
         and installment_number = m.installment_number limit 1
     ) r`;

/**
 * All installments `r` of the sale whose first one is `f`: the indexes by names in files hold only the first.
 */
const WHOLE_SALE = `cross join lateral (
       select * from receivables where merchant_id = f.merchant_id and transaction_id = f.transaction_id
       order by installment_number limit 99
     ) r`;

/**
 * Leaves out charges of another acquirer's adapter, which no file of this one has. Charges by a bridge always
 * stay: it does not say which acquirer it speaks to. `$1`: the file; `f`: the first installment.
 */
const OF_ITS_ACQUIRER = `not exists (
       select from transactions t join providers p on p.kind = 'acquirer' and p.name = t.acquirer
       where t.merchant_id = f.merchant_id and t.transaction_id = f.transaction_id and p.adapter <> 'bridge'
         and p.adapter is distinct from (
           select case when w.format like 'cielo%' then 'cielo' when w.format like 'rede%' then 'rede' end
           from settlement_files w where w.file_number = $1
         )
     )`;

const OF_LINE = rowCodec({ lineNumber: column.whole() }, 'e');
const OF_CODE = rowCodec({ lineNumber: column.whole('e.line_number'), ofCode: column.whole('x.of_code') });

/** With or without leading zeros. Two sales with one identifier are ambiguous, so the limits suffice. */
const FIND = statement(
  'settlement_entries.find_candidates',
  `select ${OF_LINE.columns}, c.* from (
     select * from settlement_entries
     where file_number = $1 and line_number = any ($2::integer[]) order by line_number
   ) e cross join lateral (
     (select ${BOOKED.columns}, ${TAKING.columns}, null::bigint as list from receivables f ${WHOLE_SALE}
      where f.reference_tail = e.reference_tail and f.installment_number = 1 and f.gross > 0
        and ${OF_ITS_ACQUIRER} limit 200)
     union
     (select ${BOOKED.columns}, ${TAKING.columns}, null from receivables f ${WHOLE_SALE}
      where f.tid in (e.tid, ltrim(e.tid, '0')) and f.installment_number = 1 and ${OF_ITS_ACQUIRER} limit 200)
     union
     (select ${BOOKED.columns}, ${TAKING.columns}, s.file_number ${OF_LIST} limit 200)
   ) c`,
);

export async function findNamedCandidates(
  database: Database,
  fileNumber: number,
  lineNumbers: readonly number[],
): Promise<Map<number, FoundCandidate[]>> {
  if (lineNumbers.length === 0) return new Map();
  const rows = await database.query(FIND, [fileNumber, lineNumbers]);
  const byLine = Map.groupBy(rows, (row) => OF_LINE.parse(row).lineNumber);
  return new Map([...byLine].map(([line, found]) => [line, found.map(parseCandidate)]));
}

/** Merchants share codes of six characters. If the limit is reached, nothing is certain. */
const FIND_BY_CODE = statement(
  'settlement_entries.find_candidates_by_code',
  `select ${OF_CODE.columns}, ${BOOKED.columns}, ${TAKING.columns}, null as list
   from (
     select * from settlement_entries
     where file_number = $1 and line_number = any ($2::integer[]) order by line_number
   ) e
   cross join lateral (
     select y.*, count(*) over () as of_code, row_number() over () as place from (
       select r.* from receivables f ${WHOLE_SALE}
       where f.authorization_code in (e.authorization_code, upper(e.authorization_code), ltrim(e.authorization_code, '0'))
         and f.sold_on between e.sold_on - 1 and e.sold_on + 1 and f.installment_number = 1 and f.sale_amount > 0
         and ${OF_ITS_ACQUIRER}
       limit $3
     ) y
   ) x
   cross join lateral (select x.*) r
   where case when x.of_code >= $3 then x.place = 1
     else abs(e.gross) = case when e.installment_number is null then r.sale_amount else r.gross end end`,
);

const MOST_OF_CODE = 300;

/** Matches code, day and amount. null: too many sales have the code. */
export async function findCandidatesByCode(
  database: Database,
  fileNumber: number,
  lineNumbers: readonly number[],
): Promise<Map<number, FoundCandidate[] | null>> {
  if (lineNumbers.length === 0) return new Map();
  const rows = await database.query(FIND_BY_CODE, [fileNumber, lineNumbers, MOST_OF_CODE]);
  const byLine = Map.groupBy(rows, (row) => OF_LINE.parse(row).lineNumber);
  return new Map(
    [...byLine].map(([line, found]) => {
      const isCrowded = found.some((row) => OF_CODE.parse(row).ofCode >= MOST_OF_CODE);
      return [line, isCrowded ? null : found.map(parseCandidate)];
    }),
  );
}

const BATCH = rowCodec({
  lists: column.listOf(column.whole('(select array_agg(distinct s.file_number) from s)')),
  isWhole: column.boolean(`(select bool_and(s.matched_at is not null and exists (
        select from settlement_matches m where m.file_number = s.file_number and m.line_number = s.line_number
      )) from s)`),
});

const MEMBERS = statement(
  'settlement_entries.find_batch_members',
  `with s as materialized (
     select l.file_number, l.line_number, f.matched_at from settlement_entries l
     join settlement_files f on f.file_number = l.file_number and f.taken_at is not null and f.replaced_by is null
     where l.establishment = $1 and l.batch = $2 and l.kind = 'sale' order by l.file_number, l.line_number limit $4
   )
   select distinct ${BOOKED.columns}, null as charged_back, null as named, null as line_kind, null as list,
     ${BATCH.columns}
   from s
   cross join lateral (
     select m.merchant_id, m.transaction_id from settlement_matches m
     where m.file_number = s.file_number and m.line_number = s.line_number
     group by m.merchant_id, m.transaction_id limit 100
   ) m
   cross join lateral (
     select * from receivables
     where merchant_id = m.merchant_id and transaction_id = m.transaction_id and installment_number = $3 limit 1
   ) r
   order by r.merchant_id, r.transaction_id`,
);

/** `incomplete`: the list is not matched yet, or has an unknown sale. `tooLarge`: too many to divide. */
export type FoundBatch = {
  readonly kind: 'whole' | 'incomplete' | 'tooLarge';
  readonly members: FoundCandidate[];
  readonly lists: readonly number[];
};

export async function findBatchMembers(
  database: Database,
  {
    establishment,
    batch,
    installmentNumber,
  }: Pick<SettlementEntry, 'establishment' | 'batch' | 'installmentNumber'>,
  most: number,
): Promise<FoundBatch> {
  const rows = await database.query(MEMBERS, [establishment, batch, installmentNumber ?? 1, most + 1]);
  if (rows.length > most) return { kind: 'tooLarge', members: [], lists: [] };
  const batches = rows.map(BATCH.parse);
  if (batches.some(({ isWhole }) => !isWhole)) return { kind: 'incomplete', members: [], lists: [] };
  return { kind: 'whole', members: rows.map(parseCandidate), lists: batches[0]?.lists ?? [] };
}

function parseCandidate(row: Row): FoundCandidate {
  const { chargedBack, named, lineKind, ...booked } = CANDIDATE.parse(row);
  const known = lineKind === 'chargeback' ? (chargedBack ?? 0) : booked.canceled - (chargedBack ?? 0);
  return {
    ...booked,
    // Cents that the books took back in this way and that no other line names.
    unnamed: Math.max(0, known - (named ?? 0)),
    isBlocked: booked.state === 'blocked',
    isListed: booked.list !== null,
  };
}
