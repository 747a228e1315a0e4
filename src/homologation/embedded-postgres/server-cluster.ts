import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { giveTo, runToEnd } from './server-account.ts';
import type { ServerBinaries } from './server-binaries.ts';
import { OWNER_ROLE } from './server-connection.ts';
import { clusterOf, type ServerPlace, syncFolder } from './server-place.ts';

/**
 * Under a temporary name first, so that a cluster that exists is a whole one, however initdb was
 * interrupted.
 */
export async function makeCluster(
  place: ServerPlace,
  binaries: ServerBinaries,
  password: string,
): Promise<void> {
  const prefix = 'data.unfinished-';
  for (const name of await readdir(place.path)) {
    // An initdb that outlived its Parcela may still write there; what cannot be removed now goes
    // the next time.
    if (name.startsWith(prefix))
      await rm(join(place.path, name), { recursive: true, force: true }).catch(() => {});
  }
  const unfinished = join(place.path, `${prefix}${randomBytes(4).toString('hex')}`);
  const passwordFile = join(unfinished, 'password');
  const cluster = join(unfinished, 'data');
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' });
  await giveTo(place.account, passwordFile);
  await giveTo(place.account, unfinished);

  const { exitCode, output } = await runToEnd(place.account, binaries.initdb, [
    ...['--pgdata', cluster, '--username', OWNER_ROLE, '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
    // Bytewise order and Unicode letters, the same on every machine and after every upgrade of the
    // system.
    ...['--encoding', 'UTF8', '--no-locale', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
    '--no-instructions',
  ]);
  if (exitCode !== 0) throw new Error(`The database could not be made in ${place.path}:\n${output}`);
  await rename(cluster, clusterOf(place.path));
  await syncFolder(place.path);
  await rm(unfinished, { recursive: true, force: true });
}

export async function checkClusterVersion(place: ServerPlace, binaries: ServerBinaries): Promise<void> {
  const made = (await readFile(join(clusterOf(place.path), 'PG_VERSION'), 'utf8')).trim();
  const major = binaries.version.split('.')[0];
  if (made === major) return;
  throw new Error(
    `The database in ${place.path} was made by PostgreSQL ${made} and this Parcela brings PostgreSQL ${major}. ` +
      `Run the Parcela that made it, or serve its data with a PostgreSQL ${made} of yours.`,
  );
}
