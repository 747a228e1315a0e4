import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { enterConsole } from '../../bench/console/enter-console.ts';
import { fillConsole, type WantedConsole } from '../../bench/console/fill-console.ts';
import { casesOf } from '../../bench/console/screen-cases.ts';
import { lookAt } from '../../bench/console/visit-screens.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { instant, saoPauloDay } from '../../src/values/instant.ts';
import { ALL_SCREENS } from '../../tools/console-pages.ts';
import type { TestDatabase } from '../kit/database.ts';
import { type AuditedTools, auditedTools } from '../kit/keys.ts';
import {
  type Auditor,
  databaseSettings,
  furnishedDatabase,
  openAuditor,
  openService,
  until,
} from '../kit/service.ts';

/** Within a week the giant has sold more than is counted for people, already where there is less. */
const FEW = { payments: 12_000, billings: 12_000, beside: 12_000, days: 10, merchants: 10 } as const;
const TIMES = 4;
const MANY = {
  ...FEW,
  payments: FEW.payments * TIMES,
  billings: FEW.billings * TIMES,
  beside: FEW.beside * TIMES,
} as const;

/**
 * Of what is stored beyond the smaller database: half of it is the giant's, and would be read by a page
 * without a bound. Less is read more where a count has not reached its bound yet, or is one bitmap of an
 * index.
 */
const MOST_SHARE = 0.3;
/** Of what grows by itself while pages are asked for: sessions, entries of the audit log. */
const MOST_BESIDE = 200;

type Rows = { readonly read: number; readonly stored: number };
type RowsOfTables = ReadonlyMap<string, Rows>;
const NONE: Rows = { read: 0, stored: 0 };

/**
 * Entries of indexes and rows of tables that were read so far: what a session read is known when it has
 * ended.
 */
async function rowsOf(auditor: Auditor): Promise<RowsOfTables> {
  await until('all other sessions have ended', async () => {
    const others = await auditor.query(
      'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    return others.length === 0;
  });
  const rows = await auditor.query(
    `select t.relname as name, (t.seq_tup_read + coalesce((
       select sum(greatest(i.idx_tup_read, i.idx_tup_fetch)) from pg_stat_user_indexes i where i.relid = t.relid
     ), 0))::float8 as read, (t.n_tup_ins - t.n_tup_del)::float8 as stored from pg_stat_user_tables t`,
  );
  return new Map(rows.map(({ name, ...of }) => [name as string, of as Rows]));
}

/** What all pages together read, each asked for once, of a database with so much in it. */
async function readByPages(wanted: Omit<WantedConsole, 'now'>): Promise<RowsOfTables> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-test-'));
  const database = await furnishedDatabase(folder, {});
  const auditor = openAuditor(database.address);
  // Nothing acts beside the pages.
  const start = () =>
    openService({ folder, settings: { ...databaseSettings(database), PARCELA_ROLES: 'http' } });
  const asOwner = async <T>(act: (tools: AuditedTools) => Promise<T>): Promise<T> => {
    const owner = openDatabase(database.address, () => {});
    try {
      return await act(await auditedTools(owner));
    } finally {
      await owner.close();
    }
  };
  try {
    await (await start()).stop();
    const now = Date.now();
    const filled = await asOwner((tools) =>
      fillConsole({ ...tools, address: database.address }, { ...wanted, now }),
    );
    const before = await rowsOf(auditor);
    const service = await start();
    try {
      const visitors = await asOwner((tools) => enterConsole(tools, auditor, service, filled));
      const bounded = casesOf(ALL_SCREENS).filter(({ look }) => look.readsOn !== true);
      for (const one of bounded) await lookAt(visitors, one, saoPauloDay(instant(now)));
    } finally {
      await service.stop();
    }
    const after = await rowsOf(auditor);
    const readSince = (name: string, read: number) => read - (before.get(name) ?? NONE).read;
    return new Map([...after].map(([name, of]) => [name, { ...of, read: readSince(name, of.read) }]));
  } finally {
    await auditor.close();
    await dropAll(database, folder);
  }
}

async function dropAll(database: TestDatabase, folder: string): Promise<void> {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
}

test('no page reads more where four times as much is stored', async () => {
  const few = await readByPages(FEW);
  const many = await readByPages(MANY);
  const grown = [...many].flatMap(([name, { read, stored }]) => {
    const before = few.get(name) ?? NONE;
    // What is counted every few seconds may be counted once more, where it has not grown.
    const again = stored === before.stored ? stored : 0;
    const most = before.read + Math.max(0, stored - before.stored) * MOST_SHARE + MOST_BESIDE + again;
    return read > most ? [`${name}: ${before.read} of ${before.stored} rows, then ${read} of ${stored}`] : [];
  });
  assert.deepEqual(grown, []);
  assert.ok((many.get('transactions') ?? NONE).read > 1_000, 'what is read is counted');
});
