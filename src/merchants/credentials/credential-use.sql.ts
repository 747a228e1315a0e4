import { type Database, statement } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Credential } from './credential.ts';

/** São Paulo's day, by the database's clock. */
const TODAY = `(now() at time zone 'America/Sao_Paulo')::date`;

/** Days since the last login with `credentials`, or since it has its password: whatever came last. */
export const UNUSED_DAYS = `${TODAY} - greatest(last_used_on, (password_changed_at at time zone 'America/Sao_Paulo')::date)`;

/** Whether somebody logged in today. */
export const IS_USE_NOTED = `coalesce(last_used_on >= ${TODAY}, false)`;

const NOTE = statement(
  'credentials.note_use',
  `update credentials set last_used_on = ${TODAY}
   where merchant_id = $1 and credential_id = $2 and not ${IS_USE_NOTED}`,
);

/** Notes that it was used today; of many logins at once one writes. */
export async function noteUse(
  database: Database,
  { merchantId, credentialId }: Pick<Credential, 'merchantId' | 'credentialId'>,
): Promise<void> {
  await database.query(NOTE, [merchantId, credentialId]);
}

const UNUSED = rowCodec({ userName: column.text(), count: column.whole('count(*) over ()') });

/** All of them are looked at, in the order of their keys: credentials are made by hand. */
const FIND_UNUSED = statement(
  'credentials.find_unused',
  `select ${UNUSED.columns} from (
     select user_name, disabled_at, ${UNUSED_DAYS} as unused_days from credentials
     order by merchant_id, credential_id limit $3
   ) c
   where disabled_at is null and unused_days >= $1
   order by unused_days desc, user_name limit $2`,
);

export type UnusedCredentials = { readonly count: number; readonly userNames: readonly string[] };

const MOST_LOOKED_AT = 100_000;

/**
 * How many credentials that could log in were not used for so many days, and the names of those
 * that wait longest.
 */
export async function findUnusedCredentials(
  database: Database,
  days: number,
  mostNames: number,
): Promise<UnusedCredentials> {
  const unused = (await database.query(FIND_UNUSED, [days, mostNames, MOST_LOOKED_AT])).map(UNUSED.parse);
  return { count: unused[0]?.count ?? 0, userNames: unused.map(({ userName }) => userName) };
}
