import { type Reader, statement } from '../../../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../../../platform/postgres/row-codec.ts';
import { INSTRUCTION_KINDS } from '../../../../providers/banks/remittances/instruction.ts';
import { readPayer } from '../boletos.sql.ts';

const ORDER = rowCodec(
  {
    kind: column.oneOf(INSTRUCTION_KINDS, 'i.kind'),
    bankNumber: column.text('i.bank_number'),
    ourNumber: column.text(),
    barCode: column.nullable(column.text()),
    amount: column.money(),
    issuedOn: column.day(),
    dueOn: column.day('coalesce(i.due_on, b.due_on)'),
    payableUntil: column.day('coalesce(i.payable_until, b.payable_until)'),
    payer: column.nullable({ sql: null, read: readPayer }),
    finePortion: column.nullable(column.whole()),
    interestPortion: column.nullable(column.whole()),
    discountAmount: column.nullable(column.money()),
    discountUntil: column.nullable(column.day()),
  },
  'b',
);

export type FiledOrder = RowOf<typeof ORDER>;

const READ = statement(
  'bank_instructions.read_file',
  `select ${ORDER.columns} from bank_instructions i
   join boletos b on b.merchant_id = i.merchant_id and b.our_number = i.our_number
   where i.bank = $1 and i.file_number = $2
   order by i.created_at, i.our_number, i.kind, i.attempt`,
);

export async function readFiledOrders(database: Pick<Reader, 'query'>, bank: string, number: number) {
  return (await database.query(READ, [bank, number])).map(ORDER.parse);
}
