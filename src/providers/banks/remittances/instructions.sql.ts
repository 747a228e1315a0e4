import { type Database, statement } from '../../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../../platform/postgres/row-codec.ts';

export const INSTRUCTION_KINDS = ['register', 'writeOff'] as const;
const INSTRUCTION_ANSWERS = ['accepted', 'refused', 'withdrawn'] as const;

const INSTRUCTION = rowCodec(
  {
    kind: column.oneOf(INSTRUCTION_KINDS),
    bankNumber: column.text(),
    fileNumber: column.nullable(column.whole()),
    answer: column.nullable(column.oneOf(INSTRUCTION_ANSWERS)),
  },
  'i',
);

/** What a bank is told of a boleto by file. */
export type Instruction = RowOf<typeof INSTRUCTION>;

type Key = { readonly merchantId: string; readonly ourNumber: string };

/** Another boleto may have its number at the bank: then nothing is written. */
const REGISTER = statement(
  'bank_instructions.register',
  `insert into bank_instructions (merchant_id, our_number, kind, bank, bank_code, bank_number)
   values ($1, $2, 'register', $3, $4, $5)
   on conflict do nothing`,
);

export async function registerByFile(
  database: Database,
  { merchantId, ourNumber }: Key,
  { bank, bankCode, bankNumber }: Readonly<Record<'bank' | 'bankCode' | 'bankNumber', string>>,
): Promise<void> {
  await database.query(REGISTER, [merchantId, ourNumber, bank, bankCode, bankNumber]);
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

/**
 * A registration that is in no file yet is withdrawn; one that the bank may know is written off by file, and
 * once more after a refusal that the boleto has been told of.
 */
const WRITE_OFF = statement(
  'bank_instructions.write_off',
  `with withdrawn as (
     update bank_instructions set answer = 'withdrawn', answered_at = now()
     where merchant_id = $1 and our_number = $2 and bank = $3 and kind = 'register'
       and file_number is null and answer is null
     returning our_number
   ), asked as (
     select max(attempt) as attempts, bool_or(answer is distinct from 'refused' or not is_told) as is_open
     from bank_instructions
     where merchant_id = $1 and our_number = $2 and bank = $3 and kind = 'writeOff'
   )
   insert into bank_instructions (merchant_id, our_number, kind, attempt, bank, bank_code, bank_number)
   select r.merchant_id, r.our_number, 'writeOff', coalesce(a.attempts, 0) + 1, r.bank, r.bank_code, r.bank_number
   from bank_instructions r, asked a
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

const TELL = statement(
  'bank_instructions.tell',
  `update bank_instructions set is_told = true
   where merchant_id = $1 and our_number = $2 and bank = $3 and kind = 'writeOff' and answer = 'refused'`,
);

/** From now on the boleto may be written off anew. */
export async function tellRefusal(
  database: Database,
  { merchantId, ourNumber }: Key,
  bank: string,
): Promise<void> {
  await database.query(TELL, [merchantId, ourNumber, bank]);
}
