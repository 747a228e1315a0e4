import type pg from 'pg';

/**
 * The latest time for a write, on the monotonic clock. In a statement it becomes an instant of the server's
 * clock, compared with `clock_timestamp()`: a late statement refuses itself. The clocks of Node and
 * PostgreSQL may be minutes apart.
 */
export class Deadline {
  readonly at: number;

  constructor(at: number) {
    this.at = at;
  }
}

export const NO_DEADLINE = new Deadline(Number.POSITIVE_INFINITY);

/**
 * How long a measured offset is used: a correction of the server's clock takes effect after that, and until
 * then writes may look late.
 */
const TRUSTED_MILLISECONDS = 5_000;

type Measured = {
  /** The server's clock minus the monotonic one: at most the true difference. */
  readonly offset: number;
  readonly at: number;
};

const measured = new WeakMap<pg.PoolClient, Measured>();

/**
 * The offset of the server's clock, measured every few seconds at the arrival of its answer: deadlines may
 * come early, never late.
 */
async function serverOffset(client: pg.PoolClient): Promise<number> {
  const known = measured.get(client);
  if (known !== undefined && performance.now() - known.at < TRUSTED_MILLISECONDS) return known.offset;
  const { rows } = await client.query('select clock_timestamp() as now');
  const at = performance.now();
  const offset = (rows[0].now as number) - at;
  measured.set(client, { offset, at });
  return offset;
}

export async function serverTime(client: pg.PoolClient, { at }: Deadline): Promise<string> {
  return textOf(at, await serverOffset(client));
}

function textOf(at: number, offset: number): string {
  return Number.isFinite(at) ? new Date(Math.floor(at + offset)).toISOString() : 'infinity';
}

export async function withServerTimes(
  client: pg.PoolClient,
  values: readonly unknown[],
): Promise<readonly unknown[]> {
  if (!values.some(isOfServerTime)) return values;
  const offset = await serverOffset(client);
  return values.map((value) => {
    if (value instanceof Deadline) return textOf(value.at, offset);
    return isOfServerTime(value) ? (value as Deadline[]).map(({ at }) => textOf(at, offset)) : value;
  });
}

/** A list has deadlines at all its positions, or at none. */
function isOfServerTime(value: unknown): boolean {
  return value instanceof Deadline || (Array.isArray(value) && value[0] instanceof Deadline);
}
