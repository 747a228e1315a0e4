import { type Database, statement } from '../../platform/postgres/database.ts';
import { IS_LEASED, NOTES } from './looks.sql.ts';

/** Real time is never ahead of business time, so looks that are moved to it are due. */
const AUTHORIZATIONS = statement(
  'pix_authorizations.hasten',
  `update pix_authorizations a set look_at = case when ${IS_LEASED} then look_at else now() end,
     heard_at = case when ${IS_LEASED} then now() end
   where a.rec_id = any($1::text[]) and (look_at > now() or ${NOTES}) and a.state <> 'ended'`,
);

const COLLECTIONS = statement(
  'pix_collections.hasten',
  `update pix_collections c set look_at = case when ${IS_LEASED} then look_at else now() end,
     heard_at = case when ${IS_LEASED} then now() end
   where c.txid = any($1::text[]) and (look_at > now() or ${NOTES}) and c.is_sent`,
);

export async function hastenAutomaticPix(
  database: Database,
  { recIds, txids }: { readonly recIds: readonly string[]; readonly txids: readonly string[] },
): Promise<void> {
  if (recIds.length > 0) await database.query(AUTHORIZATIONS, [recIds]);
  if (txids.length > 0) await database.query(COLLECTIONS, [txids]);
}
