import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import { forgetting } from '../../platform/postgres/forgetting.ts';
import { firstOf } from '../../platform/postgres/row-codec.ts';
import type { User } from '../parts/user.ts';
import { LINK_SECONDS } from './session.ts';
import { USER } from './users.sql.ts';

const INSERT = statement(
  'console_links.insert',
  `insert into console_links (token_hash, user_id, created_by, expires_at)
   values ($1, $2, $3, now() + $4 * interval '1 second') returning user_id`,
);

export async function insertLink(tx: Tx, hash: Buffer, userId: string, createdBy: string): Promise<void> {
  await tx.query(INSERT, [hash, userId, createdBy, LINK_SECONDS]);
}

const INSERT_NEWEST = statement(
  'console_links.insert_newest',
  `with former as (
     delete from console_links where token_hash in
       (select token_hash from console_links where user_id = $2 and used_at is null
        order by created_at desc offset $5 - 1)
   )
   insert into console_links (token_hash, user_id, created_by, expires_at)
   values ($1, $2, $3, now() + $4 * interval '1 second') returning user_id`,
);

export async function insertNewestLink(
  tx: Tx,
  hash: Buffer,
  userId: string,
  createdBy: string,
  most: number,
): Promise<void> {
  await tx.query(INSERT_NEWEST, [hash, userId, createdBy, LINK_SECONDS, most]);
}

const FIND = statement(
  'console_links.find',
  `select ${USER.columns} from console_links l
   join console_users u on u.user_id = l.user_id
   where l.token_hash = $1 and l.used_at is null and l.expires_at > now() and u.disabled_at is null`,
);

export async function findLinkedUser(database: Database, hash: Buffer): Promise<User | null> {
  return firstOf(await database.query(FIND, [hash]), USER.parse);
}

const RECOVER = statement(
  'console_links.replace_passkeys',
  `with ended as (
     delete from console_sessions where user_id = $2
   ), lost as (
     delete from console_passkeys where user_id = $2
   ), unbound as (
     delete from console_identities where user_id = $2
   ), former as (
     delete from console_links where user_id = $2 and used_at is null
   )
   insert into console_links (token_hash, user_id, created_by, expires_at)
   values ($1, $2, $3, now() + $4 * interval '1 second') returning user_id`,
);

/** Removes every way to sign in except this link. */
export async function recoverByLink(tx: Tx, hash: Buffer, userId: string, createdBy: string): Promise<void> {
  await tx.query(RECOVER, [hash, userId, createdBy, LINK_SECONDS]);
}

const IS_NEWCOMER = statement(
  'console_links.is_newcomer',
  `select exists (
     select from console_links
     where user_id = $1 and created_by like 'user:%'
       and greatest(created_at, used_at) > now() - interval '1 day'
     union all
     select from console_users where user_id = $1 and role_given_at > now() - interval '1 day'
     union all
     select from console_identities
     where user_id = $1 and (bound_at > now() - interval '1 day'
       or (created_by like 'user:%' and created_at > now() - interval '1 day'))) as is_newcomer`,
);

/**
 * True if within the last day another user invited this one or gave the role, or an identity was bound: which
 * identity it is, the provider's staff choose.
 */
export async function isNewcomer(database: Database, userId: string): Promise<boolean> {
  const [row] = await database.query(IS_NEWCOMER, [userId]);
  return row?.is_newcomer === true;
}

/** A used link is kept for a day after its use: `isNewcomer` reads who invited the user. */
export const deleteExpiredLinks = forgetting({
  table: 'console_links',
  by: 'expires_at',
  over: "expires_at < now() and (used_at is null or used_at < now() - interval '1 day')",
});
