import type { Audit, AuditEvent } from '../../audit/audit-event.ts';
import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import { hasSqlState, SQL_STATE } from '../../platform/postgres/database-errors.ts';
import { forgetting } from '../../platform/postgres/forgetting.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { User } from '../parts/user.ts';
import type { NewPasskey, UsedPasskey } from './passkey.ts';
import { IDLE_SECONDS, SESSION_SECONDS } from './session.ts';
import { USER } from './users.sql.ts';

const OPEN_BY_LINK = statement(
  'console_sessions.open_by_link',
  `with used as (
     update console_links set used_at = now()
     where token_hash = $1 and user_id = $8 and used_at is null and expires_at > now() returning user_id
   ), made as (
     insert into console_passkeys (credential_id, user_id, public_key, sign_count, transports)
     select $4, user_id, $5, $6, $7 from used where $4::bytea is not null
   )
   insert into console_sessions (token_hash, user_id, opened_by, seen_at, expires_at)
   select $2, used.user_id, $1, now(), now() + $3 * interval '1 second' from used
   returning user_id`,
);

export async function openByLink(
  tx: Tx,
  { userId }: User,
  link: Buffer,
  session: Buffer,
  passkey: NewPasskey | null,
): Promise<boolean> {
  const { credentialId = null, publicKey = null, signCount = null, transports = null } = passkey ?? {};
  const values = [link, session, SESSION_SECONDS, credentialId, publicKey, signCount, transports, userId];
  return (await tx.query(OPEN_BY_LINK, values)).length === 1;
}

/** True if the new passkey's id is taken: nothing was written. */
export function isPasskeyTaken(error: unknown): boolean {
  const { constraint } = Object(error) as { readonly constraint?: unknown };
  return hasSqlState(error, SQL_STATE.uniqueViolation) && constraint === 'console_passkeys_pkey';
}

/**
 * Each challenge opens one session. A passkey whose counter stands still is taken for a copy, and opens none.
 */
const OPEN_BY_PASSKEY = statement(
  'console_sessions.open_by_passkey',
  `with used as (
     update console_passkeys p set sign_count = $5, used_at = now()
     where p.credential_id = $4 and (p.sign_count < $5 or (p.sign_count = 0 and $5 = 0))
       and not exists (select from console_users u where u.user_id = p.user_id and u.disabled_at is not null)
     returning p.user_id
   )
   insert into console_sessions (token_hash, user_id, opened_by, seen_at, expires_at)
   select $2, used.user_id, $1, now(), now() + $3 * interval '1 second' from used
   on conflict (opened_by) do nothing
   returning user_id`,
);

/** False if the challenge was used, or the passkey is no longer valid. */
export async function openByPasskey(
  tx: Tx,
  challenge: Buffer,
  session: Buffer,
  { credentialId, signCount }: UsedPasskey,
): Promise<boolean> {
  const values = [challenge, session, SESSION_SECONDS, credentialId, signCount];
  return (await tx.query(OPEN_BY_PASSKEY, values)).length === 1;
}

const SESSION_USER = rowCodec(
  { ...USER.fields, language: column.nullable(column.oneOf(['pt', 'en'] as const)) },
  'u',
);

/** The time of the last use is written at most four times a minute. */
const FIND = statement(
  'console_sessions.find',
  `with live as (
     select token_hash, user_id, seen_at from console_sessions
     where token_hash = $1 and expires_at > now() and seen_at > now() - $2 * interval '1 second'
   ), touched as (
     update console_sessions set seen_at = now()
     where token_hash = $1 and $3::boolean
       and exists (select from live where seen_at < now() - interval '15 seconds')
   )
   select ${SESSION_USER.columns}
   from live join console_users u on u.user_id = live.user_id
     left join merchants m on m.merchant_id = u.merchant_id
   where u.disabled_at is null and m.disabled_at is null`,
);

/**
 * The user of a session. Null: the session is unknown, idle or over, or its user or merchant is locked out.
 */
export async function findSessionUser(
  database: Database,
  hash: Buffer,
  isActive: boolean,
): Promise<{ readonly user: User; readonly language: 'pt' | 'en' | null } | null> {
  const [row] = await database.query(FIND, [hash, IDLE_SECONDS, isActive]);
  if (row === undefined) return null;
  const { language, ...user } = SESSION_USER.parse(row);
  return { user, language };
}

/** Idle time does not count here: somebody may wait for a long answer. */
const IS_OPEN = statement(
  'console_sessions.is_open',
  `select from console_sessions s join console_users u on u.user_id = s.user_id
     left join merchants m on m.merchant_id = u.merchant_id
   where s.token_hash = $1 and s.expires_at > now() and u.disabled_at is null and m.disabled_at is null`,
);

/** False: the session is over, or its user or merchant is locked out. */
export async function isSessionOpen(database: Database, hash: Buffer): Promise<boolean> {
  return (await database.query(IS_OPEN, [hash])).length > 0;
}

const END = statement(
  'console_sessions.end',
  `update console_sessions set expires_at = now() where token_hash = $1 and expires_at > now() returning user_id`,
);

/** Ends a session. Its row stays for a while, so that the same proof opens no other session. */
export async function markSessionEnded(audit: Audit, hash: Buffer, event: AuditEvent): Promise<void> {
  await audit.change(END, [hash], event);
}

export const deleteExpiredSessions = forgetting<[number]>({
  table: 'console_sessions',
  by: 'expires_at',
  over: "expires_at < now() - $2 * interval '1 millisecond'",
});
