import type { Lines } from '../platform/lines.ts';
import { MIGRATIONS } from '../platform/migrations/migration-files.ts';
import { type ScanKind, WAITS_FOR } from '../platform/migrations/migration-locks.ts';
import {
  type MigrationPlan,
  type PlannedMigration,
  planMigrations,
  type TableSize,
} from '../platform/migrations/migration-plan.ts';
import {
  INDEX_LOCK_MINUTES,
  TABLE_LOCK_SECONDS,
  TABLE_LOCK_TRIES,
} from '../platform/migrations/migrations.ts';
import type { Command, CommandOutcome, GivenOptions, InstallationTools } from './command.ts';

/** Every start migrates too. As a step of its own, the owner migrates before new services start. */
export const MIGRATE_COMMAND: Command = {
  words: ['migrate'],
  summary: 'bring the schema of the database to this version, as its owner',
  switches: [
    { name: 'dry-run', description: 'only show the migrations and what each locks; changes nothing' },
  ],
  opens: 'installation',
  run: (given, tools) => (given.has('dry-run') ? runDry(tools) : runMigrate(given, tools)),
};

async function runMigrate(_given: GivenOptions, tools: InstallationTools): Promise<CommandOutcome> {
  const { applied, unaudited } = await tools.openMigrated(tools.configure());
  const lines =
    applied.length === 0
      ? ['The schema is of this version: nothing was applied.']
      : applied.map((name) => `applied  ${name}`);
  if (unaudited !== null) lines.push(`The audit log has no entry of that: ${unaudited}`);
  return { lines, json: { applied, unaudited } };
}

async function runDry({ configure, reachPlace }: InstallationTools): Promise<CommandOutcome> {
  const { owner } = await reachPlace(configure());
  const plan = await planMigrations(owner, MIGRATIONS);
  return { lines: planLines(plan), json: plan };
}

function planLines({ applied, pending, newer }: MigrationPlan): Lines {
  const before = newer.map((name) => `applied by a newer version  ${name}`);
  if (pending.length === 0)
    return [...before, `The schema is of this version: ${applied} migrations are applied.`];
  return [
    ...before,
    ...pending.flatMap(migrationLines),
    ...longLines(pending),
    `${pending.length} to apply, ${applied} applied; nothing was changed. A lock is waited for ${TABLE_LOCK_SECONDS} s at a time, ` +
      `to build an index beside writers ${INDEX_LOCK_MINUTES} min, ${TABLE_LOCK_TRIES} times each.`,
  ];
}

const DOES = {
  changes: 'changes rows of',
  rewrites: 'writes every row anew of',
  reads: 'reads every row of',
  checks: 'checks every row of',
} as const satisfies Record<ScanKind, string>;

const LONG_SECONDS = 10;

const isLong = ({ seconds }: PlannedMigration) => seconds === null || seconds >= LONG_SECONDS;

function durationText(seconds: number | null): string {
  if (seconds === null) return 'how long is not known: run analyze first';
  return seconds < 100 ? `about ${Math.ceil(seconds)} s` : `about ${Math.ceil(seconds / 60)} min`;
}

function longLines(pending: readonly PlannedMigration[]): string[] {
  const long = pending.filter(isLong).map((one) => `${one.name} (${durationText(one.seconds)})`);
  if (long.length === 0) return [];
  return [
    `Long: ${long.join(', ')}. From the server's counts of rows, by what two cores took: another machine may take a third of it, or three times as long.`,
  ];
}

function migrationLines(migration: PlannedMigration): Lines {
  const { name, isOutsideTransaction, locks, builds, scans } = migration;
  const how = isOutsideTransaction ? 'command by command, may be repeated' : 'in one transaction';
  return [
    `${name}  ${how}${isLong(migration) ? `; long, ${durationText(migration.seconds)}` : ''}`,
    ...locks.map(({ table, mode, ...size }) => {
      const waits = WAITS_FOR[mode] === 'nothing' ? 'nothing waits' : `${WAITS_FOR[mode]} wait`;
      return `  ${table} ${sizeText(size)}: ${mode}, ${waits} until it is done`;
    }),
    ...builds.map(({ index, table, isConcurrent, ...size }) => {
      const how = isConcurrent ? 'while others write' : 'while writes wait';
      return `  builds ${index} on ${table} ${sizeText(size)}, ${how}`;
    }),
    ...scans.map(({ table, kind, ...size }) => `  ${DOES[kind]} ${table} ${sizeText(size)}`),
    locks.length + builds.length + scans.length === 0 && '  touches no table that is there',
  ];
}

function sizeText({ rows, bytes }: TableSize): string {
  const size = bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
  return rows === null ? `(${size})` : `(about ${Math.round(rows)} rows, ${size})`;
}
