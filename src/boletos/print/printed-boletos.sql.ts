import { type Reader, statement } from '../../platform/postgres/database.ts';
import type { Boleto } from '../boleto.ts';
import { BOLETO_COLUMNS, parseBoleto } from '../boleto-rows.sql.ts';
import type { BoletoToPrint } from './boleto-to-print.ts';

const FIND = statement(
  'boletos.find_to_print',
  `select ${BOLETO_COLUMNS}, m.legal_name, m.cnpj
   from boletos b join merchants m using (merchant_id)
   where b.page_key = $1`,
);

/** The boleto whose page has this key; null when there is none. */
export async function findBoletoToPrint(
  database: Reader,
  pageKey: string,
): Promise<(Omit<BoletoToPrint, 'today'> & Pick<Boleto, 'merchantId'>) | null> {
  const [row] = await database.query(FIND, [pageKey]);
  if (row === undefined) return null;
  const beneficiary = { name: row.legal_name as string, documentNumber: row.cnpj as string };
  return { ...parseBoleto(row), beneficiary };
}
