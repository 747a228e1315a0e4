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

/** The owner migrates; the service's role owns nothing. */
export type DatabasePlace = {
  readonly owner: DatabaseAddress;
  readonly runtime: DatabaseAddress;
  /** Null: one role is owner and service. */
  readonly role: RuntimeRole | null;
};

type OwnersAddress = Exclude<DatabaseAddress, string>;

/** For a server that the service runs: its role's password lasts as long as the server runs. */
export function placeOfService(owner: OwnersAddress): DatabasePlace {
  const password = newRuntimePassword();
  return {
    owner,
    runtime: { ...owner, user: RUNTIME_ROLE, password },
    role: { name: RUNTIME_ROLE, password, isOurs: true },
  };
}

/** For a command beside the service: logs in as the owner and works as the service's role. */
export function placeOfCommand(owner: OwnersAddress): DatabasePlace {
  return {
    owner,
    runtime: { ...owner, role: RUNTIME_ROLE },
    role: { name: RUNTIME_ROLE, password: null, isOurs: true },
  };
}

export function placeGiven(databaseUrl: string, ownerUrl: string | null): DatabasePlace {
  if (ownerUrl === null) return { owner: databaseUrl, runtime: databaseUrl, role: null };
  const role = { name: userOf(databaseUrl), password: null, isOurs: false };
  return { owner: ownerUrl, runtime: databaseUrl, role };
}

/**
 * Checks that connections are not shared, migrates as the owner, and grants the service's role its rights.
 * Gives the names of the applied migrations. Repeatable with the same `begun`.
 */
export async function prepareDatabase(
  { owner, role }: DatabasePlace,
  directory: string,
  tableRights: TableRights,
  say: (line: string) => void,
  begun = new Set<string>(),
): Promise<readonly string[]> {
  // This comes before anything is set on a connection.
  await refuseSharedConnections(owner);
  const grant = role === null ? undefined : grantRuntimeRole(role, tableRights);
  return (await migrate(owner, directory, say, grant, begun)).applied;
}
