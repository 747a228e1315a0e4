import { type Database, type Reader, statement, type Tx } from '../../../platform/postgres/database.ts';
import { inputRows } from '../../../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../../../platform/postgres/row-codec.ts';
import type { Day } from '../../../values/instant.ts';
import { INSTRUCTION_KINDS } from './instructions.sql.ts';

/** One file of a bank at a time, so that numbers have no holes. */
const TAKE_TURN = statement(
  'remittances.take_turn',
  `select pg_advisory_xact_lock(hashtextextended('remittances|' || $1::text, 0))`,
);

const NEXT = rowCodec({ number: column.whole() });

const FIND_NEXT = statement(
  'remittances.find_next',
  'select coalesce(max(file_number), 0) + 1 as number from remittances where bank = $1',
);

/** A change that the boleto no longer waits for is not told to the bank: it was paid, or is canceled. */
const IS_WANTED = `(i.kind <> 'dueDay' or exists (
       select from boletos b
       where b.merchant_id = i.merchant_id and b.our_number = i.our_number and b.state = 'changing'
         and b.due_day_changes = i.attempt))`;

const TAKE = statement(
  'bank_instructions.take',
  `with withdrawn as (
     update bank_instructions i set answer = 'withdrawn', answered_at = now()
     where bank = $1 and file_number is null and answer is null and not ${IS_WANTED}
   ), next as (
     select merchant_id, our_number, kind, attempt from bank_instructions i
     where bank = $1 and file_number is null and answer is null and ${IS_WANTED}
     order by created_at, our_number, kind limit $3
     for update
   )
   update bank_instructions i set file_number = $2 from next n
   where i.merchant_id = n.merchant_id and i.our_number = n.our_number and i.kind = n.kind
     and i.attempt = n.attempt`,
);

/** Takes the oldest instructions that are in no file into the next one, whose number is returned. */
export async function takeInstructions(tx: Tx, bank: string, most: number): Promise<number> {
  await tx.query(TAKE_TURN, [bank]);
  const [row] = (await tx.query(FIND_NEXT, [bank])).map(NEXT.parse);
  const number = row?.number ?? 1;
  await tx.query(TAKE, [bank, number, most]);
  return number;
}

const KEEP = statement(
  'remittances.keep',
  `insert into remittances (bank, file_number, made_on, content_hash, created_by) values ($1, $2, $3, $4, $5)`,
);

export type NewRemittance = {
  readonly bank: string;
  readonly number: number;
  readonly madeOn: Day;
  readonly hash: Buffer;
  readonly createdBy: string;
};

export async function keepRemittance(tx: Tx, { bank, number, madeOn, hash, createdBy }: NewRemittance) {
  await tx.query(KEEP, [bank, number, madeOn, hash, createdBy]);
}

const REMITTANCE = rowCodec(
  {
    bank: column.text(),
    number: column.whole('r.file_number'),
    madeOn: column.day(),
    createdBy: column.text(),
    instructions: column.whole('count(*)::int'),
    accepted: column.whole("count(*) filter (where i.answer = 'accepted')::int"),
    refused: column.whole("count(*) filter (where i.answer = 'refused')::int"),
    contentHash: column.bytes(),
    isWritten: column.boolean('r.written_at is not null'),
  },
  'r',
);

export type StoredRemittance = RowOf<typeof REMITTANCE>;

const LIST = statement(
  'remittances.list',
  `select ${REMITTANCE.columns} from remittances r
   join bank_instructions i on i.bank = r.bank and i.file_number = r.file_number
   where ($1::text is null or r.bank = $1) and ($2::integer is null or r.file_number = $2)
   group by r.bank, r.file_number
   order by r.created_at desc limit $3`,
);

export async function listRemittances(
  database: Reader,
  { bank, number }: { readonly bank: string | null; readonly number: number | null },
  most: number,
): Promise<StoredRemittance[]> {
  return (await database.query(LIST, [bank, number, most])).map(REMITTANCE.parse);
}

const MARK_WRITTEN = statement(
  'remittances.mark_written',
  'update remittances set written_at = now() where bank = $1 and file_number = $2 and written_at is null',
);

export async function markRemittanceWritten(database: Database, bank: string, number: number): Promise<void> {
  await database.query(MARK_WRITTEN, [bank, number]);
}

const FIND_UNWRITTEN = statement(
  'remittances.find_unwritten',
  `select file_number as number from remittances
   where bank = $1 and written_at is null and file_number <> $2 order by file_number limit $3`,
);

/** The numbers of files that may have reached no folder, but for one. */
export async function findUnwrittenRemittances(
  database: Database,
  bank: string,
  besideNumber: number,
  most: number,
): Promise<number[]> {
  const rows = await database.query(FIND_UNWRITTEN, [bank, besideNumber, most]);
  return rows.map((row) => NEXT.parse(row).number);
}

const REFUSED = rowCodec(
  {
    kind: column.oneOf(INSTRUCTION_KINDS),
    ourNumber: column.text(),
    reason: column.nullable(column.text()),
  },
  'i',
);

const LIST_REFUSED = statement(
  'bank_instructions.list_refused',
  `select ${REFUSED.columns} from bank_instructions i
   where i.bank = $1 and i.file_number = $2 and i.answer = 'refused'
   order by i.our_number, i.kind`,
);

export async function listRefused(database: Reader, bank: string, number: number) {
  return (await database.query(LIST_REFUSED, [bank, number])).map(REFUSED.parse);
}

export type BankAnswer = {
  readonly ourNumber: string;
  /**
   * `later`: the oldest write-off or change that waits for an answer. `either`: the same, or the registration
   * where neither was ever asked.
   */
  readonly kind: 'register' | 'writeOff' | 'dueDay' | 'later' | 'either';
  readonly answer: 'accepted' | 'refused';
  /** What the file says of an accepted change; null: nothing. */
  readonly dueOn: Day | null;
  /** In Portuguese. */
  readonly reason: string | null;
};

const ANSWERS = inputRows<BankAnswer>(
  {
    our_number: ['text', (one) => one.ourNumber],
    kind: ['text', (one) => one.kind],
    answer: ['text', (one) => one.answer],
    reason: ['text', (one) => one.reason],
    due_on: ['date', (one) => one.dueOn],
  },
  { as: 'a', after: 3, place: 'position' },
);

const ANSWERED = rowCodec({ ourNumber: column.text('i.our_number'), answer: column.text('i.answer') });

/** `e` is an instruction that an answer `a` to `i` may be of as well. */
const IS_ALIKE = `e.merchant_id = i.merchant_id and e.our_number = i.our_number
       and case when a.kind in ('later', 'either') then e.kind <> 'register' or i.kind = 'register' else e.kind = i.kind end`;

/**
 * The first answer counts. Only what was in a file that is not younger is answered: of several instructions
 * the oldest, as banks read files in turn. A return file that is imported again must not answer a later one.
 */
const ANSWER = statement(
  'bank_instructions.answer',
  `with fitting as (
   select distinct on (a.position) i.merchant_id, i.our_number, i.kind, i.attempt, a.answer, a.reason, a.position
   from ${ANSWERS.sql}, bank_instructions i
   where i.our_number = a.our_number and i.bank_code = $1 and i.file_number is not null and i.answer is null
     and case when a.kind in ('later', 'either') then i.kind <> 'register' or a.kind = 'either' and not exists (
         select from bank_instructions w
         where w.merchant_id = i.merchant_id and w.our_number = i.our_number and w.kind <> 'register'
       ) else i.kind = a.kind end
     and (a.due_on is null or a.due_on = i.due_on)
     and not exists (select from bank_instructions e where ${IS_ALIKE} and e.answered_in = $2)
     and exists (
       select from remittances r
       where r.bank = i.bank and r.file_number = i.file_number and r.made_on <= $3::date
     )
   order by a.position, i.file_number, i.created_at, i.kind, i.attempt
   ), told as (
   select distinct on (merchant_id, our_number, kind, attempt) merchant_id, our_number, kind, attempt, answer, reason
   from fitting order by merchant_id, our_number, kind, attempt, position
   )
   update bank_instructions i
   set answer = t.answer, reason = t.reason, answered_at = now(), answered_in = $2
   from told t
   where i.merchant_id = t.merchant_id and i.our_number = t.our_number and i.kind = t.kind and i.attempt = t.attempt
     and i.answer is null
   returning ${ANSWERED.columns}`,
);

const ANSWERS_AT_ONCE = 2_000;

/**
 * Of two answers to one instruction the first counts. Returns the numbers of boletos of which one was refused
 * just now.
 */
export async function answerInstructions(
  tx: Tx,
  file: { readonly bank: string; readonly name: string; readonly madeOn: Day },
  answers: readonly BankAnswer[],
): Promise<ReadonlySet<string>> {
  const refused = new Set<string>();
  const ofFile = [file.bank, file.name, file.madeOn];
  for (let first = 0; first < answers.length; first += ANSWERS_AT_ONCE) {
    const part = answers.slice(first, first + ANSWERS_AT_ONCE);
    const rows = (await tx.query(ANSWER, [...ofFile, ...ANSWERS.values(part)])).map(ANSWERED.parse);
    for (const { ourNumber, answer } of rows) if (answer === 'refused') refused.add(ourNumber);
  }
  return refused;
}
