import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import { column, firstOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { SESSION_SECONDS } from '../users/session.ts';
import type { Identity } from './identity.ts';

const INVITED_DAYS = 7;

const INVITE = statement(
  'console_identities.invite',
  `insert into console_identities (user_id, created_by, invited_until)
   values ($1, $2, now() + $3 * interval '1 day') returning user_id`,
);

export async function insertIdentityInvitation(tx: Tx, userId: string, createdBy: string): Promise<void> {
  await tx.query(INVITE, [userId, createdBy, INVITED_DAYS]);
}

const RECOVER = statement(
  'console_identities.replace_passkeys',
  `with ended as (
     delete from console_sessions where user_id = $1
   ), lost as (
     delete from console_passkeys where user_id = $1
   ), former as (
     delete from console_links where user_id = $1 and used_at is null
   )
   insert into console_identities (user_id, created_by, invited_until)
   values ($1, $2, now() + $3 * interval '1 day')
   on conflict (user_id) do update set issuer = null, subject = null, bound_at = null,
     created_by = excluded.created_by, created_at = now(), invited_until = excluded.invited_until
   returning user_id`,
);

/** Removes every way to sign in. The first identity that comes with the user's name can then sign in. */
export async function recoverByInvitation(tx: Tx, userId: string, createdBy: string): Promise<void> {
  await tx.query(RECOVER, [userId, createdBy, INVITED_DAYS]);
}

const OWNER = rowCodec({ userId: column.text() });

const FIND = statement(
  'console_identities.find',
  `select ${OWNER.columns} from console_identities where issuer = $1 and subject = $2`,
);

export async function findUserOfIdentity(
  database: Database,
  { issuer, subject }: Identity,
): Promise<string | null> {
  return firstOf(await database.query(FIND, [issuer, subject]), OWNER.parse)?.userId ?? null;
}

/**
 * A session is opened by the identity bound to the user, or by the first one after an invitation, which is
 * then bound. Each proof opens one session.
 */
const OPEN = statement(
  'console_sessions.open_by_identity',
  `with bound as (
     update console_identities i set issuer = $5, subject = $6, bound_at = coalesce(i.bound_at, now())
     where i.user_id = $4
       and ((i.issuer = $5 and i.subject = $6) or (i.issuer is null and i.invited_until > now()))
     returning i.user_id
   )
   insert into console_sessions (token_hash, user_id, opened_by, seen_at, expires_at)
   select $2, bound.user_id, $1, now(), now() + $3 * interval '1 second' from bound
   on conflict (opened_by) do nothing
   returning user_id`,
);

/** False if this identity may not sign this user in, or this proof was already used. */
export async function insertSessionByIdentity(
  tx: Tx,
  openedBy: Buffer,
  session: Buffer,
  userId: string,
  { issuer, subject }: Identity,
): Promise<boolean> {
  const values = [openedBy, session, SESSION_SECONDS, userId, issuer, subject];
  return (await tx.query(OPEN, values)).length === 1;
}
