import { type Database, statement } from '../platform/postgres/database.ts';
import { column, rowCodec } from '../platform/postgres/row-codec.ts';

/** How far a merchant's business time runs ahead of the real one, and whether it is on its way further. */
export type MerchantClock = { readonly shiftMilliseconds: number; readonly isJumping: boolean };

const CLOCK = rowCodec({
  merchantId: column.text(),
  shiftMilliseconds: column.whole(),
  isJumping: column.boolean('target_at is not null'),
});

const LIST = statement(
  'merchants.list_clocks',
  `select ${CLOCK.columns} from merchant_clocks order by merchant_id`,
);

/** Another one when a clock was moved, or begins or ends a jump. */
export const VERSION_OF_CLOCKS = statement(
  'merchants.version_of_clocks',
  `select sum(hashtextextended(concat_ws(' ', merchant_id, shift_milliseconds, target_at is null), 0))::text as version
   from merchant_clocks`,
);

/**
 * The clocks that were ever moved, by merchant: none in production, and in homologation those of
 * the merchants who try it out.
 */
export async function listMovedClocks(database: Database): Promise<Map<string, MerchantClock>> {
  const clocks = (await database.query(LIST, [])).map(CLOCK.parse);
  return new Map(clocks.map(({ merchantId, ...clock }) => [merchantId, clock]));
}
