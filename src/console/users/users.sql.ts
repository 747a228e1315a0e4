import { newId } from '../../platform/chance.ts';
import { shownOf } from '../../platform/pages.ts';
import { type Database, type Reader, statement, type Tx } from '../../platform/postgres/database.ts';
import { column, firstOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { ROLES, type Role, type User } from '../parts/user.ts';
import { NEW_HAND } from './hands.sql.ts';
import type { Passkey } from './passkey.ts';
import {
  IDENTITY_STATES,
  type ListedUser,
  MOST_USERS,
  readGivers,
  type UserFilter,
  type UserPage,
  userOfActor,
} from './user.ts';

export const USER = rowCodec<User>(
  {
    userId: column.text(),
    name: column.text(),
    role: column.oneOf(ROLES),
    merchantId: column.nullable(column.text()),
  },
  'u',
);

const FOUND_USER = rowCodec({ ...USER.fields, isDisabled: column.boolean('u.disabled_at is not null') }, 'u');

const LISTED_USER = rowCodec<ListedUser>(
  {
    ...USER.fields,
    createdAt: column.instant(),
    disabledAt: column.nullable(column.instant()),
    passkeys: column.whole('(select count(*) from console_passkeys p where p.user_id = u.user_id)'),
    identity: column.oneOf(
      IDENTITY_STATES,
      `coalesce((select case when i.subject is null then 'invited' else 'bound' end
         from console_identities i where i.user_id = u.user_id), 'none')`,
    ),
    seenAt: column.nullable(
      column.instant('(select max(s.seen_at) from console_sessions s where s.user_id = u.user_id)'),
    ),
    givers: column.parsedBy(
      readGivers,
      `(select coalesce(jsonb_agg(jsonb_build_object('name', g.name, 'merchantId', g.merchant_id, 'gift', e.gift)
         order by e.made_at), '[]')
       from console_hand_givers e join console_hands h on h.hand_id = e.given_by
         join console_users g on g.user_id = h.user_id
       where e.hand_id = u.hand_id)`,
    ),
  },
  'u',
);

/** Whether the user named $2 may do something to the user `u`. */
const MAY_DO = `exists (
  select from console_users a
  where a.name = $2 and a.role = 'admin' and a.disabled_at is null
    and (a.merchant_id is null or a.merchant_id = u.merchant_id))`;

const INSERT = statement(
  'console_users.insert',
  `with anew as (
     insert into console_users (user_id, hand_id, name, role, merchant_id)
     select u.user_id, $3::uuid, u.name, u.role, u.merchant_id
     from (values ($1::uuid, $4::text, $5::text, $6::text)) as u (user_id, name, role, merchant_id)
     where (select count(*) from console_users o
            where (o.merchant_id = $6 or ($6::text is null and o.merchant_id is null)) and o.disabled_at is null) < $7
       and ($2::text is null or ${MAY_DO})
     on conflict (name) do nothing returning user_id
   ), ${NEW_HAND}
   select user_id from anew`,
);

/**
 * Needs the lock of `lockAdmins`. False if the name is taken, the limit is reached, or `actor` lost the
 * right.
 */
export async function insertUser(
  tx: Tx,
  { userId, name, role, merchantId }: User,
  actor: string,
): Promise<boolean> {
  const values = [userId, userOfActor(actor), newId(), name, role, merchantId, MOST_USERS];
  return (await tx.query(INSERT, values)).length === 1;
}

const FIND = statement(
  'console_users.find_by_name',
  `select ${FOUND_USER.columns} from console_users u
   where u.name = $1 and ($2::text is null or u.merchant_id = $2)`,
);

/** `merchantId` null: users of the operator and of all merchants. */
export async function findUserByName(
  database: Database,
  name: string,
  merchantId: string | null,
): Promise<(User & { readonly isDisabled: boolean }) | null> {
  return firstOf(await database.query(FIND, [name, merchantId]), FOUND_USER.parse);
}

const FIND_BY_ID = statement(
  'console_users.find',
  `select ${USER.columns} from console_users u where u.user_id = $1 and u.disabled_at is null`,
);

export async function findUserById(database: Database, userId: string): Promise<User | null> {
  return firstOf(await database.query(FIND_BY_ID, [userId]), USER.parse);
}

const LIST = statement(
  'console_users.list',
  `select ${LISTED_USER.columns} from console_users u
   where ($1::text is null or u.merchant_id = $1) and u.name > $2 and starts_with(u.name, $3)
   order by u.name limit $4`,
);

async function findUsers(
  reader: Reader,
  { merchantId, after, prefix }: UserFilter,
  limit: number,
): Promise<ListedUser[]> {
  return (await reader.query(LIST, [merchantId, after, prefix, limit])).map(LISTED_USER.parse);
}

const FIND_LISTED = statement(
  'console_users.find_listed',
  `select ${LISTED_USER.columns} from console_users u where u.name = $1 and ($2::text is null or u.merchant_id = $2)`,
);

/** `merchantId` null: among all users. */
export async function findListedUser(
  reader: Reader,
  name: string,
  merchantId: string | null,
): Promise<ListedUser | null> {
  return firstOf(await reader.query(FIND_LISTED, [name, merchantId]), LISTED_USER.parse);
}

const LOCK = statement(
  'console_users.lock',
  'select user_id from console_users where user_id = $1 and disabled_at is null for no key update',
);

/**
 * Locks the user until the commit: changes of a user's access and acts of the user wait for each other. False
 * if the user is locked out.
 */
export async function lockUser(tx: Tx, userId: string): Promise<boolean> {
  return (await tx.query(LOCK, [userId])).length === 1;
}

const LOCK_ADMINS = statement(
  'console_users.lock_admins',
  `select user_id from console_users
   where disabled_at is null and (user_id = $1 or name = $3
     or (role = 'admin' and (merchant_id = $2 or ($2::text is null and merchant_id is null))))
   order by user_id for no key update`,
);

/**
 * Locks the user, all administrators of the user's merchant (or of the operator), and `actor`, who is named
 * as in the audit log.
 */
export async function lockAdmins(tx: Tx, { userId, merchantId }: User, actor: string): Promise<void> {
  await tx.query(LOCK_ADMINS, [userId, merchantId, userOfActor(actor)]);
}

const IS_NOT_LAST = `(u.role <> 'admin' or exists (
  select from console_users o
  where o.merchant_id is not distinct from u.merchant_id and o.role = 'admin' and o.disabled_at is null
    and o.user_id <> u.user_id
    and (exists (select from console_passkeys p where p.user_id = o.user_id)
      or exists (select from console_identities i where i.user_id = o.user_id and i.subject is not null)
      or exists (select from console_sessions s where s.user_id = o.user_id and s.expires_at > now()))))`;

const MAY_BE_RECOVERED = statement(
  'console_users.may_be_recovered',
  `select u.user_id from console_users u
   where u.user_id = $1 and u.disabled_at is null and ($2::text is null or ${MAY_DO})`,
);

/** Needs the lock of `lockAdmins`. False if the user is locked out, or `actor` lost the right. */
export async function mayBeRecovered(tx: Tx, { userId }: User, actor: string): Promise<boolean> {
  return (await tx.query(MAY_BE_RECOVERED, [userId, userOfActor(actor)])).length === 1;
}

const CHANGE_ROLE = statement(
  'console_users.change_role',
  `with anew as (
     update console_users u set role = $4, role_given_at = case when $2::text is not null then now() end
     where u.user_id = $1 and u.disabled_at is null and u.role = $3
       and ($2::text is null or ${MAY_DO}) and ${IS_NOT_LAST}
     returning u.user_id, u.hand_id
   ), given as (
     insert into console_hand_givers (hand_id, given_by, gift)
     select anew.hand_id, g.hand_id, 'role' from anew cross join console_users g where g.name = $2
     on conflict do nothing
   )
   select user_id from anew`,
);

/**
 * Needs the lock of `lockAdmins`. False if the role has changed, the user is locked out or the last
 * administrator, or `actor` lost the right.
 */
export async function updateRole(
  tx: Tx,
  { userId, role }: User,
  next: Role,
  actor: string,
): Promise<boolean> {
  return (await tx.query(CHANGE_ROLE, [userId, userOfActor(actor), role, next])).length === 1;
}

const DISABLE = statement(
  'console_users.disable',
  `with gone as (
     update console_users u set disabled_at = now()
     where u.user_id = $1 and u.disabled_at is null
       and ($2::text is null or (${MAY_DO} and ${IS_NOT_LAST}))
     returning u.user_id
   ), ended as (
     delete from console_sessions where user_id in (select user_id from gone)
   ), unlinked as (
     delete from console_links where user_id in (select user_id from gone)
   ), unbound as (
     delete from console_identities where user_id in (select user_id from gone)
   ), forgotten as (
     delete from console_filters where user_id in (select user_id from gone)
   )
   select user_id from gone`,
);

/**
 * Needs the lock of `lockAdmins`. False if already disabled. If `actor` is a user, also if the last
 * administrator would go, or `actor` lost the right.
 */
export async function markUserDisabled(tx: Tx, userId: string, actor: string): Promise<boolean> {
  return (await tx.query(DISABLE, [userId, userOfActor(actor)])).length === 1;
}

export async function isStillAdmin(database: Database, actor: string): Promise<boolean> {
  const name = userOfActor(actor);
  if (name === null) return true;
  const now = await findUserByName(database, name, null);
  return now !== null && !now.isDisabled && now.role === 'admin';
}

const SPEAK = statement(
  'console_users.set_language',
  'update console_users set language = $2 where user_id = $1 returning user_id',
);

export async function setLanguage(database: Database, userId: string, language: 'pt' | 'en'): Promise<void> {
  await database.query(SPEAK, [userId, language]);
}

export async function listUsers(reader: Reader, filter: UserFilter, limit: number): Promise<UserPage> {
  const { shown, lastBeforeOthers } = shownOf(await findUsers(reader, filter, limit + 1), limit);
  return { users: shown, next: lastBeforeOthers?.name ?? null };
}

const PASSKEY = rowCodec<Passkey>({
  userId: column.text(),
  credentialId: column.bytes(),
  publicKey: column.bytes(),
  signCount: column.whole(),
  transports: column.listOf(column.text()),
});

const FIND_PASSKEY = statement(
  'console_passkeys.find',
  `select ${PASSKEY.columns} from console_passkeys where credential_id = $1`,
);

export async function findPasskey(database: Database, credentialId: Buffer): Promise<Passkey | null> {
  return firstOf(await database.query(FIND_PASSKEY, [credentialId]), PASSKEY.parse);
}

const LIST_OWN_NAMES = statement(
  'console_users.list_own_names',
  'select name from console_users where merchant_id = $1 and name = any ($2::text[])',
);

const OWN_NAME = rowCodec({ name: column.text() });

export async function listOwnNames(
  reader: Reader,
  merchantId: string,
  names: readonly string[],
): Promise<readonly string[]> {
  return (await reader.query(LIST_OWN_NAMES, [merchantId, names])).map((row) => OWN_NAME.parse(row).name);
}
