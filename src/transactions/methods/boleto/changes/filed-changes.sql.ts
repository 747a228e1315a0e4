import { type Database, statement, type Tx } from '../../../../platform/postgres/database.ts';
import { inputRows } from '../../../../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../../../../platform/postgres/row-codec.ts';
import { type Day, utcText } from '../../../../values/instant.ts';
import type { FiledBankChange } from './bank-change.ts';

/** With what the file says of the boleto itself: `value` 0 and `dueOn` null are not said. */
export type FiledChangeOfBoleto = FiledBankChange & {
  readonly value: number;
  readonly dueOn: Day | null;
};

/** One file of a bank after the other: each sees what those before it have reported. */
const TAKE_TURN = statement(
  'bank_changes.take_turn',
  `select pg_advisory_xact_lock(hashtextextended('return files|' || $1::text, 0))`,
);

const CHANGES = inputRows<FiledChangeOfBoleto>(
  {
    change_id: ['text', (change) => change.changeId],
    our_number: ['text', (change) => change.ourNumber],
    event: ['text', (change) => change.event],
    amount: ['bigint', (change) => change.amount],
    paid_on: ['date', (change) => change.paidOn],
    credited_on: ['date', (change) => change.creditedOn],
    fee: ['bigint', (change) => change.fee],
    happened_at: ['timestamptz', (change) => utcText(change.happenedAt)],
    value: ['bigint', (change) => change.value],
    due_on: ['date', (change) => change.dueOn],
  },
  { as: 'f', after: 2, place: 'position' },
);

const KEPT = rowCodec({
  /** Changes of boletos that we issued, and how many of them no file has reported before. */
  ours: column.whole('(select count(*) from filed)::int'),
  taken: column.whole('(select count(*) from kept)::int'),
  /** Numbers of boletos of ours under which the file has another bank, value or due day, or a day to come. */
  unfit: column.listOf(
    column.text(`array(select distinct f.our_number from input f
       where exists (select from boletos b where b.our_number = f.our_number)
         and not exists (select from filed d where d.position = f.position))`),
  ),
  /** Numbers of boletos of which a file has reported the same before. */
  known: column.listOf(
    column.text(`array(select distinct d.our_number from filed d
       where not exists (select from kept k where k.change_id = d.change_id))`),
  ),
  /** Of them those with a payment that another file reports than the one before. */
  again: column.listOf(column.text('array(select distinct our_number from again)')),
});

/**
 * A file names no merchant: our number does, at the bank that registered it, or was asked to.
 * Others may issue under the same agreement, with numbers of their own: value and due day must be
 * those of our boleto too. A file knows days only, so nothing in it happened before its boleto was
 * asked for, nor later than now; but what is paid after hours may be of the next business day. A
 * later day is a mistake.
 */
const KEEP = statement(
  'bank_changes.keep_of_file',
  `with input as (
     select * from ${CHANGES.sql}
   ), filed as (
     select b.merchant_id, f.change_id, f.our_number, f.event, f.amount, f.paid_on, f.credited_on, f.fee,
       least(greatest(f.happened_at, b.requested_at), n.at) as happened_at, f.position
     from input f
     join boletos b on b.our_number = f.our_number and coalesce(left(b.bar_code, 3), b.asked_bank, $1) = $1
       and (f.value = 0 or f.value = b.amount) and (f.due_on is null or f.due_on = b.due_on)
     cross join lateral (
       select now() + coalesce((select c.shift_milliseconds from merchant_clocks c where c.merchant_id = b.merchant_id), 0)
         * interval '1 millisecond' as at
     ) n
     where f.happened_at < n.at + interval '8 days'
   ), kept as (
     insert into bank_changes
       (merchant_id, change_id, our_number, event, amount, paid_on, credited_on, fee, happened_at, filed_in,
        source)
     select merchant_id, change_id, our_number, event, amount, paid_on, credited_on, fee, happened_at, $2, 'file'
     from filed order by position
     on conflict (merchant_id, change_id) do nothing
     returning change_id
   ), again as (
     insert into bank_changes
       (merchant_id, change_id, our_number, event, amount, paid_on, credited_on, fee, happened_at, filed_in,
        is_filed_again, source)
     select d.merchant_id, d.change_id || '@' || $2, d.our_number, d.event, d.amount, d.paid_on, d.credited_on, d.fee,
       d.happened_at, $2, true, 'file'
     from filed d join bank_changes c on c.merchant_id = d.merchant_id and c.change_id = d.change_id
     where d.event = 'paid' and c.filed_in is distinct from $2
     order by d.position
     on conflict (merchant_id, change_id) do nothing
     returning our_number
   )
   select ${KEPT.columns}`,
);

/** The file of a bank: `name` sets it apart from its others. */
export type FileOfBank = { readonly bank: string; readonly name: string };

const CHANGES_AT_ONCE = 2_000;

/**
 * Keeps changes that a file of a bank reports, as those of its feed are kept; none is kept twice. A
 * payment that another of its files has reported is kept beside the first, to be refused: whether
 * somebody paid twice or the bank reports once more a person must find out.
 */
export async function keepFiledChanges(
  tx: Tx,
  file: FileOfBank,
  changes: readonly FiledChangeOfBoleto[],
): Promise<KeptCounts> {
  const { bank, name } = file;
  await tx.query(TAKE_TURN, [bank]);
  const counts: KeptCounts[] = [];
  for (let first = 0; first < changes.length; first += CHANGES_AT_ONCE) {
    const part = changes.slice(first, first + CHANGES_AT_ONCE);
    counts.push(...(await tx.query(KEEP, [bank, name, ...CHANGES.values(part)])).map(KEPT.parse));
  }
  return summed(counts);
}

const OURS = rowCodec({ ourNumber: column.text() }, 'b');

const FIND_OURS = statement(
  'boletos.find_our_numbers',
  `select distinct ${OURS.columns} from unnest($1::text[]) f (our_number)
   join boletos b on b.our_number = f.our_number and coalesce(left(b.bar_code, 3), b.asked_bank, $2) = $2`,
);

/** Those of the numbers under which a bank registered a boleto of ours, or was asked to. */
export async function findOurNumbers(
  database: Database,
  bank: string,
  numbers: readonly string[],
): Promise<ReadonlySet<string>> {
  const ours = new Set<string>();
  for (let first = 0; first < numbers.length; first += CHANGES_AT_ONCE) {
    const rows = await database.query(FIND_OURS, [numbers.slice(first, first + CHANGES_AT_ONCE), bank]);
    for (const { ourNumber } of rows.map(OURS.parse)) ours.add(ourNumber);
  }
  return ours;
}

export type KeptCounts = RowOf<typeof KEPT>;

function summed(counts: readonly KeptCounts[]): KeptCounts {
  const sum = (name: 'ours' | 'taken') => counts.reduce((total, kept) => total + kept[name], 0);
  const numbers = (name: 'unfit' | 'known' | 'again') =>
    [...new Set(counts.flatMap((kept) => kept[name]))].toSorted();
  return {
    ours: sum('ours'),
    taken: sum('taken'),
    unfit: numbers('unfit'),
    known: numbers('known'),
    again: numbers('again'),
  };
}
