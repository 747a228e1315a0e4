import { spawn } from 'node:child_process';
import { lchown, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The account PostgreSQL runs under when Parcela is root. */
export type ServerAccount = { readonly name: string; readonly userId: number; readonly groupId: number };

/**
 * In this order: PostgreSQL's own account where the machine has one, else the one every machine
 * has.
 */
const ACCOUNTS_TO_LEND = ['postgres', 'nobody'] as const;

/**
 * PostgreSQL refuses to run as root, so root lends it another account: the one that already owns
 * the database files, else the first of `postgres` and `nobody`. null for an ordinary user:
 * PostgreSQL runs as that user.
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

/**
 * The parts of child_process options that make a program of PostgreSQL run under the account, in a
 * bare environment.
 */
export function runningAs(account: ServerAccount | null): {
  cwd: string;
  env: Record<string, string>;
  uid?: number;
  gid?: number;
} {
  // PG* and LC_* settings of the operator's shell must not change how the database is made or
  // served.
  const plain = { cwd: '/', env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } };
  return account === null ? plain : { ...plain, uid: account.userId, gid: account.groupId };
}

/**
 * Runs a program to its end. The output holds both streams; a program that cannot be started has
 * exit code null.
 */
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

/** Tried with the account itself, since modes, ACLs and mounts all matter. */
export async function canEnter(account: ServerAccount | null, folder: string): Promise<boolean> {
  return (await runToEnd(account, '/bin/sh', ['-c', 'cd "$1"', 'sh', folder])).exitCode === 0;
}

export async function giveTo(account: ServerAccount | null, path: string): Promise<void> {
  if (account !== null) await lchown(path, account.userId, account.groupId);
}

/**
 * For a folder that root brought back from a copy: PostgreSQL opens only files of its own account.
 */
export async function giveWholeFolderTo(account: ServerAccount, folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true })) await giveTo(account, join(folder, entry));
  await giveTo(account, folder);
}
