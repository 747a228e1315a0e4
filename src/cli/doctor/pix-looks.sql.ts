import { type Database, statement } from '../../platform/postgres/database.ts';
import { column, onlyOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';

const LOOKED = rowCodec({
  /** Charges or devolutions without a known outcome for an hour. */
  unknown: column.whole(),
  /** Money that arrived or left an hour ago and is not in the books. */
  unapplied: column.whole(),
  /** Seconds since the bank should have been asked for arrivals; 0: in time. */
  secondsLate: column.real(),
});

type PixLook = RowOf<typeof LOOKED>;

/** Bounded: a look must not read all that a long outage left. */
const LOOK = statement(
  'doctor.look_at_pix',
  `select (select count(*) from (
       (select from pix_charges p where p.due_at is not null and p.unknown_since < now() - interval '1 hour' limit 1000)
       union all
       (select from pix_refunds f where f.due_at is not null and f.state = 'refunding' and f.created_at < now() - interval '1 hour' limit 1000)
     ) u)::int as unknown,
     (select count(*) from (
       select from pix_receipts r where r.state = 'waiting' and r.created_at < now() - interval '1 hour' limit 1000
     ) w)::int as unapplied,
     coalesce((select greatest(extract(epoch from now() - min(c.due_at)), 0) from pix_cursors c
       where c.bank = any($1::text[])), 0)::float8 as seconds_late`,
);

export async function lookAtPix(database: Database, banks: readonly string[]): Promise<PixLook> {
  return onlyOf(await database.query(LOOK, [banks]), LOOKED.parse);
}
