import pg from 'pg';
import { SOCKET_PORT } from './server-place.ts';

/** Over the Unix socket only, as the only role. */
export type EmbeddedConnection = {
  /** The folder of the socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
};

export const OWNER_ROLE = 'parcela';
const DATABASE = 'parcela';
const CONNECT_TIMEOUT_MILLISECONDS = 5_000;

export function connectionThrough(socketFolder: string, password: string): EmbeddedConnection {
  return { host: socketFolder, port: SOCKET_PORT, user: OWNER_ROLE, password, database: DATABASE };
}

/** `starting`: not ready yet. Throws for errors that waiting does not cure. */
export async function readiness(
  connection: EmbeddedConnection,
): Promise<'ready' | 'silent' | 'starting' | 'no database'> {
  const client = openClient(connection);
  try {
    await client.connect();
    await client.query('select 1');
    return 'ready';
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    // Starting, stopping after a crash, or full of clients.
    if (typeof code === 'string' && /^(57P0[1-3]|53300)$/.test(code)) return 'starting';
    if (code === '3D000') return 'no database';
    if (code === '28P01')
      throw new Error('the password in the data folder does not open the database', { cause: error });
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E')) throw error;
    return 'silent';
  } finally {
    await client.end().catch(() => {});
  }
}

export async function makeDatabase(connection: EmbeddedConnection): Promise<void> {
  const client = openClient({ ...connection, database: 'postgres' });
  try {
    await client.connect();
    await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end().catch(() => {});
  }
}

function openClient(connection: EmbeddedConnection): pg.Client {
  const client = new pg.Client({
    ...connection,
    ssl: false,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MILLISECONDS,
    application_name: 'parcela-launcher',
  });
  // A broken idle connection emits an event, which without a listener would end the process.
  client.on('error', () => {});
  return client;
}
