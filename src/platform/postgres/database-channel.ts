import pg from 'pg';
import { isLoopback } from '../channels/channel-url.ts';
import { databaseHosts } from './database-hosts.ts';

/**
 * The channel to a database: this machine, TLS that checks the server's certificate and name, or
 * less. Only the address itself counts, not the environment. Throws the driver's error for an
 * address, or for a file that it names.
 */
export function databaseChannel(address: string): (typeof KINDS)[number] {
  const mode = new URLSearchParams(address.split('?')[1]).getAll('sslmode').at(-1) ?? null;
  const found = databaseHosts(address).addresses.map((one) => channelToOne(one, mode));
  return KINDS.find((kind) => found.includes(kind)) ?? 'unverified';
}

/** From the least: what holds for one host of several holds for the address. */
const KINDS = ['unverified', 'verified', 'local'] as const;

function channelToOne(address: string, mode: string | null): (typeof KINDS)[number] {
  const client = new pg.Client({ connectionString: address });
  if (isLocal(client.host)) return 'local';
  return mode === 'verify-full' && client.ssl ? 'verified' : 'unverified';
}

/** A socket of this machine is named by its folder, or, in Linux, by a name that begins with @. */
function isLocal(host: string): boolean {
  return /^[/@]/.test(host) || isLoopback(host);
}
