import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { type Limit, type LimitAddress, runPgbench } from './limit.ts';

const SCRIPT = new URL('fixed-limit.sql', import.meta.url);
const TABLES = `
  create table if not exists fixed_limit_intents (id bigint generated always as identity primary key);
  create table if not exists fixed_limit_outcomes (id bigint primary key);
  truncate fixed_limit_intents, fixed_limit_outcomes`;

/**
 * Two durable commits of one narrow row each, by pgbench: what the machine gives, whatever the tables of the
 * service look like. The limit of the same rows hides what an index costs, for it writes it too.
 */
export async function measureFixedLimit(
  server: LimitAddress,
  clients: number,
  seconds: number,
): Promise<Limit> {
  const address = { ...server, database: 'postgres' };
  const client = new pg.Client(address);
  await client.connect();
  try {
    await client.query(TABLES);
  } finally {
    await client.end();
  }
  return runPgbench(address, [await readFile(SCRIPT, 'utf8')], clients, seconds);
}
