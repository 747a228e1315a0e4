import { type Database, statement, type Tx } from '../../../../platform/postgres/database.ts';
import { inputRows } from '../../../../platform/postgres/input-rows.ts';
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

export type PayerFilter = {
  /** CPF or CNPJ without mask, letters upper case. */
  readonly document: string;
  /** Null: of all merchants. */
  readonly merchantId: string | null;
};

export const FIRST_BOLETO: BoletoKey = { merchantId: '', boletoId: '00000000-0000-0000-0000-000000000000' };

export async function listPayerBoletos(
  database: Database,
  { document, merchantId }: PayerFilter,
  behind: BoletoKey,
  limit: number,
): Promise<PayerBoleto[]> {
  const values = [document, merchantId, behind.merchantId, behind.boletoId, limit];
  return (await database.query(LIST, values)).map(PAYER_BOLETO.parse);
}

const KEY = rowCodec<BoletoKey>({ merchantId: column.text(), boletoId: column.text() });

const KEYS = inputRows<BoletoKey>({
  merchant_id: ['text', (key) => key.merchantId],
  boleto_id: ['uuid', (key) => key.boletoId],
});

/** Skips locked rows. */
const ERASE = statement(
  'payers.erase',
  `with held as materialized (
     select o.place from ${KEYS.sql} cross join lateral (
       select ctid as place from boletos
       where merchant_id = i.merchant_id and boleto_id = i.boleto_id and payer is not null and not ${IS_OPEN}
       for no key update skip locked
     ) o
   )
   update boletos set payer = null, instructions = '{}', payer_erased_at = now()
   where ctid = any (array(select place from held)) and payer is not null and not ${IS_OPEN}
   returning ${KEY.columns}`,
);

/** Also erases the lines printed for them. Skips boletos that may still be paid. Returns the erased. */
export async function erasePayers(tx: Tx, keys: readonly BoletoKey[]): Promise<BoletoKey[]> {
  return (await tx.query(ERASE, KEYS.values(keys))).map(KEY.parse);
}

const ERASE_OLD = statement(
  'payers.erase_old',
  `with held as materialized (
     select ctid as place from boletos
     where payer is not null and not ${IS_OPEN} and created_at < now() - $2 * interval '1 day'
     order by created_at limit $1
     for no key update skip locked
   )
   update boletos set payer = null, instructions = '{}', payer_erased_at = now()
   where ctid = any (array(select place from held)) and payer is not null and not ${IS_OPEN}
   returning 1`,
);

export async function eraseOldPayers(database: Database, limit: number, days: number): Promise<number> {
  return (await database.query(ERASE_OLD, [limit, days])).length;
}
