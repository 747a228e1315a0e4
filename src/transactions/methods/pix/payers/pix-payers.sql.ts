import { type Database, statement, type Tx } from '../../../../platform/postgres/database.ts';
import { inputRows } from '../../../../platform/postgres/input-rows.ts';
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

export const FIRST_PIX: PixKey = { merchantId: '', pixId: '00000000-0000-0000-0000-000000000000' };

/** `merchantId` null: of all merchants. */
export async function listPayerPix(
  database: Database,
  { document, merchantId }: { readonly document: string; readonly merchantId: string | null },
  behind: PixKey,
  limit: number,
): Promise<PayerPix[]> {
  const values = [document, merchantId, behind.merchantId, behind.pixId, limit];
  return (await database.query(LIST, values)).map(PAYER_PIX.parse);
}

const KEY = rowCodec<PixKey>({ merchantId: column.text(), pixId: column.text() });

const KEYS = inputRows<PixKey>({
  merchant_id: ['text', (key) => key.merchantId],
  pix_id: ['uuid', (key) => key.pixId],
});

/** Skips locked rows. */
const ERASE = statement(
  'payers.erase_pix',
  `with held as materialized (
     select o.place from ${KEYS.sql} cross join lateral (
       select ctid as place from pix_charges
       where merchant_id = i.merchant_id and pix_id = i.pix_id and payer is not null and not ${IS_OPEN}
       for no key update skip locked
     ) o
   )
   update pix_charges set payer = null, description = null, payer_erased_at = now()
   where ctid = any (array(select place from held)) and payer is not null and not ${IS_OPEN}
   returning ${KEY.columns}`,
);

/** Also erases what they were shown. Skips what may still be paid. Returns the erased. */
export async function erasePixPayers(tx: Tx, keys: readonly PixKey[]): Promise<PixKey[]> {
  return (await tx.query(ERASE, KEYS.values(keys))).map(KEY.parse);
}

const ERASE_OLD = statement(
  'payers.erase_old_pix',
  `with held as materialized (
     select ctid as place from pix_charges
     where payer is not null and not ${IS_OPEN} and created_at < now() - $2 * interval '1 day'
     order by created_at limit $1
     for no key update skip locked
   )
   update pix_charges set payer = null, description = null, payer_erased_at = now()
   where ctid = any (array(select place from held)) and payer is not null and not ${IS_OPEN}
   returning 1`,
);

export async function eraseOldPixPayers(database: Database, limit: number, days: number): Promise<number> {
  return (await database.query(ERASE_OLD, [limit, days])).length;
}
