import { type Database, type Reader, statement, type Tx } from '../../../platform/postgres/database.ts';
import { inputRows, own } from '../../../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../../../platform/postgres/row-codec.ts';
import type { Day } from '../../../values/instant.ts';
import {
  type AnsweredInstruction,
  type AnsweringFile,
  type BankAnswer,
  INSTRUCTION_ANSWERS,
  INSTRUCTION_KINDS,
  type InstructionKind,
  LONGEST_REASON,
  madeChange,
  type TakenAnswer,
  type TakenAnswers,
  takeAnswers,
} from './instruction.ts';

/** One file of a bank at a time, so that numbers have no holes. */
const TAKE_TURN = statement(
  'remittances.take_turn',
  `select pg_advisory_xact_lock(hashtextextended('remittances|' || $1::text, 0))`,
);

/** A provider, and the bank that it is of; a layout takes numbers of one length only. */
type NamedBank = { readonly name: string; readonly code: string; readonly numberLength: number };

const NEXT = rowCodec({ number: column.whole() });

const FIND_NEXT = statement(
  'remittances.find_next',
  'select coalesce(max(file_number), 0) + 1 as number from remittances where bank = $1',
);

/**
 * What the boleto no longer waits for is not told to the bank: it was paid, has ended, or the bank has the
 * day that it was to have.
 */
const IS_WANTED = `case i.kind when 'register' then true when 'writeOff' then exists (
       select from boletos b
       where b.merchant_id = i.merchant_id and b.our_number = i.our_number and b.state = 'canceling')
     else exists (
       select from boletos b
       where b.merchant_id = i.merchant_id and b.our_number = i.our_number and b.state = 'changing'
         and b.due_day_changes = i.attempt) and i.due_on is distinct from (
       select d.due_on from bank_instructions d
       where d.merchant_id = i.merchant_id and d.our_number = i.our_number and d.kind = 'dueDay' and d.answer = 'accepted'
       order by d.attempt desc limit 1) end`;

const TAKE = statement(
  'bank_instructions.take',
  `with withdrawn as (
     update bank_instructions i set answer = 'withdrawn', answered_at = now()
     where bank = $1 and bank_code = $4 and file_number is null and answer is null and not ${IS_WANTED}
   ), next as (
     select merchant_id, our_number, kind, attempt from bank_instructions i
     where bank = $1 and bank_code = $4 and char_length(bank_number) = $5 and file_number is null and answer is null
       and ${IS_WANTED}
     order by created_at, our_number, kind limit $3
     for update
   )
   update bank_instructions i set file_number = $2 from next n
   where i.merchant_id = n.merchant_id and i.our_number = n.our_number and i.kind = n.kind
     and i.attempt = n.attempt`,
);

/**
 * Takes the oldest instructions that are in no file into the next one, whose number is returned. Those that
 * the provider was to write to another bank wait until it is of that bank again, and so do those whose
 * numbers are longer or shorter than those of the layout.
 */
export async function takeInstructions(
  tx: Tx,
  { name: bank, code, numberLength }: NamedBank,
  most: number,
): Promise<number> {
  await tx.query(TAKE_TURN, [bank]);
  const [row] = (await tx.query(FIND_NEXT, [bank])).map(NEXT.parse);
  const number = row?.number ?? 1;
  await tx.query(TAKE, [bank, number, most, code, numberLength]);
  return number;
}

/** An instruction that cannot be written, and why. */
export type LeftOut = {
  readonly kind: InstructionKind;
  readonly ourNumber: string;
  readonly reason: string;
};

const LEFT_OUT = inputRows<LeftOut>(own({ kind: 'text', ourNumber: 'text' }), { as: 't', after: 2 });

const LEAVE_OUT = statement(
  'bank_instructions.leave_out',
  `update bank_instructions i set file_number = null from ${LEFT_OUT.sql}
   where i.bank = $1 and i.file_number = $2 and i.kind = t.kind and i.our_number = t.our_number`,
);

/** Of the file that is being made: they wait for another one. */
export async function leaveOut(tx: Tx, bank: string, number: number, leftOut: readonly LeftOut[]) {
  if (leftOut.length > 0) await tx.query(LEAVE_OUT, [bank, number, ...LEFT_OUT.values(leftOut)]);
}

const IS_STRANDED = "concat_ws('/', i.bank, i.bank_code, char_length(i.bank_number)) <> all ($1::text[])";

/** Longer than a weekend. */
export const LONGEST_WAIT_DAYS = 3;

const WAITING = rowCodec({
  name: column.text('i.bank'),
  code: column.text('i.bank_code'),
  count: column.whole('count(*)::int'),
  isStranded: column.boolean(IS_STRANDED),
});

const FIND_WAITING = statement(
  'bank_instructions.find_waiting',
  `select ${WAITING.columns} from bank_instructions i
   where i.file_number is null and i.answer is null and ${IS_WANTED}
   group by 1, 2, 4
   having ${IS_STRANDED} or min(i.created_at) < now() - make_interval(days => $2::integer)
   order by 1, 2, 4 limit 20`,
);

/**
 * What is in no file: long since, or `isStranded`, because it waits for one to none of these banks, which
 * nobody makes.
 */
export async function findWaiting(database: Reader, banks: readonly NamedBank[]) {
  const named = banks.map((one) => `${one.name}/${one.code}/${one.numberLength}`);
  return (await database.query(FIND_WAITING, [named, LONGEST_WAIT_DAYS])).map(WAITING.parse);
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

const INSTRUCTION = rowCodec<AnsweredInstruction>(
  {
    merchantId: column.text(),
    ourNumber: column.text(),
    kind: column.oneOf(INSTRUCTION_KINDS),
    attempt: column.whole(),
    dueOn: column.nullable(column.day()),
    payableUntil: column.nullable(column.day()),
    answer: column.nullable(column.oneOf(INSTRUCTION_ANSWERS)),
    reason: column.nullable(column.text()),
    filedOn: column.nullable(column.day('r.made_on')),
    filedAt: column.nullable(column.instant('r.created_at')),
    answeredIn: column.nullable(column.text()),
    answeredOn: column.nullable(column.day("split_part(i.answered_in, '/', 1)::date")),
    answeredAt: column.nullable(column.instant()),
  },
  'i',
);

/** In the order in which the bank reads them. */
const FIND_TOLD = statement(
  'bank_instructions.find_told',
  `select ${INSTRUCTION.columns}
   from bank_instructions i left join remittances r on r.bank = i.bank and r.file_number = i.file_number
   where i.our_number = any ($2::text[]) and i.bank_code = $1
   order by i.file_number, i.created_at, i.kind, i.attempt`,
);

type GivenAnswer = Pick<AnsweredInstruction, 'answer' | 'reason' | 'answeredIn'> & {
  readonly instruction: AnsweredInstruction;
};

const GIVEN = inputRows<GivenAnswer>(
  {
    merchant_id: ['text', ({ instruction }) => instruction.merchantId],
    our_number: ['text', ({ instruction }) => instruction.ourNumber],
    kind: ['text', ({ instruction }) => instruction.kind],
    attempt: ['integer', ({ instruction }) => instruction.attempt],
    answer: ['text', (one) => one.answer],
    reason: ['text', (one) => one.reason],
    answered_in: ['text', (one) => one.answeredIn],
  },
  { as: 't' },
);

const NOT_NAMED = '(o banco não diz qual instrução)';

/** What it was taken for is shown with that it may be of another one. */
function reasonOf({ line: { reason }, isUnnamed }: TakenAnswer): string | null {
  if (reason === null || !isUnnamed) return reason;
  return `${reason.slice(0, LONGEST_REASON - NOT_NAMED.length - 1)} ${NOT_NAMED}`;
}

function givenAnswers({ taken, passed }: TakenAnswers, { name }: AnsweringFile): GivenAnswer[] {
  return [
    ...taken.map((one) => ({
      ...{ instruction: one.instruction, reason: reasonOf(one), answeredIn: name },
      answer: one.line.isAccepted ? ('accepted' as const) : ('refused' as const),
    })),
    ...passed.map(({ refused: { answer, reason, answeredIn }, instruction }) => ({
      ...{ instruction, answer, reason, answeredIn },
    })),
  ];
}

const ANSWER = statement(
  'bank_instructions.answer',
  `update bank_instructions i
   set answer = t.answer, reason = t.reason, answered_at = now(), answered_in = t.answered_in
   from ${GIVEN.sql}
   where i.merchant_id = t.merchant_id and i.our_number = t.our_number and i.kind = t.kind and i.attempt = t.attempt
     and (i.answer is null or i.answer = 'refused')`,
);

const BOLETOS_AT_ONCE = 2_000;

/** All lines of a boleto together, wherever they stand in the file. Returns what was answered just now. */
export async function answerInstructions(
  tx: Tx,
  { bank, ...file }: AnsweringFile & { readonly bank: string },
  answers: readonly BankAnswer[],
): Promise<Omit<TakenAnswers, 'passed'> & { readonly made: readonly AnsweredInstruction[] }> {
  const byBoleto = Map.groupBy(answers, ({ ourNumber }) => ourNumber);
  const numbers = [...byBoleto.keys()];
  const taken: TakenAnswer[] = [];
  const idle: BankAnswer[] = [];
  const made: AnsweredInstruction[] = [];
  for (let first = 0; first < numbers.length; first += BOLETOS_AT_ONCE) {
    const part = numbers.slice(first, first + BOLETOS_AT_ONCE);
    const rows = (await tx.query(FIND_TOLD, [bank, part])).map(INSTRUCTION.parse);
    const told = Map.groupBy(rows, ({ ourNumber }) => ourNumber);
    const given = part.flatMap((one) => {
      const instructions = told.get(one) ?? [];
      const answered = takeAnswers(instructions, byBoleto.get(one) ?? [], file);
      const change = madeChange(instructions, answered);
      if (change !== null) made.push(change);
      taken.push(...answered.taken);
      idle.push(...answered.idle);
      return givenAnswers(answered, file);
    });
    if (given.length > 0) await tx.query(ANSWER, GIVEN.values(given));
  }
  return { taken, idle, made };
}
