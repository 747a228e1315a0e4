import { type Reader, statement } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Boleto } from '../boleto.ts';
import { BOLETO, parseBoleto } from '../boleto-rows.sql.ts';
import type { BoletoToPrint } from './boleto-to-print.ts';

const BENEFICIARY = rowCodec({ name: column.text('m.legal_name'), documentNumber: column.text('m.cnpj') });

const FIND = statement(
  'boletos.find_to_print',
  `select ${BOLETO.columns}, ${BENEFICIARY.columns}
   from boletos b join merchants m using (merchant_id)
   where b.page_key = $1`,
);

/** The boleto whose page has this key; null when there is none. */
export async function findBoletoToPrint(
  database: Reader,
  pageKey: string,
): Promise<(Omit<BoletoToPrint, 'today'> & Pick<Boleto, 'merchantId'>) | null> {
  const [row] = await database.query(FIND, [pageKey]);
  return row === undefined ? null : { ...parseBoleto(row), beneficiary: BENEFICIARY.parse(row) };
}
