import type { Page } from '../platform/pages.ts';
import type { Reader } from '../platform/postgres/database.ts';
import { pageOf, readPageOf } from '../platform/postgres/page-of.ts';
import type { Boleto } from './boleto.ts';
import { BOLETO_COLUMNS, parseBoleto } from './boleto-rows.sql.ts';
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
  before: `counted as materialized (select count(*) as total ${FOUND})`,
  keys: `select due_on, boleto_id ${FOUND}`,
  key: 'boleto_id',
  order: ['due_on', 'boleto_id'],
  shown: `${BOLETO_COLUMNS} from page g cross join lateral (
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
