import { type Database, statement } from '../../../../platform/postgres/database.ts';
import { type PersonFilter, personalData } from '../../../../platform/postgres/personal-rows.ts';
import { column, type RowOf, rowCodec } from '../../../../platform/postgres/row-codec.ts';
import { PIX_STATES, type PixKey } from '../pix.ts';
import { readPayer } from '../pix-charges.sql.ts';

const PAYER_PIX = rowCodec(
  {
    merchantId: column.text(),
    pixId: column.text(),
    accountNumber: column.text(),
    state: column.oneOf(PIX_STATES),
    /** It can still be paid, or the bank is being asked about it, so its payer is needed. */
    isOpen: column.boolean('(p.acts_at is not null or p.due_at is not null)'),
    txid: column.text(),
    amount: column.money(),
    referenceTransaction: column.nullable(column.text()),
    description: column.nullable(column.text()),
    callbackUrl: column.nullable(column.text()),
    payer: column.parsedBy(readPayer),
  },
  'p',
);

export type PayerPix = RowOf<typeof PAYER_PIX>;

const IS_OPEN = '(acts_at is not null or due_at is not null)';

const LIST = statement(
  'payers.list_pix',
  `select ${PAYER_PIX.columns} from pix_charges p
   where p.payer is not null and p.payer ->> 'documentNumber' = $1 and ($2::text is null or p.merchant_id = $2)
     and (p.merchant_id, p.pix_id) > ($3, $4::uuid)
   order by p.merchant_id, p.pix_id limit $5`,
);

export async function listPayerPix(
  database: Database,
  { document, merchantId }: PersonFilter,
  behind: PixKey,
  limit: number,
): Promise<PayerPix[]> {
  const values = [document, merchantId, behind.merchantId, behind.pixId, limit];
  return (await database.query(LIST, values)).map(PAYER_PIX.parse);
}

/** Payers of charges that are over. The description, which they were shown, is erased with them. */
export const PIX_PAYERS = personalData({
  table: 'pix_charges',
  id: 'pixId',
  erasable: `payer is not null and not ${IS_OPEN}`,
  erased: 'payer = null, description = null, payer_erased_at = now()',
  since: 'created_at',
});
