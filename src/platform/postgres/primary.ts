import pg from 'pg';
import type { DatabaseAddress } from './database.ts';
import { databaseHosts, hostOf } from './database-hosts.ts';
import { reasonToWait, whyRefused } from './database-wait.ts';

const ANSWER_MILLISECONDS = 2_000;
/** Time for other hosts after the first answer: a former primary may still take writes for a moment. */
const LATER_MILLISECONDS = 250;
/** The pause after a look in vain, however many callers ask. */
const PAUSE_MILLISECONDS = 200;

export const IS_READ_ONLY = `pg_is_in_recovery() or current_setting('transaction_read_only') = 'on'`;

const LOOK = `select ${IS_READ_ONLY} as is_read_only,
  case when pg_is_in_recovery() then 0
    else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint end as timeline`;

/** No host takes writes now: nothing was sent. */
class NoPrimary extends Error {
  override readonly name = 'DatabaseUnavailable';
}

export type Primary = {
  /** False: the address names one server of any kind. */
  readonly isSought: boolean;
  /** The last known primary, or the first host. */
  readonly address: DatabaseAddress;
  /** Looks if no primary is known. Throws if no host takes writes. */
  find(): Promise<DatabaseAddress>;
  /** A connection broke or met a standby: the next caller looks again. */
  doubt(): void;
};

export function openPrimary(address: DatabaseAddress): Primary {
  const hosts = typeof address === 'string' ? databaseHosts(address) : null;
  if (hosts === null || !hosts.isPrimarySought) {
    const named = hosts?.addresses[0] ?? address;
    return { isSought: false, address: named, find: async () => named, doubt: () => {} };
  }
  return new SoughtPrimary(hosts.addresses);
}

export function findPrimary(address: DatabaseAddress): Promise<DatabaseAddress> {
  return openPrimary(address).find();
}

class SoughtPrimary implements Primary {
  readonly isSought = true;
  readonly #addresses: readonly string[];
  #address: string;
  #isKnown = false;
  #looking: Promise<string> | null = null;
  #inVain: { readonly at: number; readonly error: unknown } | null = null;

  constructor(addresses: readonly string[]) {
    this.#addresses = addresses;
    this.#address = addresses[0] as string;
  }

  get address(): string {
    return this.#address;
  }

  doubt(): void {
    this.#isKnown = false;
  }

  async find(): Promise<string> {
    if (this.#isKnown) return this.#address;
    if (this.#inVain !== null && performance.now() - this.#inVain.at < PAUSE_MILLISECONDS)
      throw this.#inVain.error;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #look(): Promise<string> {
    try {
      this.#address = await lookAt(this.#addresses);
      this.#isKnown = true;
      this.#inVain = null;
      return this.#address;
    } catch (error) {
      this.#inVain = { at: performance.now(), error };
      throw error;
    }
  }
}

type Found = { readonly address: string; readonly timeline: number };

/** Asks all at once, so that a silent host delays none. */
async function lookAt(addresses: readonly string[]): Promise<string> {
  const found: Found[] = [];
  const asked = addresses.map(async (address) => void found.push(await ask(address)));
  const answered = await Promise.any(asked).then(
    () => true,
    () => false,
  );
  if (!answered) throw await whyNone(addresses, asked);
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, LATER_MILLISECONDS);
  await Promise.race([Promise.allSettled(asked), late]);
  clearTimeout(timer);
  return found.reduce((best, one) => (one.timeline > best.timeline ? one : best)).address;
}

async function whyNone(addresses: readonly string[], asked: readonly Promise<void>[]): Promise<Error> {
  const reasons: unknown[] = (await Promise.allSettled(asked)).map((end) =>
    end.status === 'rejected' ? end.reason : null,
  );
  const words = reasons.map((reason, index) => {
    return `${hostOf(addresses[index] as string)}: ${whyRefused(reason)}`;
  });
  const lasting = reasons.every((reason) => reasonToWait(reason) === null) ? reasons[0] : undefined;
  return new NoPrimary(`no host takes writes (${words.join('; ')})`, { cause: lasting });
}

async function ask(address: string): Promise<Found> {
  const client = new pg.Client({
    connectionString: address,
    connectionTimeoutMillis: ANSWER_MILLISECONDS,
    query_timeout: ANSWER_MILLISECONDS,
    application_name: 'parcela-look',
  });
  // A broken idle connection emits an event, which without a listener would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    const [row] = (await client.query<{ is_read_only: boolean; timeline: string }>(LOOK)).rows;
    if (row === undefined || row.is_read_only) throw new NoPrimary('it takes no writes');
    return { address, timeline: Number(row.timeline) };
  } finally {
    // Not awaited: a silent server never acknowledges the end.
    client.end().catch(() => {});
  }
}
