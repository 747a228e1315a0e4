import type { Page } from '../platform/pages.ts';
import { type Reader, statement } from '../platform/postgres/database.ts';
import { pageOf, readPageOf } from '../platform/postgres/page-of.ts';
import { column, rowCodec } from '../platform/postgres/row-codec.ts';
import type { Boleto } from './boleto.ts';
import { BOLETO, parseBoleto } from './boleto-rows.sql.ts';
import type { WantedBoletos } from './boleto-search.ts';

/**
 * What was refused never was a bill. `$7`: a state; `$8`: from which those are being canceled that are
 * shown alike.
 */
const FOUND = `from boletos where merchant_id = $1 and account_number = $4 and due_on >= $5::date and due_on <= $6::date
  and state || '' <> 'refused'
  and case when $7::text is null then true when state = 'canceling' then state_before = $8::text else state = $7::text end`;

const BY_DUE_DAY = pageOf({
  name: 'boletos.list_by_due_day',
  before: `counted as materialized (select count(*) as total from (select ${FOUND} order by due_on, boleto_id {counted}) c)`,
  keys: `select due_on, boleto_id ${FOUND}`,
  key: 'boleto_id',
  order: ['due_on', 'boleto_id'],
  shown: `${BOLETO.columns} from page g cross join lateral (
       select * from boletos where merchant_id = $1 and boleto_id = g.boleto_id limit 1
     ) b`,
});

/** A page of an account's boletos and how many there are in all, of one moment. */
export async function listFoundBoletos(
  database: Reader,
  merchantId: string,
  wanted: WantedBoletos,
): Promise<Page<Boleto>> {
  const { accountNumber, dueFrom, dueTo, states } = wanted;
  const values = [accountNumber, dueFrom, dueTo, states?.state ?? null, states?.canceledFrom ?? null];
  const { rows, total } = await readPageOf(database, BY_DUE_DAY, merchantId, wanted, values);
  return { items: rows.map(parseBoleto), total };
}

/** What names a boleto, or those of a payer. */
export type BoletoName = { readonly kind: 'ourNumber' | 'barCode' | 'document'; readonly text: string };

const NAMED = rowCodec({ boletoId: column.text() });

/** By its key of merchant and number. */
const BY_OUR_NUMBER = statement(
  'boletos.find_by_our_number',
  `select ${NAMED.columns} from boletos where merchant_id = $1 and our_number = $2 limit $3`,
);

/** Along boletos_by_bar_code. A bank may use a bar code anew after years. */
const BY_BAR_CODE = statement(
  'boletos.find_by_bar_code',
  `select ${NAMED.columns} from boletos where merchant_id = $1 and bar_code = $2 and bar_code is not null limit $3`,
);

/** Along boletos_by_document, the newest first. */
const BY_DOCUMENT = statement(
  'boletos.find_by_document',
  `select ${NAMED.columns} from boletos where payer is not null and payer ->> 'documentNumber' = $2 and merchant_id = $1
   order by boleto_id desc limit $3`,
);

const STATEMENTS = { ourNumber: BY_OUR_NUMBER, barCode: BY_BAR_CODE, document: BY_DOCUMENT };

/** Those that have this name, of a payer the newest, up to `limit`. */
export async function findNamedBoletos(
  database: Reader,
  merchantId: string,
  { kind, text: name }: BoletoName,
  limit: number,
): Promise<string[]> {
  const rows = await database.query(STATEMENTS[kind], [merchantId, name, limit]);
  return rows.map((row) => NAMED.parse(row).boletoId);
}
