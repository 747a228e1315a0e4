import { MOST_COUNTED_OF_ALL } from '../../platform/pages.ts';
import { type Database, statement } from '../../platform/postgres/database.ts';

/** By the real day: those of merchants with a moved clock are due ahead of it. */
const COUNT = statement(
  'charging.count_due',
  `select coalesce(sum(d.count) filter (where not d.is_held), 0)::integer as due,
     coalesce(sum(d.count) filter (where d.is_held), 0)::integer as held,
     coalesce(extract(epoch from now() - min(d.first_on::timestamp at time zone 'America/Sao_Paulo')
       filter (where not d.is_held)), 0)::float8 as oldest_age
   from (
     select b.merchant_id, count(*) as count, min(b.charge_on) as first_on, exists (
       select from merchants m where m.merchant_id = b.merchant_id and m.billings_held_at is not null
     ) as is_held
     from (
       select charge_on, merchant_id from billings where charge_on <= (now() at time zone 'America/Sao_Paulo')::date
       order by charge_on, merchant_id limit $1
     ) b group by b.merchant_id
   ) d`,
);

export type DueCounts = {
  readonly due: number;
  /** Of merchants whose billings the operator holds. */
  readonly held: number;
  /** In seconds since the beginning of its day; 0: none is due. */
  readonly oldestAge: number;
};

/** What is to be charged by now, of all merchants. */
export async function countDue(database: Database): Promise<DueCounts> {
  const [row] = await database.query(COUNT, [MOST_COUNTED_OF_ALL]);
  return {
    due: row?.due as number,
    held: row?.held as number,
    oldestAge: row?.oldest_age as number,
  };
}
