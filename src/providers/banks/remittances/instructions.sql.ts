import { type Database, statement } from '../../../platform/postgres/database.ts';
import { inputRows, own } from '../../../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../../../platform/postgres/row-codec.ts';
import type { BoletoRequest, DueDayRequest } from '../bank.ts';
import { INSTRUCTION_ANSWERS, INSTRUCTION_KINDS } from './instruction.ts';

const INSTRUCTION = rowCodec(
  {
    kind: column.oneOf(INSTRUCTION_KINDS),
    /** Of a due day: the number of the change. */
    attempt: column.whole(),
    dueOn: column.nullable(column.day()),
    bankNumber: column.text(),
    fileNumber: column.nullable(column.whole()),
    answer: column.nullable(column.oneOf(INSTRUCTION_ANSWERS)),
    /** The boleto's; null: it has none yet. */
    barCode: column.nullable(
      column.text(
        '(select bar_code from boletos b where b.merchant_id = i.merchant_id and b.our_number = i.our_number)',
      ),
    ),
  },
  'i',
);

/** What a bank is told of a boleto by file. */
export type Instruction = RowOf<typeof INSTRUCTION>;

type Key = { readonly merchantId: string; readonly ourNumber: string };

/** Two providers that give the same number at once would see neither's. */
const TAKE_NUMBER = statement(
  'bank_instructions.take_number',
  `select pg_advisory_xact_lock(hashtextextended('bank numbers|' || $1::text || '|' || $2::text, 0))`,
);

/** Another boleto may have its number at the bank, of whichever provider: then nothing is written. */
const REGISTER = statement(
  'bank_instructions.register',
  `insert into bank_instructions (merchant_id, our_number, kind, bank, bank_code, bank_number, due_on, payable_until)
   select $1, $2, 'register', $3, $4, $5, $6::date, $7::date
   where not exists (
     select from providers p join bank_instructions i on i.bank = p.name and i.bank_number = $5 and i.kind = 'register'
     where p.kind = 'bank' and p.name <> $3 and i.bank_code = $4)
   on conflict do nothing`,
);

export async function registerByFile(
  database: Database,
  { merchantId, ourNumber, dueOn, payableUntil }: Key & Pick<BoletoRequest, 'dueOn' | 'payableUntil'>,
  { bank, bankCode, bankNumber }: Readonly<Record<'bank' | 'bankCode' | 'bankNumber', string>>,
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query(TAKE_NUMBER, [bankCode, bankNumber]);
    await tx.query(REGISTER, [merchantId, ourNumber, bank, bankCode, bankNumber, dueOn, payableUntil]);
  });
}

/** The last write-off comes before those that the bank refused. */
const FIND = statement(
  'bank_instructions.find',
  `select ${INSTRUCTION.columns} from bank_instructions i
   where i.merchant_id = $1 and i.our_number = $2 and i.bank = $3
   order by i.attempt desc`,
);

export async function findInstructions(
  database: Database,
  { merchantId, ourNumber }: Key,
  bank: string,
): Promise<Instruction[]> {
  return (await database.query(FIND, [merchantId, ourNumber, bank])).map(INSTRUCTION.parse);
}

/** A line of a return file that names a boleto by the number of the bank alone. */
export type NumberedLine = {
  readonly lineNumber: number;
  /** The provider that may have told it. */
  readonly bank: string;
  readonly bankNumber: string;
  /** With its check digit, as the bar code has it. */
  readonly numberInCode: string;
  /** We write the last ten digits of our number; null: blank, or zeros. */
  readonly documentNumber: string | null;
  /** Cents; 0: the line does not say. */
  readonly value: number;
  readonly dueOn: string | null;
};

const LINES = inputRows<NumberedLine>(
  {
    ...own({ lineNumber: 'integer', bank: 'text', bankNumber: 'text', numberInCode: 'text' }),
    ...own({ documentNumber: 'text', value: 'bigint', dueOn: 'date' }),
  },
  { as: 'f', after: 1 },
);

const NUMBERED = rowCodec(
  {
    lineNumber: column.whole(),
    ourNumber: column.text('min(i.our_number)'),
    isOfValue: column.boolean('bool_and(f.value in (0, b.amount))'),
  },
  'f',
);

/** `isOfValue`: the line has the boleto's value, or none. */
export type NamedLine = Omit<RowOf<typeof NUMBERED>, 'lineNumber'>;

/**
 * Another beneficiary may have the number too, and in one case of ten its digit: our number must stand beside
 * it as we wrote it, or nothing, and then value and due day must be the boleto's.
 */
const FIND_NUMBERED = statement(
  'bank_instructions.find_numbered',
  `select ${NUMBERED.columns} from ${LINES.sql}
   join bank_instructions i on i.bank = f.bank and i.bank_number = f.bank_number and i.kind = 'register'
   join boletos b on b.merchant_id = i.merchant_id and b.our_number = i.our_number
   where i.bank_code = $1 and i.file_number is not null and position(f.number_in_code in substr(b.bar_code, 20)) > 0
   group by f.line_number
   having count(*) = 1 and bool_and(case when f.document_number is not null then f.document_number = right(i.our_number, 10) else
     f.value = b.amount and (f.due_on = b.due_on or f.due_on = any (b.due_days) or exists (
       select from bank_instructions d
       where d.merchant_id = i.merchant_id and d.our_number = i.our_number and d.due_on = f.due_on)) end)`,
);

const LINES_AT_ONCE = 5_000;

/** Our numbers by those lines of which one provider told the bank. */
export async function findNumbered(
  database: Database,
  bankCode: string,
  lines: readonly NumberedLine[],
): Promise<ReadonlyMap<number, NamedLine>> {
  const found = new Map<number, NamedLine>();
  for (let first = 0; first < lines.length; first += LINES_AT_ONCE) {
    const values = LINES.values(lines.slice(first, first + LINES_AT_ONCE));
    const rows = (await database.query(FIND_NUMBERED, [bankCode, ...values])).map(NUMBERED.parse);
    for (const { lineNumber, ...named } of rows) found.set(lineNumber, named);
  }
  return found;
}

const FIND_TOLD = statement(
  'bank_instructions.find_told_of_bank',
  `select from bank_instructions
   where bank_code = $1 and bank = any ($2::text[]) and kind = 'register' and file_number is not null
   limit 1`,
);

/** Whether one of these providers has told the bank of a boleto by file. */
export async function isToldBy(
  database: Database,
  bankCode: string,
  names: readonly string[],
): Promise<boolean> {
  return (await database.query(FIND_TOLD, [bankCode, names])).length > 0;
}

/**
 * A registration that is in no file yet is withdrawn; one that the bank may know is written off by file, and
 * once more where a cancel was begun since the bank refused it.
 */
const WRITE_OFF = statement(
  'bank_instructions.write_off',
  `with withdrawn as (
     update bank_instructions set answer = 'withdrawn', answered_at = now()
     where merchant_id = $1 and our_number = $2 and bank = $3 and kind = 'register'
       and file_number is null and answer is null
     returning our_number
   ), asked as (
     select max(attempt) as attempts, bool_or(case answer when 'refused' then not is_told when 'withdrawn' then false else true end) as is_open
     from bank_instructions
     where merchant_id = $1 and our_number = $2 and bank = $3 and kind = 'writeOff'
   )
   insert into bank_instructions (merchant_id, our_number, kind, attempt, bank, bank_code, bank_number, due_on, payable_until)
   select r.merchant_id, r.our_number, 'writeOff', coalesce(a.attempts, 0) + 1, r.bank, r.bank_code, r.bank_number,
     coalesce(d.due_on, r.due_on), coalesce(d.payable_until, r.payable_until)
   from asked a, bank_instructions r left join lateral (
     select due_on, payable_until from bank_instructions d
     where d.merchant_id = r.merchant_id and d.our_number = r.our_number and d.bank = r.bank and d.kind = 'dueDay'
       and d.answer = 'accepted'
     order by d.attempt desc limit 1
   ) d on true
   where r.merchant_id = $1 and r.our_number = $2 and r.bank = $3 and r.kind = 'register'
     and r.file_number is not null and r.answer is distinct from 'refused' and a.is_open is not true
   on conflict do nothing`,
);

export async function writeOffByFile(
  database: Database,
  { merchantId, ourNumber }: Key,
  bank: string,
): Promise<void> {
  await database.query(WRITE_OFF, [merchantId, ourNumber, bank]);
}

/**
 * A registration that is in no file yet gets the other day, also when this is repeated once it is in one.
 * Otherwise the bank is told by file; each change has its number, so a repetition writes nothing, nor does a
 * day that the last change has which was not refused. What files said before stands beside it: they are
 * written again as they were. What another request has overtaken writes nothing; a bank that is told of no
 * changes by file is told of none.
 */
const CHANGE = statement(
  'bank_instructions.change_due_day',
  `with asking as (
     select boleto_id from boletos
     where merchant_id = $1 and our_number = $2 and state = 'changing' and due_day_changes = $4::integer
     for share
   ), changed as (
     update bank_instructions set due_on = $5::date, payable_until = $6::date
     where exists (select from asking) and merchant_id = $1 and our_number = $2 and bank = $3 and kind = 'register'
       and file_number is null and answer is null
     returning our_number
   ), dated as (
     update bank_instructions set due_on = $7::date, payable_until = $8::date
     where exists (select from asking) and merchant_id = $1 and our_number = $2 and bank = $3 and file_number is not null and due_on is null
     returning our_number
   )
   insert into bank_instructions (merchant_id, our_number, kind, attempt, bank, bank_code, bank_number, due_on, payable_until)
   select r.merchant_id, r.our_number, 'dueDay', $4::integer, r.bank, r.bank_code, r.bank_number, $5::date, $6::date
   from bank_instructions r
   where $9::boolean and exists (select from asking) and r.merchant_id = $1 and r.our_number = $2 and r.bank = $3 and r.kind = 'register'
     and r.file_number is not null and r.answer is distinct from 'refused'
     and (r.due_on is distinct from $5::date or exists (
       select from bank_instructions d
       where d.merchant_id = r.merchant_id and d.our_number = r.our_number and d.kind = 'dueDay'))
     and $5::date is distinct from (
       select d.due_on from bank_instructions d
       where d.merchant_id = r.merchant_id and d.our_number = r.our_number and d.kind = 'dueDay'
         and coalesce(d.answer, 'accepted') = 'accepted'
       order by d.attempt desc limit 1)
   on conflict do nothing`,
);

export async function changeDueDayByFile(
  database: Database,
  { merchantId, ourNumber, number, before, wanted }: DueDayRequest,
  { bank, isTold }: { readonly bank: string; readonly isTold: boolean },
): Promise<void> {
  const days = [wanted.dueOn, wanted.payableUntil, before.dueOn, before.payableUntil];
  await database.query(CHANGE, [merchantId, ourNumber, bank, number, ...days, isTold]);
}

/** In the statement that begins a cancel: what the bank refused before is no answer to it. */
export const TELL_REFUSALS = `told as (
     update bank_instructions i set is_told = true from changed c
     where c.state = 'canceling' and i.merchant_id = c.merchant_id and i.our_number = c.our_number and i.bank = c.bank
       and i.kind = 'writeOff' and i.answer = 'refused'
   )`;

/**
 * Of boleto `b`: no bank has it, because its registration is in no file, or was refused. One look by key
 * each; as `exists` it could be planned as a scan of all.
 */
export const IS_AT_NO_BANK = `coalesce((
    select r.file_number is null or r.answer = 'refused' from bank_instructions r
    where r.merchant_id = b.merchant_id and r.our_number = b.our_number and r.bank = b.bank and r.kind = 'register'
    limit 1), false)`;

const FIND_AT_NO_BANK = statement(
  'bank_instructions.find_at_no_bank',
  `select from bank_instructions
   where merchant_id = $1 and our_number = $2 and bank = $3 and kind = 'register'
     and (file_number is null or answer = 'refused')`,
);

export async function isAtNoBank(
  database: Database,
  { merchantId, ourNumber }: Key,
  bank: string,
): Promise<boolean> {
  return (await database.query(FIND_AT_NO_BANK, [merchantId, ourNumber, bank])).length > 0;
}

const WITHDRAW = statement(
  'bank_instructions.withdraw',
  `with withdrawn as (
     update bank_instructions set answer = 'withdrawn', answered_at = now()
     where merchant_id = $1 and our_number = $2 and bank = $3 and kind = 'register'
       and file_number is null and answer is null
     returning our_number
   )
   select our_number from withdrawn
   union all
   select our_number from bank_instructions
   where merchant_id = $1 and our_number = $2 and bank = $3 and kind = 'register' and answer in ('withdrawn', 'refused')`,
);

/** Whether no bank has the boleto, nor will have: a registration that is in no file yet goes into none. */
export async function withdrawRegistration(
  database: Database,
  { merchantId, ourNumber }: Key,
  bank: string,
): Promise<boolean> {
  return (await database.query(WITHDRAW, [merchantId, ourNumber, bank])).length > 0;
}
