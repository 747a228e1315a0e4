import { readFileSync, statSync } from 'node:fs';

/** Secret settings, each with the setting that names its file. Tokens and private keys are only in files. */
export const SECRETS: readonly { readonly name: string; readonly file: string }[] = [
  { name: 'DATABASE_URL', file: 'DATABASE_URL_FILE' },
  { name: 'PARCELA_OWNER_DATABASE_URL', file: 'PARCELA_OWNER_DATABASE_URL_FILE' },
  { name: 'PARCELA_KEY', file: 'PARCELA_KEY_VALUE_FILE' },
  { name: 'PARCELA_KEY_FORMER', file: 'PARCELA_KEY_FORMER_FILE' },
];

const LARGEST_SECRET_BYTES = 64 * 1024;
const RIGHTS_OF_OTHERS = 0o007;

/**
 * By the name of the secret. A path may be a descriptor, such as `/dev/fd/3`. One trailing line end is cut.
 * `faults`: unreadable or given twice. `warnings`: readable by every account. Repeats no content.
 */
export function readSecretFiles(
  environment: Readonly<Record<string, string | undefined>>,
  { faults, warnings }: { readonly faults: string[]; readonly warnings: string[] },
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const { name, file } of SECRETS) {
    const path = environment[file]?.trim() ?? '';
    if (path === '' || pathFault(file, path) !== null) continue;
    if ((environment[name]?.trim() ?? '') !== '') {
      faults.push(`${name}, ${file}: only one of the two can be set; leave the other out`);
      continue;
    }
    const read = readSecret(path);
    if ('fault' in read) faults.push(`${file}: ${path} ${read.fault}`);
    else values.set(name, read.value);
    warnings.push(...openToAll(file, path));
  }
  return values;
}

const KEY = /^[A-Za-z0-9+/]{43}=$/;

/** Repeats no path that may be the secret itself. Null: a path, or no such setting. */
export function pathFault(name: string, path: string): string | null {
  if (path === '' || !/_(FILE|FOLDER|DIR)$/.test(name)) return null;
  if (/^~|\$[A-Za-z_{]/.test(path))
    return `${name}: ~ and $ stay as they are in a setting; write the whole path`;
  if (!name.endsWith('_FILE') || (path.startsWith('/') && !KEY.test(path))) return null;
  return `${name}: must be the path of a file, from / on; what the file holds does not stand in a setting`;
}

function readSecret(path: string): { readonly value: string } | { readonly fault: string } {
  try {
    // Read from the descriptor: it may be a socket, or a file that this account may not open.
    const descriptor = /^\/dev\/fd\/(\d{1,4})$/.exec(path)?.[1];
    const bytes = readFileSync(descriptor === undefined ? path : Number(descriptor));
    if (bytes.length > LARGEST_SECRET_BYTES) return { fault: 'is too long for a setting' };
    const value = bytes.toString('utf8').replace(/\r?\n$/, '');
    if (value.trim() === '') return { fault: 'is empty' };
    return /[\r\n]/.test(value)
      ? { fault: 'has more than one line; the value stands alone in it' }
      : { value };
  } catch (error) {
    return { fault: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})` };
  }
}

export function openToAll(setting: string, path: string): string[] {
  const mode = modeOf(path);
  if (mode === null || (mode & RIGHTS_OF_OTHERS) === 0) return [];
  return [`${setting}: every account of this machine may read or change ${path}; chmod 600 it`];
}

/** Null if this account sees no such file, or for a descriptor. */
function modeOf(path: string): number | null {
  try {
    const found = statSync(path);
    return found.isFile() ? found.mode : null;
  } catch {
    return null;
  }
}
