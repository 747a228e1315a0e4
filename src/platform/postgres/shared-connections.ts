import type { Socket } from 'node:net';
import pg from 'pg';
import type { DatabaseAddress } from './database.ts';
import { findPrimary } from './primary.ts';
import { POOLED } from './write-refusals.ts';

const CONNECT_TIMEOUT_MILLISECONDS = 5_000;
const ANSWER_TIMEOUT_MILLISECONDS = 5_000;

/** The address leads to a pooler that does not keep session state. */
class ConnectionsShared extends Error {
  override readonly name = 'ConnectionsShared';
}

/**
 * Prepared statements, settings and the migration lock belong to one connection. Throws `ConnectionsShared`
 * if a pooler gives two clients one server connection, or one client two. Asks nothing of a server that
 * Parcela runs itself.
 */
export async function refuseSharedConnections(address: DatabaseAddress): Promise<void> {
  const place = await findPrimary(address);
  if (typeof place !== 'string') return;
  const [one, other] = [openClient(place), openClient(place)];
  try {
    await Promise.all([one.connect(), other.connect()]).catch(explainRefusal);
    const first = await processOf(one);
    await other.query('begin');
    const held = await processOf(other);
    const second = await processOf(one);
    if (first === held || first !== second) throw new ConnectionsShared(POOLED);
  } finally {
    await Promise.all([one, other].map(endClient));
  }
}

/** PgBouncer names the setting that it does not pass on; PostgreSQL never answers so. */
function explainRefusal(error: Error): never {
  if (!/unsupported startup parameter/.test(error.message)) throw error;
  throw new ConnectionsShared(
    `${error.message}: a pooler such as PgBouncer stands in between and does not pass on what Parcela asks of its ` +
      'connections; lead Parcela to PostgreSQL itself (docs/restore.md)',
    { cause: error },
  );
}

async function processOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ process_id: number }>('select pg_backend_pid() as process_id');
  return rows[0]?.process_id ?? 0;
}

function openClient(address: string): pg.Client {
  const client = new pg.Client({
    connectionString: address,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MILLISECONDS,
    query_timeout: ANSWER_TIMEOUT_MILLISECONDS,
    application_name: 'parcela-look',
    // As the service's connections open: here a pooler refuses an unsupported setting by name.
    options: '-c timezone=UTC',
  });
  client.on('error', () => {});
  return client;
}

const GOODBYE_MILLISECONDS = 2_000;

/** Ends the connection even if the server is silent. */
export async function endClient(client: pg.Client): Promise<void> {
  const { connection } = client as pg.Client & { readonly connection: { readonly stream: Socket } };
  const timer = setTimeout(() => connection.stream.destroy(), GOODBYE_MILLISECONDS);
  await client.end().catch(() => {});
  clearTimeout(timer);
}
