import { type Database, type Reader, statement, type Tx } from '../../platform/postgres/database.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { type Instant, utcText } from '../../values/instant.ts';
import { DECIDED, UNDER_WAY } from '../transaction-queries.sql.ts';
import { ALL_MERCHANTS, FEE_LEAD_MILLISECONDS, FEE_SOURCES, type FeeVersion } from './fee-table.ts';

const VERSION = rowCodec({
  merchantId: column.text(),
  validFrom: column.instant(),
  rules: column.text(),
  source: column.oneOf(FEE_SOURCES),
  createdBy: column.text(),
  createdAt: column.instant(),
});

type WrittenFees = Readonly<RowOf<typeof VERSION>>;

/** A commit may become visible some time after its created_at, so callers look back a while. */
const LIST_SINCE = statement(
  'fees.list_since',
  `select ${VERSION.columns} from fee_tables where created_at >= $1 order by merchant_id, valid_from`,
);

/** Changes whenever a new version becomes visible, even one that becomes visible late. */
export const VERSION_OF_FEES = statement(
  'fees.version',
  `select concat_ws(' ', count(*), max(created_at)) as version from fee_tables
   where created_at >= (select max(created_at) from fee_tables) - interval '60 seconds'`,
);

export async function listFeeVersions(database: Reader, since: Instant | null): Promise<WrittenFees[]> {
  const rows = await database.query(LIST_SINCE, [since === null ? '-infinity' : utcText(since)]);
  return rows.map(VERSION.parse);
}

const LIST_NEWEST = statement(
  'fees.list_newest',
  `select ${VERSION.columns} from fee_tables where $2::text is null or merchant_id = $2
   order by valid_from desc, merchant_id limit $1`,
);

export async function listNewestFeeVersions(
  database: Reader,
  limit: number,
  owner: string | null = null,
): Promise<WrittenFees[]> {
  const rows = await database.query(LIST_NEWEST, [limit, owner]);
  return rows.map(VERSION.parse);
}

const LIST_OF_MERCHANT = statement(
  'fees.list_of_merchant',
  `select ${VERSION.columns} from fee_tables where merchant_id = $1
   union all select ${VERSION.columns} from fee_tables where merchant_id = $2`,
);

export async function listVersionsOf(reader: Reader, merchantId: string): Promise<FeeVersion[]> {
  return (await reader.query(LIST_OF_MERCHANT, [merchantId, ALL_MERCHANTS])).map(VERSION.parse);
}

/** The first version is valid from the epoch, so that every sale has one. */
const KEEP_SETTING = statement(
  'fees.keep_setting',
  `insert into fee_tables (merchant_id, valid_from, rules, source, created_by)
   select $1, case when exists (select from fee_tables where merchant_id = $1) then clock_timestamp() + $3 * interval '1 millisecond'
     else 'epoch' end, $2,
     'setting', 'system'
   where $2 is distinct from (
     select rules from fee_tables where merchant_id = $1 and source = 'setting' order by valid_from desc limit 1
   )
   on conflict do nothing`,
);

/** Writes the setting as a new version, unless it equals the last version that came from it. */
export async function keepFeeSetting(database: Database, rules: string): Promise<void> {
  await database.query(KEEP_SETTING, [ALL_MERCHANTS, rules, FEE_LEAD_MILLISECONDS]);
}

const SALE = rowCodec({ soldAt: column.instant('s.sold_at') });

const SALE_AFTER = `select sold_at from transactions t
  where t.merchant_id = m.merchant_id and t.sold_at >= $2 and t.installments_state is not null
  and t.state not in ('declined', 'voided')`;
const NEWEST = 'order by t.sold_at desc limit 1';
const NEWEST_SALE = `(${SALE_AFTER} and ${DECIDED} ${NEWEST})
  union all (${SALE_AFTER} and ${UNDER_WAY} ${NEWEST})`;

/** Reads of each merchant its newest sale, along the index of its sales by their moment. */
const FIND_SALE_AFTER = statement(
  'fees.find_sale_after',
  `select ${SALE.columns} from merchants m, lateral (
     select max(sold_at) as sold_at from (${NEWEST_SALE}) n
   ) s
   where ($1 = '' or m.merchant_id = $1) and s.sold_at is not null
   order by s.sold_at desc limit 1`,
);

export async function findSaleAfter(
  database: Reader,
  merchantId: string,
  moment: Instant,
): Promise<Instant | null> {
  const [row] = await database.query(FIND_SALE_AFTER, [merchantId, utcText(moment)]);
  return row === undefined ? null : SALE.parse(row).soldAt;
}

const INSERTED = rowCodec({ validFrom: column.instant() });

const INSERT = statement(
  'fees.insert',
  `insert into fee_tables (merchant_id, valid_from, rules, source, created_by)
   values ($1, greatest($2, clock_timestamp() + $5 * interval '1 millisecond'), $3, 'operator', $4)
   on conflict do nothing returning ${INSERTED.columns}`,
);

/**
 * Inserts a version that begins at `validFrom`, or some seconds after this statement if that is later, and
 * returns when it begins. Null if the owner has a version of this moment.
 */
export async function insertFeeVersion(
  tx: Tx,
  { merchantId, validFrom, rules, createdBy }: Omit<FeeVersion, 'source'>,
): Promise<Instant | null> {
  const values = [merchantId, utcText(validFrom), rules, createdBy, FEE_LEAD_MILLISECONDS];
  return firstOf(await tx.query(INSERT, values), INSERTED.parse)?.validFrom ?? null;
}
