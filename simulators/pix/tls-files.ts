import { readFileSync } from 'node:fs';

/** What the bank proves itself with, to who asks and to whom it tells; and whom it believes. */
export type Tls = { readonly key: Buffer; readonly cert: Buffer; readonly ca: Buffer };

const OPTIONS = { '--tls-key': 'key', '--tls-certificate': 'cert', '--tls-authority': 'ca' } as const;
type Name = (typeof OPTIONS)[keyof typeof OPTIONS];

/**
 * Takes the files of mutual TLS out of a command line. Null: none is named, and the bank speaks plain HTTP.
 * A text: what is wrong.
 */
export function takeTls(words: string[]): Tls | string | null {
  const files = new Map<Name, Buffer>();
  for (const [option, name] of Object.entries(OPTIONS)) {
    const at = words.indexOf(option);
    if (at === -1) continue;
    const [, path = ''] = words.splice(at, 2);
    try {
      files.set(name, readFileSync(path));
    } catch (error) {
      return `${option} cannot be read: ${(error as Error).message}`;
    }
  }
  const [key, cert, ca] = [files.get('key'), files.get('cert'), files.get('ca')];
  if (files.size === 0) return null;
  if (key === undefined || cert === undefined || ca === undefined)
    return `${Object.keys(OPTIONS).join(', ')} are given together`;
  return { key, cert, ca };
}
