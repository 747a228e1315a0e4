import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Day } from '../../values/instant.ts';
import { INSTALLMENT_KEY } from '../judging/judged.sql.ts';
import { GRACE_DAYS } from '../judging/judged-installment.ts';
import { PAYING_FORMATS } from '../settlement-entry.ts';
import type { MatchedFile } from './candidates.sql.ts';

/*
 * A coverage: the days of a merchant that an establishment's files cover, and the day up to which unpaid
 * installments have been searched.
 */

/** `$2` is null for the merchants of all lines. Earlier files may come later, or their sales be found. */
const LEARN = statement(
  'settlement_coverages.learn',
  `with paid as (
     select distinct m.merchant_id from settlement_matches m where m.file_number = $1 and $2::text[] is null
     union select unnest($2::text[])
   )
   insert into settlement_coverages (merchant_id, format, establishment, covered_from, covered_to, looked_to)
   select p.merchant_id, f.format, f.establishment, f.from_on, (
     select max(g.to_on) from settlement_files g where g.format = f.format and g.establishment = f.establishment
       and g.taken_at is not null and g.matched_at is not null
   ), f.from_on - 1
   from settlement_files f cross join paid p
   where f.file_number = $1 and f.matched_at is not null and f.format = any ($3::text[])
   order by p.merchant_id
   on conflict (merchant_id, format, establishment) do update
     set covered_from = excluded.covered_from, looked_to = least(settlement_coverages.looked_to, excluded.looked_to)
     where settlement_coverages.covered_from > excluded.covered_from`,
);

export async function learnMerchants(
  tx: Tx,
  fileNumber: number,
  merchants: readonly string[] | null,
): Promise<void> {
  await tx.query(LEARN, [fileNumber, merchants, PAYING_FORMATS]);
}

/** Checks again the file's days with their grace days, and the days since the file before it. */
const COVER = statement(
  'settlement_coverages.cover',
  `with before as (
     select least(coalesce(max(to_on), $3::date - 1), $3::date - 1) - $5::integer as looked_to from settlement_files
     where format = $1 and establishment = $2 and to_on < $3::date and taken_at is not null and matched_at is not null
   ), covered as (
     select v.merchant_id, greatest(v.covered_from - 1, least(v.looked_to, b.looked_to)) as looked_to
     from settlement_coverages v cross join before b
     where v.format = $1 and v.establishment = $2 and v.covered_from <= $4::date
       and (v.covered_to < $4::date or v.looked_to > greatest(v.covered_from - 1, b.looked_to))
     order by v.merchant_id for no key update of v
   )
   update settlement_coverages v
   set covered_to = greatest(v.covered_to, $4::date), looked_to = least(v.looked_to, c.looked_to)
   from covered c where v.format = $1 and v.establishment = $2 and v.merchant_id = c.merchant_id`,
);

export async function coverDays(
  tx: Tx,
  { format, establishment, from, to }: Pick<MatchedFile, 'format' | 'establishment' | 'from' | 'to'>,
): Promise<void> {
  await tx.query(COVER, [format, establishment, from, to, GRACE_DAYS]);
}

const COVERAGE = rowCodec({
  merchantId: column.text(),
  format: column.text(),
  establishment: column.text(),
  lookedTo: column.day(),
  lookTo: column.day('covered_to - $1::integer'),
  /** Raised by every write that the check may have missed. */
  fence: column.whole(),
});

export type CoverageToLook = RowOf<typeof COVERAGE>;

const FIND_COVERAGES = statement(
  'settlement_coverages.find_to_look',
  `select ${COVERAGE.columns} from settlement_coverages where looked_to < covered_to - $1::integer
   order by looked_to, merchant_id limit 20`,
);

export const COVERAGES_DUE = statement(
  'settlement_coverages.due',
  `select case when exists (select from settlement_coverages where looked_to < covered_to - $1::integer) then 0 end
     as milliseconds`,
);

export const coveragesDueValues = () => [GRACE_DAYS];

export async function findCoveragesToLook(database: Database): Promise<CoverageToLook[]> {
  return (await database.query(FIND_COVERAGES, [GRACE_DAYS])).map(COVERAGE.parse);
}

/** The follower holds its cursor until it commits. */
const AWAIT_FOLLOWER = statement(
  'receivables.await_follower',
  'select after_number from receivable_cursors where merchant_id = $1 for share',
);

/** Receivables being written may not see the coverage; later ones raise its fence. */
export async function awaitFollower(database: Database, merchantId: string): Promise<void> {
  await database.query(AWAIT_FOLLOWER, [merchantId]);
}

const MISSING = rowCodec({ ...INSTALLMENT_KEY.fields, expectedOn: column.day() }, 'r');

const FIND_MISSING = statement(
  'receivables.find_not_filed',
  `select ${MISSING.columns} from receivables r
   where r.merchant_id = $1 and r.filed_bank_on is null and r.expected_on > $2::date and r.expected_on <= $3::date
     and (r.expected_on, r.transaction_id, r.installment_number) > ($4::date, $5::uuid, $6::smallint)
     and r.expected_net > 0
   order by r.expected_on, r.transaction_id, r.installment_number limit $7`,
);

export type ReceivablePlace = readonly [day: Day, transactionId: string, installmentNumber: number];

export async function findNotFiled(
  database: Database,
  { merchantId, lookedTo, lookTo }: CoverageToLook,
  after: ReceivablePlace,
  limit: number,
): Promise<RowOf<typeof MISSING>[]> {
  const values = [merchantId, lookedTo, lookTo, ...after, limit];
  return (await database.query(FIND_MISSING, values)).map(MISSING.parse);
}

const LOOKED = statement(
  'settlement_coverages.look',
  `update settlement_coverages set looked_to = $4::date
   where merchant_id = $1 and format = $2 and establishment = $3 and looked_to = $5::date and fence = $6`,
);

/** Writes nothing if days became due again meanwhile. */
export async function recordLook(tx: Tx, coverage: CoverageToLook): Promise<void> {
  const { merchantId, format, establishment, lookTo, lookedTo, fence } = coverage;
  await tx.query(LOOKED, [merchantId, format, establishment, lookTo, lookedTo, fence]);
}
