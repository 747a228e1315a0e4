import type { BoletoPayer } from '../../banks/bank.ts';
import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import type { Cents } from '../../values/cents.ts';
import type { Day } from '../../values/instant.ts';
import type { BoletoKey, BoletoState } from '../boleto.ts';

/** A payer as the merchant described it, with the boleto. */
export type PayerBoleto = BoletoKey & {
  readonly accountNumber: string;
  readonly state: BoletoState;
  /** It may still be paid, or the bank is asked about it: its payer is needed. */
  readonly isOpen: boolean;
  readonly ourNumber: string;
  readonly amount: Cents;
  readonly dueOn: Day;
  readonly referenceTransaction: string | null;
  readonly instructions: readonly string[];
  readonly callbackUrl: string | null;
  readonly payer: BoletoPayer;
};

const IS_OPEN = `(acts_at is not null or due_at is not null)`;

const LIST = statement(
  'payers.list_boletos',
  `select b.merchant_id, b.boleto_id, b.account_number, b.state, (b.acts_at is not null or b.due_at is not null) as is_open,
     b.our_number, b.amount, b.due_on::text as due_on, b.reference_transaction, b.instructions, b.callback_url, b.payer
   from boletos b
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

/** Up to `limit` boletos whose payer has this document, in the order of their keys, behind a place. */
export async function listPayerBoletos(
  database: Database,
  { document, merchantId }: PayerFilter,
  behind: BoletoKey,
  limit: number,
): Promise<PayerBoleto[]> {
  const values = [document, merchantId, behind.merchantId, behind.boletoId, limit];
  return (await database.query(LIST, values)).map(parse);
}

function parse(row: Row): PayerBoleto {
  return {
    merchantId: row.merchant_id as string,
    boletoId: row.boleto_id as string,
    accountNumber: row.account_number as string,
    state: row.state as BoletoState,
    isOpen: row.is_open as boolean,
    ourNumber: row.our_number as string,
    amount: row.amount as Cents,
    dueOn: row.due_on as Day,
    referenceTransaction: row.reference_transaction as string | null,
    instructions: row.instructions as string[],
    callbackUrl: row.callback_url as string | null,
    payer: row.payer as BoletoPayer,
  };
}

const KEYS = inputRows<BoletoKey>({
  merchant_id: ['text', (key) => key.merchantId],
  boleto_id: ['uuid', (key) => key.boletoId],
});

/** What another transaction has locked is left. */
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
   returning merchant_id, boleto_id`,
);

/** Erases payers, with what is printed for them, save of boletos that may still be paid; gives which. */
export async function erasePayers(database: Database, keys: readonly BoletoKey[]): Promise<BoletoKey[]> {
  const rows = await database.query(ERASE, KEYS.values(keys));
  return rows.map((row) => ({
    merchantId: row.merchant_id as string,
    boletoId: row.boleto_id as string,
  }));
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

/** The same for up to `limit` boletos that are older than so many days of real time, oldest first. */
export async function eraseOldPayers(database: Database, limit: number, days: number): Promise<number> {
  return (await database.query(ERASE_OLD, [limit, days])).length;
}
