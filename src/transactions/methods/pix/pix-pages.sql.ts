import { type Reader, statement } from '../../../platform/postgres/database.ts';
import { column, firstOf, rowCodec } from '../../../platform/postgres/row-codec.ts';
import type { CodeToShow, PixToPay } from './page/pix-to-pay.ts';
import { PIX, parsePix } from './pix-charges.sql.ts';

const BENEFICIARY = rowCodec({ name: column.text('m.legal_name'), documentNumber: column.text('m.cnpj') });

const FIND = statement(
  'pix_charges.find_to_pay',
  `select ${PIX.columns}, ${BENEFICIARY.columns}
   from pix_charges p join merchants m using (merchant_id)
   where p.page_key = $1 and p.refusal_reason is distinct from 'notSent'`,
);

export async function findPixToPay(database: Reader, pageKey: string): Promise<Omit<PixToPay, 'now'> | null> {
  const [row] = await database.query(FIND, [pageKey]);
  return row === undefined ? null : { ...parsePix(row), beneficiary: BENEFICIARY.parse(row) };
}

const CODE = rowCodec({ merchantId: column.text(), pixEmv: column.text(), expiresAt: column.instant() }, 'a');

const FIND_CODE = statement(
  'pix_authorizations.find_code',
  `select ${CODE.columns} from pix_authorizations a where a.page_key = $1 and a.state = 'waiting'`,
);

/** Finds the code of an authorization that waits for its payer to agree (Pix Automático). */
export async function findCodeToShow(database: Reader, pageKey: string): Promise<CodeToShow | null> {
  return firstOf(await database.query(FIND_CODE, [pageKey]), CODE.parse);
}
