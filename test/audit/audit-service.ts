import assert from 'node:assert/strict';
import type { ChainFault } from '../../src/audit/audit-chain.ts';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import { runCommandHere } from '../kit/command.ts';
import type { TestDatabase } from '../kit/database.ts';
import { keyFileIn } from '../kit/keys.ts';
import { databaseSettings, openTestService, type TestService } from '../kit/service.ts';
import { command } from '../merchants/merchants-door.ts';

/** An entry as `parcela audit list --json` prints it. */
export type AuditedEntry = {
  readonly entryNumber: number;
  readonly occurredAt: string;
  readonly actor: string;
  readonly action: string;
  readonly outcome: 'success' | 'failure';
  readonly origin: string;
  readonly resource: string;
  readonly detail: Readonly<Record<string, string | number>>;
  readonly seal: string;
};

export type AuditService = TestService & {
  /** Opened as the role that services work as. */
  readonly pool: Database;
  /** Entries of one kind, oldest first. The look-up itself is audited too. */
  reported(action: string): Promise<AuditedEntry[]>;
  close(): Promise<void>;
};

export async function openAuditService(settings: Record<string, string> = {}): Promise<AuditService> {
  const service = await openTestService(settings);
  const pool = openDatabase(service.database.runtime, () => {});
  return {
    ...service,
    pool,
    reported: (action) => reported(pool, action),
    async close() {
      await pool.close();
      await service.close();
    },
  };
}

export async function reported(database: Database, action: string): Promise<AuditedEntry[]> {
  const { printed, errors } = await command(database, [
    'audit',
    'list',
    '--action',
    action,
    '--json',
    '--limit',
    '1000',
  ]);
  assert.equal(errors, '');
  return (JSON.parse(printed) as { items: AuditedEntry[] }).items;
}

export type Verdict =
  | { readonly isWhole: true; readonly entries: number; readonly seal: string }
  | { readonly isWhole: false; readonly fault: ChainFault; readonly entryNumber: number };

/** `parcela audit verify`; the exit code says the same as the verdict. */
export async function verify(database: Database, ...options: string[]): Promise<Verdict> {
  const { exitCode, printed, errors } = await command(database, ['audit', 'verify', ...options, '--json']);
  assert.equal(errors, '');
  const verdict = JSON.parse(printed) as Verdict;
  assert.equal(exitCode, verdict.isWhole ? 0 : 1);
  return verdict;
}

/** The verdict as a word and a number, for comparing. */
export async function faultFound(database: Database, ...options: string[]): Promise<string> {
  const verdict = await verify(database, ...options);
  return verdict.isWhole ? 'whole' : `${verdict.fault} ${verdict.entryNumber}`;
}

/** The first line of a command, which says where it acts. */
const PLACE = /^\w+(?: \([^)\n]*\))?: database \S+ at \S+\n?/;

/** Runs the operator's command beside a service. */
export async function runParcela(
  database: TestDatabase,
  folder: string,
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<{ exitCode: number; printed: string; errors: string }> {
  const { code, printed, said } = await runCommandHere(words, {
    ...settings,
    ...databaseSettings(database),
    PARCELA_DATA_DIR: folder,
    PARCELA_KEY_FILE: keyFileIn(folder),
  });
  return { exitCode: code, printed: printed.trim(), errors: said.replace(PLACE, '').trim() };
}
