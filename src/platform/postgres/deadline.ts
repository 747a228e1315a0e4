import type pg from 'pg';

/**
 * Until when something may be written, on the monotonic clock. As a value of a statement, alone or
 * in a list, it becomes an instant of the server's clock: the statement compares it with
 * `clock_timestamp()`, so that one which arrives late refuses itself. The clocks of Node and of
 * PostgreSQL may be minutes apart.
 */
export class Deadline {
  readonly at: number;

  constructor(at: number) {
    this.at = at;
  }
}

/** For what may be written at any time. */
export const NO_DEADLINE = new Deadline(Number.POSITIVE_INFINITY);

/**
 * A correction of the clock takes effect within this time: until then a write looks late, and is
 * refused.
 */
const TRUSTED_MILLISECONDS = 5_000;

type Measured = {
  /** The server's clock less the monotonic one: never more than the true difference. */
  readonly offset: number;
  readonly at: number;
};

const measured = new WeakMap<pg.PoolClient, Measured>();

/**
 * Reads a connection's server time every few seconds. Taken at the answer's arrival, so that a
 * deadline comes rather early.
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

/** The deadline on the clock of this connection's server, as PostgreSQL reads it. */
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

/** A list has deadlines at all its places, or at none. */
function isOfServerTime(value: unknown): boolean {
  return value instanceof Deadline || (Array.isArray(value) && value[0] instanceof Deadline);
}
