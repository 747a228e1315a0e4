import { type Database, statement } from '../../../../platform/postgres/database.ts';
import { type PersonFilter, personalData } from '../../../../platform/postgres/personal-rows.ts';
import { column, type RowOf, rowCodec } from '../../../../platform/postgres/row-codec.ts';
import { BOLETO_STATES, type BoletoKey } from '../boleto.ts';
import { readPayer } from '../boletos.sql.ts';

const PAYER_BOLETO = rowCodec(
  {
    merchantId: column.text(),
    boletoId: column.text(),
    accountNumber: column.text(),
    state: column.oneOf(BOLETO_STATES),
    /** It can still be paid, or the bank is being asked about it, so its payer is needed. */
    isOpen: column.boolean('(b.acts_at is not null or b.due_at is not null)'),
    ourNumber: column.text(),
    amount: column.money(),
    dueOn: column.day(),
    referenceTransaction: column.nullable(column.text()),
    instructions: column.listOf(column.text()),
    callbackUrl: column.nullable(column.text()),
    payer: column.parsedBy(readPayer),
  },
  'b',
);

export type PayerBoleto = RowOf<typeof PAYER_BOLETO>;

const IS_OPEN = `(acts_at is not null or due_at is not null)`;

const LIST = statement(
  'payers.list_boletos',
  `select ${PAYER_BOLETO.columns} from boletos b
   where b.payer is not null and b.payer ->> 'documentNumber' = $1 and ($2::text is null or b.merchant_id = $2)
     and (b.merchant_id, b.boleto_id) > ($3, $4::uuid)
   order by b.merchant_id, b.boleto_id limit $5`,
);

export async function listPayerBoletos(
  database: Database,
  { document, merchantId }: PersonFilter,
  behind: BoletoKey,
  limit: number,
): Promise<PayerBoleto[]> {
  const values = [document, merchantId, behind.merchantId, behind.boletoId, limit];
  return (await database.query(LIST, values)).map(PAYER_BOLETO.parse);
}

/** Payers of boletos that are over. The instructions, which were printed for them, are erased with them. */
export const PAYERS = personalData({
  table: 'boletos',
  id: 'boletoId',
  erasable: `payer is not null and not ${IS_OPEN}`,
  erased: "payer = null, instructions = '{}', payer_erased_at = now()",
  since: 'created_at',
});
