import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Actor, Audit } from '../../src/audit/audit-event.ts';
import { openAudit } from '../../src/audit/open-audit.ts';
import { openKeyStore } from '../../src/keys/open-key-store.ts';
import { type Keyring, openKeyring } from '../../src/keys/open-keyring.ts';
import { type Database, statement } from '../../src/platform/postgres/database.ts';

export type AuditedTools = {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly audit: Audit;
  readonly operator: Actor;
  readonly cell: string | null;
};

/** Of which installation the keys are: homologation without cells, unless it is said. */
export type KeysOf = {
  readonly environment?: 'homologation' | 'production';
  readonly cell?: string | null;
};

const SILENT = { info: () => {}, warn: () => {}, flushed: async () => {} };
/**
 * Where the keys of each test database are: a service of the same test must find those that wrapped
 * its data keys.
 */
const keyFiles = new Map<string, Promise<string>>();
const opened = new WeakMap<Database, Promise<AuditedTools>>();

const NAME = statement('test.current_database', 'select current_database() as name');

/** The key file of a service in this folder. */
export function keyFileIn(folder: string): string {
  return join(folder, 'keys', 'key-encryption-key.json');
}

/** Says where the keys of a database are, for whoever opens them later in this process. */
export function rememberKeyFile(databaseName: string, path: string): void {
  keyFiles.set(databaseName, Promise.resolve(path));
}

/**
 * What an operator's command stands on, on this database; the keys are made when nobody has made
 * them yet.
 */
export function auditedTools(database: Database, keysOf: KeysOf = {}): Promise<AuditedTools> {
  const known = opened.get(database) ?? openTools(database, keysOf);
  opened.set(database, known);
  return known;
}

async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-keys-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function openTools(
  database: Database,
  { environment = 'homologation', cell = null }: KeysOf,
): Promise<AuditedTools> {
  const [row] = await database.query(NAME, []);
  const name = row?.name as string;
  const keyFile = keyFiles.get(name) ?? ownFolder().then(keyFileIn);
  keyFiles.set(name, keyFile);
  const settings = { kind: 'file', path: await keyFile } as const;
  const { store } = await openKeyStore(settings, environment, database);
  const keyring = await openKeyring(database, store, { environment, cell }, () => {});
  const audit = await openAudit({ database, keyring, log: SILENT });
  return { database, keyring, audit, operator: { actor: 'ana', origin: 'here' }, cell };
}
