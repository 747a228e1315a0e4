import { migrate } from '../migrations/migrations.ts';
import type { DatabaseAddress } from './database.ts';
import {
  grantRuntimeRole,
  newRuntimePassword,
  RUNTIME_ROLE,
  type RuntimeRole,
  type TableRights,
  userOf,
} from './runtime-role.ts';
import { refuseSharedConnections } from './shared-connections.ts';

/**
 * One database by two roles: the owner migrates; the service works as the other, which owns
 * nothing.
 */
export type DatabasePlace = {
  readonly owner: DatabaseAddress;
  readonly runtime: DatabaseAddress;
  /** Null: one role was given for both. */
  readonly role: RuntimeRole | null;
};

type OwnersAddress = Exclude<DatabaseAddress, string>;

/**
 * For the service, on a server of its own: its role gets a password for as long as the service
 * runs.
 */
export function placeOfService(owner: OwnersAddress): DatabasePlace {
  const password = newRuntimePassword();
  return {
    owner,
    runtime: { ...owner, user: RUNTIME_ROLE, password },
    role: { name: RUNTIME_ROLE, password, isOurs: true },
  };
}

/**
 * For a command beside the service: it logs in as the owner and works as the run-time role, whose
 * password it leaves.
 */
export function placeOfCommand(owner: OwnersAddress): DatabasePlace {
  return {
    owner,
    runtime: { ...owner, role: RUNTIME_ROLE },
    role: { name: RUNTIME_ROLE, password: null, isOurs: true },
  };
}

/** A database of the operator's, with or without a separate owner. */
export function placeGiven(databaseUrl: string, ownerUrl: string | null): DatabasePlace {
  if (ownerUrl === null) return { owner: databaseUrl, runtime: databaseUrl, role: null };
  const role = { name: userOf(databaseUrl), password: null, isOurs: false };
  return { owner: ownerUrl, runtime: databaseUrl, role };
}

/**
 * Checks that connections are not shared, migrates as the owner and grants the run-time role its
 * rights; returns the names of what was applied now. Harmless to repeat, with the same `begun`.
 */
export async function prepareDatabase(
  { owner, role }: DatabasePlace,
  directory: string,
  tableRights: TableRights,
  say: (line: string) => void,
  begun = new Set<string>(),
): Promise<readonly string[]> {
  // Before anything is left on a connection.
  await refuseSharedConnections(owner);
  const grant = role === null ? undefined : grantRuntimeRole(role, tableRights);
  return (await migrate(owner, directory, say, grant, begun)).applied;
}
