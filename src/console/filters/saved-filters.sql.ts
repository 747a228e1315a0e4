import { type Database, type Reader, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { LISTS, MOST_FILTERS, type SavedFilter } from './saved-filter.ts';

const FILTER = rowCodec<SavedFilter>({
  place: column.whole(),
  list: column.oneOf(LISTS),
  name: column.text(),
  query: column.text(),
});

const LIST = statement(
  'console_filters.list',
  `select ${FILTER.columns} from console_filters
   where merchant_id = $1 and user_id = $2::uuid order by list, name limit $3`,
);

export async function listSavedFilters(
  database: Reader,
  merchantId: string,
  userId: string,
): Promise<SavedFilter[]> {
  return (await database.query(LIST, [merchantId, userId, MOST_FILTERS])).map(FILTER.parse);
}

const KEEP = statement(
  'console_filters.keep',
  `with renewed as (
     update console_filters set query = $5
     where merchant_id = $1 and user_id = $2::uuid and list = $3 and name = $4 returning place
   ), free as (
     select min(p.place)::smallint as place from generate_series(1, $6::integer) p (place)
     where not exists (
       select from console_filters f where f.merchant_id = $1 and f.user_id = $2::uuid and f.place = p.place
     )
   ), made as (
     insert into console_filters (merchant_id, user_id, place, list, name, query)
     select $1, $2::uuid, free.place, $3, $4, $5 from free
     where free.place is not null and not exists (select from renewed)
     on conflict do nothing returning place
   )
   select place from renewed union all select place from made`,
);

/** False if all places are taken. */
export async function keepFilter(
  database: Database,
  merchantId: string,
  userId: string,
  { list, name, query }: Omit<SavedFilter, 'place'>,
): Promise<boolean> {
  const kept = await database.query(KEEP, [merchantId, userId, list, name, query, MOST_FILTERS]);
  return kept.length > 0;
}

const REMOVE = statement(
  'console_filters.remove',
  `delete from console_filters where merchant_id = $1 and user_id = $2::uuid and place = $3 and name = $4`,
);

export async function removeFilter(
  database: Database,
  merchantId: string,
  userId: string,
  { place, name }: Pick<SavedFilter, 'place' | 'name'>,
): Promise<void> {
  await database.query(REMOVE, [merchantId, userId, place, name]);
}

const OWNED_FILTER = rowCodec({ merchantId: column.text(), userId: column.text(), ...FILTER.fields });

export type OwnedFilter = RowOf<typeof OWNED_FILTER>;
type FilterKey = Pick<OwnedFilter, 'merchantId' | 'userId' | 'place'>;

export const FIRST_FILTER: FilterKey = {
  merchantId: '',
  userId: '00000000-0000-0000-0000-000000000000',
  place: 0,
};

const LIST_ALL = statement(
  'console_filters.list_all',
  `select ${OWNED_FILTER.columns} from console_filters
   where ($1::text is null or merchant_id = $1) and (merchant_id, user_id, place) > ($2, $3::uuid, $4::smallint)
   order by merchant_id, user_id, place limit $5`,
);

/** Filters may name a person, so data subjects' requests read them. `merchantId` null: of all merchants. */
export async function listAllFilters(
  database: Database,
  merchantId: string | null,
  behind: FilterKey,
  limit: number,
): Promise<OwnedFilter[]> {
  const values = [merchantId, behind.merchantId, behind.userId, behind.place, limit];
  return (await database.query(LIST_ALL, values)).map(OWNED_FILTER.parse);
}
