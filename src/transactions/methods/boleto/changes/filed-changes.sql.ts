import { type Database, type Reader, statement, type Tx } from '../../../../platform/postgres/database.ts';
import { inputRows, own } from '../../../../platform/postgres/input-rows.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../../../platform/postgres/row-codec.ts';
import { fromStates } from '../../../../platform/postgres/state-table.ts';
import { type Day, utcText } from '../../../../values/instant.ts';
import { BOLETO_MOVES } from '../boleto.ts';
import { EXCEPTION_KEY } from '../boletos.sql.ts';
import type { FiledBankChange } from './bank-change.ts';

/** `value` and `dueOn` are what the file says of the boleto; 0 and null if it says nothing. */
export type FiledChangeOfBoleto = FiledBankChange & {
  readonly value: number;
  readonly dueOn: Day | null;
};

const TAKE_TURN = statement(
  'bank_changes.take_turn',
  `select pg_advisory_xact_lock(hashtextextended('return files|' || $1::text, 0))`,
);

/** One file of a bank at a time, so that each sees what those before it reported. */
export async function takeTurnOfFile(tx: Tx, bank: string): Promise<void> {
  await tx.query(TAKE_TURN, [bank]);
}

const CHANGES = inputRows<FiledChangeOfBoleto>(
  {
    ...own({ changeId: 'text', ourNumber: 'text', event: 'text', amount: 'bigint', paidOn: 'date' }),
    ...own({ creditedOn: 'date', fee: 'bigint' }),
    happened_at: ['timestamptz', (change) => utcText(change.happenedAt)],
    value: ['bigint', (change) => change.value],
    due_on: ['date', (change) => change.dueOn],
  },
  { as: 'f', after: 2, place: 'position' },
);

const TOLD = rowCodec({ ourNumber: column.text(), madeOn: column.day(), fileNumber: column.text() });

/**
 * A boleto of which a file reports something once more, with day and number of the file that was the first.
 */
export type ToldByFile = RowOf<typeof TOLD>;

const KEPT = rowCodec({
  /** `ours`: changes of boletos that we issued. `taken`: those that no file has reported before. */
  ours: column.whole('(select count(*) from filed)::int'),
  taken: column.whole('(select count(*) from kept)::int'),
  /** Numbers of our boletos for which the file has another bank, value or due day, or a future day. */
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
  /** Those of `known` with a payment that another file reported before. */
  again: column.listOf(column.text('array(select distinct our_number from again)')),
  told: column.parsedBy(
    (value) => (Array.isArray(value) ? value.map(TOLD.parse) : undefined),
    `(select coalesce(jsonb_agg(distinct jsonb_build_object('our_number', our_number,
       'made_on', split_part(filed_in, '/', 1), 'file_number', split_part(filed_in, '/', 2))), '[]') from told)`,
  ),
});

/**
 * A file names no merchant: our number does, at the bank that registered the boleto or was asked to. Others
 * may issue under the same agreement with their own numbers, so value and due day must match too. A file
 * knows days only, so a moment is moved between the boleto's request and now. A payment after hours may bear
 * the next business day, so 8 days ahead are accepted; a later day is a mistake.
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
       and (f.value = 0 or f.value = b.amount) and (f.due_on is null or f.due_on = b.due_on or f.due_on = any (b.due_days))
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
   ), told as (
     select d.*, c.filed_in from filed d
     join bank_changes c on c.merchant_id = d.merchant_id and c.change_id = d.change_id
     where c.filed_in is distinct from $2
   ), again as (
     insert into bank_changes
       (merchant_id, change_id, our_number, event, amount, paid_on, credited_on, fee, happened_at, filed_in,
        is_filed_again, source)
     select d.merchant_id, d.change_id || '@' || $2, d.our_number, d.event, d.amount, d.paid_on, d.credited_on, d.fee,
       d.happened_at, $2, true, 'file'
     from told d where d.event = 'paid'
     order by d.position
     on conflict (merchant_id, change_id) do nothing
     returning our_number
   )
   select ${KEPT.columns}`,
);

/** `name` tells the bank's files apart. */
export type FileOfBank = { readonly bank: string; readonly name: string };

const CHANGES_AT_ONCE = 2_000;

/**
 * Keeps a file's changes as those of the feed, none twice. A payment that another file of the bank has
 * reported is kept beside the first, as unexpected: a person must find out whether somebody paid twice or the
 * bank reports it again.
 */
export async function keepFiledChanges(
  tx: Tx,
  file: FileOfBank,
  changes: readonly FiledChangeOfBoleto[],
): Promise<KeptCounts> {
  const { bank, name } = file;
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

/** Returns those of `numbers` under which this bank registered a boleto of ours, or was asked to. */
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

type DueDayOfFile = { readonly ourNumber: string; readonly dueOn: Day | null };

const DUE_DAYS = inputRows<DueDayOfFile>(
  { our_number: ['text', (one) => one.ourNumber], due_on: ['date', (one) => one.dueOn] },
  { as: 'f', after: 1 },
);

const LOCK = statement(
  'boletos.lock_of_file',
  `with input as (
     select our_number, array_agg(distinct due_on) filter (where due_on is not null) as days
     from (select * from ${DUE_DAYS.sql}) f group by our_number
   )
   select b.our_number from input f
   join boletos b on b.our_number = f.our_number and coalesce(left(b.bar_code, 3), b.asked_bank, $1) = $1
   where exists (
       select from bank_instructions i
       where i.merchant_id = b.merchant_id and i.our_number = b.our_number and i.bank_code = $1 and i.kind = 'dueDay'
         and coalesce(i.answer, 'refused') = 'refused')
     or exists (
       select from unnest(f.days) d where d <> b.due_on and d <> all (coalesce(b.due_days, '{}')))
   order by b.our_number, b.merchant_id for no key update of b`,
);

/**
 * Locks the boletos of this bank whose due day the file may change, in the order of their numbers and before
 * anything of the file is written. Whoever moves a boleto, too, locks it before its bank instructions.
 */
export async function lockBoletosOfFile(tx: Tx, bank: string, days: readonly DueDayOfFile[]): Promise<void> {
  const sorted = days.toSorted((one, other) => Number(one.ourNumber) - Number(other.ourNumber));
  for (let first = 0; first < sorted.length; first += CHANGES_AT_ONCE)
    await tx.query(LOCK, [bank, ...DUE_DAYS.values(sorted.slice(first, first + CHANGES_AT_ONCE))]);
}

const LEARN = statement(
  'boletos.learn_due_days',
  `with input as (
     select our_number, array_agg(distinct due_on) as days from (select * from ${DUE_DAYS.sql}) f group by our_number
   ), filed as (
     select b.merchant_id, b.boleto_id, array(
         select d from unnest(i.days) d where d <> b.due_on and d <> all (coalesce(b.due_days, '{}'))
       ) as days
     from input i
     join boletos b on b.our_number = i.our_number and coalesce(left(b.bar_code, 3), b.asked_bank, $1) = $1
   )
   update boletos b set due_days = b.due_days[:cardinality(b.due_days) - 1] || f.days
     || coalesce(b.due_days[cardinality(b.due_days)], b.due_on)
   from filed f
   where b.merchant_id = f.merchant_id and b.boleto_id = f.boleto_id and cardinality(f.days) > 0
     and coalesce(cardinality(b.due_days), 0) + cardinality(f.days) < 100
   returning ${OURS.columns}`,
);

/**
 * Keeps due days that the bank has for boletos and that nobody asked for, so that payments by them count.
 * They stand before the last known day, which stays the last. Returns the numbers of these boletos. Runs
 * under their locks.
 */
export async function learnDueDays(
  tx: Tx,
  bank: string,
  days: readonly { readonly ourNumber: string; readonly dueOn: Day }[],
): Promise<ReadonlySet<string>> {
  const learned = new Set<string>();
  for (let first = 0; first < days.length; first += CHANGES_AT_ONCE) {
    const values = DUE_DAYS.values(days.slice(first, first + CHANGES_AT_ONCE));
    for (const { ourNumber } of (await tx.query(LEARN, [bank, ...values])).map(OURS.parse))
      learned.add(ourNumber);
  }
  return learned;
}

const FIRST = rowCodec({
  madeOn: column.day("split_part(c.filed_in, '/', 1)::date"),
  fileNumber: column.text("split_part(c.filed_in, '/', 2)"),
});

const FIND_FIRST = statement(
  'bank_changes.find_first_file',
  `select ${FIRST.columns} from reconciliation_exceptions e
   join boleto_payments p on p.merchant_id = e.merchant_id and p.boleto_id = e.boleto_id
     and e.exception_key = ${EXCEPTION_KEY} and p.surprise = 'filedAgain'
   join bank_changes c on c.merchant_id = p.merchant_id and c.change_id = split_part(p.change_id, '@', 1)
   where e.exception_id = $1`,
);

/** The file that told the payment of an exception before; null: none did. */
export async function findFirstFile(database: Reader, exceptionId: string) {
  return firstOf(await database.query(FIND_FIRST, [exceptionId]), FIRST.parse);
}

/** The due day that the bank has for a boleto. */
export type MadeChange = {
  readonly merchantId: string;
  readonly ourNumber: string;
  readonly dueOn: Day | null;
  readonly payableUntil: Day | null;
};

const MADE = inputRows<MadeChange>(
  {
    merchant_id: ['text', (one) => one.merchantId],
    our_number: ['text', (one) => one.ourNumber],
    due_on: ['date', (one) => one.dueOn],
    payable_until: ['date', (one) => one.payableUntil],
  },
  { as: 'f' },
);

const HAS_ANOTHER = `b.merchant_id = f.merchant_id and b.our_number = f.our_number and b.due_on <> f.due_on
     and f.payable_until is not null`;

/** A boleto that is being asked about gets a new fence, so that an answer read before does not count. */
const RESUME = statement(
  'boletos.resume_changes',
  `with input as (
     select * from ${MADE.sql}
   ), asked as (
     update boletos b set fence = b.fence + 1, due_at = now(), due_days = array_remove(b.due_days, f.due_on) || f.due_on
     from input f where ${HAS_ANOTHER} and b.state in (${fromStates(BOLETO_MOVES, 'keepIssued')})
   )
   update boletos b set state = 'changing', state_before = b.state, wanted_due_on = f.due_on,
     wanted_payable_until = f.payable_until, due_days = array_remove(b.due_days, f.due_on) || f.due_on, acts_at = null,
     due_at = now(), unknown_since = now(), unknown_reason = 'the bank has made a change that was not waited for',
     fence = b.fence + 1, tries = 0
   from input f where ${HAS_ANOTHER} and b.state in (${fromStates(BOLETO_MOVES, 'startChange')})`,
);

/**
 * Leaves boletos that have another due day at the bank to the resolving work, which takes that day, even if a
 * boleto waits for no change. Runs under the boletos' locks.
 */
export async function resumeChanges(tx: Tx, changes: readonly MadeChange[]): Promise<void> {
  for (let first = 0; first < changes.length; first += CHANGES_AT_ONCE) {
    await tx.query(RESUME, MADE.values(changes.slice(first, first + CHANGES_AT_ONCE)));
  }
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
    told: [
      ...new Map(counts.flatMap(({ told }) => told).map((one) => [Object.values(one).join(), one])).values(),
    ],
  };
}
