import { fileURLToPath } from 'node:url';
import { migrate } from '../../src/platform/migrations/migrations.ts';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import { auditedTools } from '../../test/kit/keys.ts';
import { openAuditor } from '../../test/kit/service.ts';
import type { BenchService } from '../bench-service.ts';
import { type DueLoader, openDueLoader } from './load-due.ts';

/** A database of its own beside that of the bench, with no service at work. */
export type FindingDatabase = {
  readonly loader: DueLoader;
  /** A new pool, as a service opens it. */
  open(): Database;
  close(): Promise<void>;
};

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));

export async function openFindingDatabase(
  { server }: BenchService,
  name: string,
  merchants: number,
): Promise<FindingDatabase> {
  const address = { ...server.connection, database: name };
  await runAlone(server.connection, [`create database ${name}`]);
  await migrate(address, MIGRATIONS, () => {});
  // A vacuum would have every plan made anew; it comes when it is asked for.
  await runAlone(
    address,
    ['billings', 'subscriptions'].map((table) => `alter table ${table} set (autovacuum_enabled = off)`),
  );
  const tools = openDatabase(address, () => {});
  const loader = await openDueLoader({ ...(await auditedTools(tools)), address }, name, merchants);
  const pools = [tools];
  return {
    loader,
    open() {
      const pool = openDatabase(address, () => {});
      pools.push(pool);
      return pool;
    },
    async close() {
      await loader.close();
      for (const pool of pools) await pool.close();
    },
  };
}

async function runAlone(address: Parameters<typeof openAuditor>[0], texts: readonly string[]): Promise<void> {
  const auditor = openAuditor(address);
  try {
    for (const text of texts) await auditor.query(text);
  } finally {
    await auditor.close();
  }
}
