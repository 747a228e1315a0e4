import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import pg from 'pg';
import type { DatabaseAddress } from './database.ts';
import { databaseHosts } from './database-hosts.ts';

/**
 * The role of the service where Parcela keeps the database itself. It owns nothing and changes no
 * table's shape.
 */
export const RUNTIME_ROLE = 'parcela_runtime';

export type RuntimeRole = {
  readonly name: string;
  /**
   * Null: it keeps the one it has, or has none and cannot log in. Only roles of our own get one.
   */
  readonly password: string | null;
  /** Whether we may create it; an operator's role is only granted its rights. */
  readonly isOurs: boolean;
};

/** The rights on a table that is an exception, such as `{ audit_entries: 'select, insert' }`. */
export type TableRights = Readonly<Record<string, string>>;

const USUAL_RIGHTS = 'select, insert, update, delete';
/** Only the owner records migrations. */
const RIGHTS_OF_MIGRATIONS: TableRights = { schema_migrations: 'select' };
const PASSWORD_BYTES = 24;

/**
 * A password for one run of the service: it is stored nowhere, and the next start makes another.
 */
export function newRuntimePassword(): string {
  return randomBytes(PASSWORD_BYTES).toString('base64url');
}

/** The user name of an address, as the driver itself finds it. */
export function userOf(address: DatabaseAddress): string {
  const client = new pg.Client(
    typeof address === 'string' ? { connectionString: databaseHosts(address).addresses[0] } : address,
  );
  return client.user ?? '';
}

/**
 * Grants the run-time role its rights on everything that the connected owner has in this schema,
 * tables of the newest migration included, and no more. For the end of `migrate`, whose lock keeps
 * two processes from doing so at once.
 */
export function grantRuntimeRole(
  role: RuntimeRole,
  exceptions: TableRights,
): (client: pg.Client) => Promise<void> {
  const rights = { ...RIGHTS_OF_MIGRATIONS, ...exceptions };
  return async (client) => {
    await client.query('begin');
    try {
      if (role.isOurs) await makeRole(client, role);
      const { rows } = await client.query<{ command: string }>(LIST_GRANTS, [
        role.name,
        JSON.stringify(rights),
        USUAL_RIGHTS,
      ]);
      for (const { command } of rows) await client.query(command);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => {});
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`the run-time role ${role.name} could not be given its rights: ${reason}`, {
        cause: error,
      });
    }
  };
}

async function makeRole(client: pg.Client, { name, password }: RuntimeRole): Promise<void> {
  const verifier = password === null ? null : await scramVerifier(password);
  const { rows } = await client.query<{ command: string }>(LIST_ROLE_COMMANDS, [name, verifier]);
  for (const { command } of rows) await client.query(command);
}

/** Roles belong to the whole server: another database of ours may have made it a moment ago. */
const LIST_ROLE_COMMANDS = `
  select command from (
    select 1 as place, format('create role %I', $1::text) as command
    where not exists (select from pg_roles where rolname = $1)
    union all
    select 2, format('alter role %I nosuperuser nocreatedb nocreaterole noreplication nobypassrls', $1)
    union all
    select 3, format('alter role %I login password %L', $1, $2::text) where $2 is not null
  ) commands order by place`;

/** Other owners' tables and sequences in the same schema are not ours to grant. */
const LIST_GRANTS = `
  with mine as (
    select c.relname as name, c.relkind as kind from pg_class c
    where c.relnamespace = to_regnamespace(quote_ident(current_schema())) and c.relkind in ('r', 'p', 'S')
      and c.relowner = (select oid from pg_roles where rolname = current_user)
  )
  select command from (
    select 1 as place, format('grant connect on database %I to %I', current_database(), $1::text) as command
    where not has_database_privilege($1, current_database(), 'connect')
    union all
    select 2, format('grant usage on schema %I to %I', current_schema(), $1)
    where not has_schema_privilege($1, current_schema(), 'usage')
    union all
    select 3, format('revoke all on table %I from %I', name, $1) from mine where $2::jsonb ? name
    union all
    select 4, format('grant %s on table %I to %I', coalesce($2::jsonb ->> name, $3::text), name, $1)
    from mine where kind in ('r', 'p')
    union all
    select 5, format('grant usage, select on sequence %I to %I', name, $1) from mine where kind = 'S'
    union all
    select 6, format('grant execute on function %s to %I', p.oid::regprocedure, $1) from pg_proc p
    where p.pronamespace = to_regnamespace(quote_ident(current_schema()))
      and p.proowner = (select oid from pg_roles where rolname = current_user)
  ) commands order by place, command`;

const SCRAM_ITERATIONS = 4_096;
const SCRAM_KEY_BYTES = 32;
const SCRAM_SALT_BYTES = 16;
const deriveKey = promisify(pbkdf2);

/**
 * The form in which the server keeps a password (RFC 5802), made here: the password itself never
 * reaches a log of the server.
 */
async function scramVerifier(password: string): Promise<string> {
  const salt = randomBytes(SCRAM_SALT_BYTES);
  const salted = await deriveKey(password, salt, SCRAM_ITERATIONS, SCRAM_KEY_BYTES, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64');
  const serverKey = keyed('Server Key').toString('base64');
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
