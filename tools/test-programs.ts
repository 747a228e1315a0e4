import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { DebianProgram } from './install-from-debian.ts';

/** What tests run beside Parcela, by the package of Debian that has it. */
const PACKAGES = {
  chromium: 'chromium',
  haproxy: 'haproxy',
  nginx: 'nginx',
  pgbackrest: 'pgbackrest',
  pgbouncer: 'pgbouncer',
  promtool: 'prometheus',
  python3: 'python3',
  'systemd-analyze': 'systemd',
} as const;
export type TestProgram = keyof typeof PACKAGES;

/** Debian keeps some of them out of the path of ordinary users. */
export const PATH_WITH_SERVERS = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;

export const TEST_PROGRAMS: readonly DebianProgram[] = Object.entries(PACKAGES).map(([name, from]) => ({
  name,
  package: from,
  isThere: () => programPath(name as TestProgram) !== null,
}));

/** Where it is; null: not on this machine. */
export function programPath(name: TestProgram): string | null {
  const paths = PATH_WITH_SERVERS.split(':').map((folder) => join(folder, name));
  return paths.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Why a test with this program cannot run here; false when it can. */
export function skipWithout(name: TestProgram): string | false {
  return programPath(name) === null ? `${name} is not installed: npm run programs` : false;
}
