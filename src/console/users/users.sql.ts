import { type Database, type Row, type Step, statement } from '../../platform/postgres/database.ts';
import type { Instant } from '../../values/instant.ts';
import type { ListedUser, Role, User } from './user.ts';

const COLUMNS = 'u.user_id::text, u.name, u.role, u.merchant_id';

const INSERT = statement(
  'console_users.insert',
  `insert into console_users (user_id, name, role, merchant_id)
   values ($1, $2, $3, $4) on conflict (name) do nothing returning user_id`,
);

/** Gives a row; none: the name is taken. */
export function insertUser({ userId, name, role, merchantId }: User): Step {
  return { statement: INSERT, values: [userId, name, role, merchantId] };
}

const FIND = statement(
  'console_users.find_by_name',
  `select ${COLUMNS}, u.disabled_at from console_users u where u.name = $1`,
);

export async function findUserByName(
  database: Database,
  name: string,
): Promise<(User & { readonly isDisabled: boolean }) | null> {
  const [row] = await database.query(FIND, [name]);
  return row === undefined ? null : { ...parseUser(row), isDisabled: row.disabled_at !== null };
}

const FIND_BY_ID = statement(
  'console_users.find',
  `select ${COLUMNS} from console_users u where u.user_id = $1 and u.disabled_at is null`,
);

/** Null: there is none, or it is disabled. */
export async function findUserById(database: Database, userId: string): Promise<User | null> {
  const [row] = await database.query(FIND_BY_ID, [userId]);
  return row === undefined ? null : parseUser(row);
}

const LIST = statement(
  'console_users.list',
  `select ${COLUMNS}, u.created_at, u.disabled_at,
     (select count(*) from console_passkeys p where p.user_id = u.user_id) as passkeys,
     (select max(s.seen_at) from console_sessions s where s.user_id = u.user_id) as seen_at
   from console_users u where $1::text is null or u.merchant_id = $1
   order by u.name limit $2`,
);

/** By name; `merchantId` null: of the operator and of all merchants. */
export async function findUsers(
  database: Database,
  merchantId: string | null,
  limit: number,
): Promise<ListedUser[]> {
  const rows = await database.query(LIST, [merchantId, limit]);
  return rows.map((row) => ({
    ...parseUser(row),
    createdAt: row.created_at as Instant,
    disabledAt: row.disabled_at as Instant | null,
    passkeys: row.passkeys as number,
    seenAt: row.seen_at as Instant | null,
  }));
}

const DISABLE = statement(
  'console_users.disable',
  `with ended as (
     delete from console_sessions where user_id = $1
   ), gone as (
     delete from console_links where user_id = $1
   )
   update console_users set disabled_at = now() where user_id = $1 and disabled_at is null returning user_id`,
);

/** With its sessions and links. Gives a row; none: it was disabled before. */
export function disableUserStep(userId: string): Step {
  return { statement: DISABLE, values: [userId] };
}

const SPEAK = statement(
  'console_users.set_language',
  'update console_users set language = $2 where user_id = $1 returning user_id',
);

export async function setLanguage(database: Database, userId: string, language: 'pt' | 'en'): Promise<void> {
  await database.query(SPEAK, [userId, language]);
}

export function parseUser(row: Row): User {
  return {
    userId: row.user_id as string,
    name: row.name as string,
    role: row.role as Role,
    merchantId: row.merchant_id as string | null,
  };
}
