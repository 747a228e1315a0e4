import { spawn } from 'node:child_process';
import { lchown, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The account of PostgreSQL when Parcela is root. */
export type ServerAccount = { readonly name: string; readonly userId: number; readonly groupId: number };

/** PostgreSQL's own account, else the one that every machine has. */
const ACCOUNTS_TO_LEND = ['postgres', 'nobody'] as const;

/**
 * PostgreSQL refuses to run as root. Gives the owner of the database files, else `postgres` or `nobody`. Null
 * for an ordinary user, who runs it.
 */
export async function serverAccount(
  owner: { userId: number; groupId: number } | null,
): Promise<ServerAccount | null> {
  if (process.getuid?.() !== 0) return null;
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  if (owner !== null && owner.userId !== 0) {
    const name = accounts.find((fields) => Number(fields[2]) === owner.userId)?.[0] ?? `user ${owner.userId}`;
    return { name, ...owner };
  }
  for (const name of ACCOUNTS_TO_LEND) {
    const fields = accounts.find((candidate) => candidate[0] === name);
    if (fields !== undefined) return { name, userId: Number(fields[2]), groupId: Number(fields[3]) };
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and /etc/passwd has neither a postgres nor a nobody account to run it under. ' +
      'Start Parcela as an ordinary user, or give it the address of a PostgreSQL of yours.',
  );
}

/** child_process options to run a program under the account, in a bare environment. */
export function runningAs(account: ServerAccount | null): {
  cwd: string;
  env: Record<string, string>;
  uid?: number;
  gid?: number;
} {
  // PG* and LC_* of the operator's shell must not affect the database.
  const plain = { cwd: '/', env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } };
  return account === null ? plain : { ...plain, uid: account.userId, gid: account.groupId };
}

/** The output holds both streams. Exit code null: the program cannot be started. */
export function runToEnd(
  account: ServerAccount | null,
  file: string,
  args: readonly string[],
): Promise<{ exitCode: number | null; output: string }> {
  return new Promise((done) => {
    const child = spawn(file, args, { ...runningAs(account), stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.once('error', (error) => done({ exitCode: null, output: error.message }));
    child.once('close', (exitCode) => done({ exitCode, output: output.trim() }));
  });
}

/** Tried as the account, because modes, ACLs and mounts all matter. */
export async function canEnter(account: ServerAccount | null, folder: string): Promise<boolean> {
  return (await runToEnd(account, '/bin/sh', ['-c', 'cd "$1"', 'sh', folder])).exitCode === 0;
}

export async function giveTo(account: ServerAccount | null, path: string): Promise<void> {
  if (account !== null) await lchown(path, account.userId, account.groupId);
}

/** For a folder that root restored: PostgreSQL opens only files of its own account. */
export async function giveWholeFolderTo(account: ServerAccount, folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true })) await giveTo(account, join(folder, entry));
  await giveTo(account, folder);
}
