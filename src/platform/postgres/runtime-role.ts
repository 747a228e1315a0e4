import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import pg from 'pg';
import type { DatabaseAddress } from './database.ts';
import { databaseHosts } from './database-hosts.ts';

/** The service's role where Parcela keeps the database itself. It owns nothing and changes no schema. */
export const RUNTIME_ROLE = 'parcela_runtime';

export type RuntimeRole = {
  readonly name: string;
  /** Null: the password stays, or the role cannot log in. Only a role of Parcela's own gets one. */
  readonly password: string | null;
  /** Whether Parcela may create and change the role. An operator's role is only granted rights. */
  readonly isOurs: boolean;
};

/** Tables with unusual rights, such as `{ audit_entries: 'select, insert' }`. */
export type TableRights = Readonly<Record<string, string>>;

const USUAL_RIGHTS = 'select, insert, update, delete';
const RIGHTS_OF_MIGRATIONS: TableRights = { schema_migrations: 'select' };
const PASSWORD_BYTES = 24;

/** Stored nowhere: the next start makes another. */
export function newRuntimePassword(): string {
  return randomBytes(PASSWORD_BYTES).toString('base64url');
}

export function userOf(address: DatabaseAddress): string {
  const client = new pg.Client(
    typeof address === 'string' ? { connectionString: databaseHosts(address).addresses[0] } : address,
  );
  return client.user ?? '';
}

/**
 * Grants the service's role its rights on everything that the connected owner has in this schema, and takes
 * from it what is too much on tables of `exceptions`. Run at the end of `migrate`, under its lock; due if a
 * right is missing or one too many. Grants nothing in a newer schema, whose exceptions are unknown here.
 */
export function grantRuntimeRole(role: RuntimeRole, exceptions: TableRights) {
  const rights = JSON.stringify({ ...RIGHTS_OF_MIGRATIONS, ...exceptions });
  const values = [role.name, rights, USUAL_RIGHTS];
  const refuse = (error: unknown): never => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the run-time role ${role.name} could not be given its rights: ${reason}`, {
      cause: error,
    });
  };
  return {
    async isDue(client: pg.Client, isNewer: boolean): Promise<boolean> {
      try {
        if (isNewer) return !(await hasRights(client, role));
        if (role.isOurs && (await roleCommands(client, role)).length > 0) return true;
        return (await commandsOf(client, LIST_GRANTS, values)).length > 0;
      } catch (error) {
        return refuse(error);
      }
    },
    async run(client: pg.Client, isNewer: boolean): Promise<void> {
      await client.query('begin');
      try {
        if (isNewer) throw new Error(OF_NEWER);
        const made = role.isOurs ? await roleCommands(client, role) : [];
        for (const command of made) await client.query(command);
        for (const command of await commandsOf(client, LIST_GRANTS, values)) await client.query(command);
        await client.query('commit');
      } catch (error) {
        await client.query('rollback').catch(() => {});
        refuse(error);
      }
    },
  };
}

const OF_NEWER =
  'a newer version of Parcela has migrated, and knows what it may do: run parcela migrate of that version';

async function hasRights(client: pg.Client, { name }: RuntimeRole): Promise<boolean> {
  const { rows } = await client.query<{ is_known: boolean }>(
    `select has_table_privilege($1, 'schema_migrations', 'select') as is_known`,
    [name],
  );
  return rows[0]?.is_known === true;
}

async function roleCommands(client: pg.Client, { name, password }: RuntimeRole): Promise<string[]> {
  const verifier = password === null ? null : await scramVerifier(password);
  return commandsOf(client, LIST_ROLE_COMMANDS, [name, verifier]);
}

async function commandsOf(
  client: pg.Client,
  text: string,
  values: readonly (string | null)[],
): Promise<string[]> {
  const { rows } = await client.query<{ command: string }>(text, [...values]);
  return rows.map(({ command }) => command);
}

/** Roles belong to the whole server: another database of Parcela there may have just made this one. */
const LIST_ROLE_COMMANDS = `
  select command from (
    select 1 as place, format('create role %I', $1::text) as command
    where not exists (select from pg_roles where rolname = $1)
    union all
    select 2, format('alter role %I nosuperuser nocreatedb nocreaterole noreplication nobypassrls', $1)
    where not exists (select from pg_roles r where r.rolname = $1
      and not (r.rolsuper or r.rolcreatedb or r.rolcreaterole or r.rolreplication or r.rolbypassrls))
    union all
    select 3, format('alter role %I login password %L', $1, $2::text) where $2 is not null
  ) commands order by place`;

/** Only for this owner's tables and sequences. `wanted` and `held` have one order. */
const LIST_GRANTS = `
  with owned as (
    select c.oid, c.relname as name, c.relkind as kind, c.relacl as acl,
      case when c.relkind = 'S' then 'usage, select' else coalesce($2::jsonb ->> c.relname, $3::text) end as rights,
      (select oid from pg_roles where rolname = $1::text) as role
    from pg_class c
    where c.relnamespace = to_regnamespace(quote_ident(current_schema())) and c.relkind in ('r', 'p', 'S')
      and c.relowner = (select oid from pg_roles where rolname = current_user)
  ), mine as (
    select name, kind, rights, wanted, held,
      exists (select from pg_attribute a, aclexplode(a.attacl) g
        where a.attrelid = o.oid and g.grantee = o.role) as has_columns
    from owned o
    cross join lateral (select array_agg(distinct r) as wanted
      from regexp_split_to_table(o.rights, ', ') r) w
    cross join lateral (select coalesce(array_agg(distinct lower(g.privilege_type)), '{}') as held
      from aclexplode(o.acl) g where g.grantee = o.role) h
  )
  select command from (
    select 1 as place, format('grant connect on database %I to %I', current_database(), $1::text) as command
    where not has_database_privilege($1, current_database(), 'connect')
    union all
    select 2, format('grant usage on schema %I to %I', current_schema(), $1)
    where not has_schema_privilege($1, current_schema(), 'usage')
    union all
    select 3, format('revoke all on table %I from %I', name, $1) from mine
    where $2::jsonb ? name and (has_columns or wanted <> held)
    union all
    select 4, format('grant %s on table %I to %I', rights, name, $1) from mine
    where kind in ('r', 'p') and (not held @> wanted or $2::jsonb ? name and (has_columns or wanted <> held))
    union all
    select 5, format('grant %s on sequence %I to %I', rights, name, $1) from mine
    where kind = 'S' and not held @> wanted
    union all
    select 6, format('grant execute on function %s to %I', p.oid::regprocedure, $1) from pg_proc p
    where p.pronamespace = to_regnamespace(quote_ident(current_schema()))
      and p.proowner = (select oid from pg_roles where rolname = current_user)
      and not has_function_privilege($1, p.oid, 'execute')
  ) commands order by place, command`;

const SCRAM_ITERATIONS = 4_096;
const SCRAM_KEY_BYTES = 32;
const SCRAM_SALT_BYTES = 16;
const deriveKey = promisify(pbkdf2);

/** The stored form of a password (RFC 5802), made here so that no password reaches a server log. */
async function scramVerifier(password: string): Promise<string> {
  const salt = randomBytes(SCRAM_SALT_BYTES);
  const salted = await deriveKey(password, salt, SCRAM_ITERATIONS, SCRAM_KEY_BYTES, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64');
  const serverKey = keyed('Server Key').toString('base64');
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
