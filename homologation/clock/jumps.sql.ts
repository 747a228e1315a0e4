import { type Database, statement } from '../../src/platform/postgres/database.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../src/platform/postgres/row-codec.ts';
import { CLOCKED_KINDS } from '../../src/platform/work/due-work.ts';
import { type Instant, utcText } from '../../src/values/instant.ts';
import { NOTHING_RAN, type Ran } from './jump.ts';

const ran = column.parsedBy(readRan);

const CLOCK = rowCodec({
  shiftMilliseconds: column.whole(),
  target: column.nullable(column.instant('target_at')),
  jumpNumber: column.whole(),
  ran,
});

export type StoredClock = RowOf<typeof CLOCK>;

const HELD = rowCodec(
  {
    merchantId: column.text(),
    fence: column.whole(),
    target: column.instant('c.target_at'),
    shiftMilliseconds: column.whole(),
    ran,
    steps: column.whole(),
  },
  'c',
);

/** Held by this process: no other moves the clock before the lease ends. */
export type HeldJump = RowOf<typeof HELD>;

export type Progress = { readonly ran: Ran; readonly steps: number };

const FIND = statement('clock.find', `select ${CLOCK.columns} from merchant_clocks where merchant_id = $1`);

/** Null if the clock was never moved. */
export async function findClock(database: Database, merchantId: string): Promise<StoredClock | null> {
  return firstOf(await database.query(FIND, [merchantId]), CLOCK.parse);
}

const JUMP = rowCodec({ jumpNumber: column.whole() });

/** Only if the clock is still as read. Raises the fence against late writes of the former jump. */
const START = statement(
  'clock.start',
  `insert into merchant_clocks as c (merchant_id, target_at, jump_number) values ($1, $3::timestamptz, 1)
   on conflict (merchant_id) do update set target_at = excluded.target_at, jump_number = c.jump_number + 1, ran = '{}', steps = 0,
       fence = c.fence + 1
     where c.target_at is null and c.shift_milliseconds = $2
   returning ${JUMP.columns}`,
);

/** Gives the jump's number; null when the clock is in a jump or was moved meanwhile. */
export async function insertJump(
  database: Database,
  merchantId: string,
  shiftMilliseconds: number,
  target: Instant,
): Promise<number | null> {
  const [row] = await database.query(START, [merchantId, shiftMilliseconds, utcText(target)]);
  return row === undefined ? null : JUMP.parse(row).jumpNumber;
}

const CLAIM = statement(
  'clock.claim',
  `with free as (
     select merchant_id from merchant_clocks
     where target_at is not null and (lease_expires_at is null or lease_expires_at <= now())
     order by lease_expires_at nulls first limit $1 for no key update skip locked
   )
   update merchant_clocks c set lease_expires_at = now() + $2 * interval '1 millisecond', fence = c.fence + 1
   from free where c.merchant_id = free.merchant_id
   returning ${HELD.columns}`,
);

/** Null if no clock jumps. */
export const EARLIEST_JUMP = statement(
  'clock.earliest_jump',
  `select (extract(epoch from min(coalesce(lease_expires_at, now())) - now()) * 1000)::float8 as milliseconds
   from merchant_clocks where target_at is not null`,
);

/** Claims up to `limit` free jumps, new ones first. */
export async function claimJumps(
  database: Database,
  limit: number,
  leaseMilliseconds: number,
): Promise<HeldJump[]> {
  return (await database.query(CLAIM, [limit, leaseMilliseconds])).map(HELD.parse);
}

const SHIFT = rowCodec({ shiftMilliseconds: column.whole() });

/**
 * By the database's clock, which claims read: it must not be behind the instant by a part of a millisecond,
 * or nothing would be due. Never goes back.
 */
const MOVE = statement(
  'clock.move',
  `update merchant_clocks set ran = $4::jsonb, steps = $5, lease_expires_at = now() + $6 * interval '1 millisecond',
     shift_milliseconds = greatest(shift_milliseconds,
       ceil(extract(epoch from $3::timestamptz - clock_timestamp()) * 1000)::bigint)
   where merchant_id = $1 and fence = $2 and target_at is not null
   returning ${SHIFT.columns}`,
);

/** Keeps the lease. Gives the shift, or null when another process has taken over. */
export async function moveHeldClock(
  database: Database,
  { merchantId, fence }: HeldJump,
  to: Instant,
  { ran, steps }: Progress,
  leaseMilliseconds: number,
): Promise<number | null> {
  const values = [merchantId, fence, utcText(to), JSON.stringify(ran), steps, leaseMilliseconds];
  return firstOf(await database.query(MOVE, values), SHIFT.parse)?.shiftMilliseconds ?? null;
}

const RENEW = statement(
  'clock.renew',
  `update merchant_clocks set ran = $3::jsonb, lease_expires_at = now() + $4 * interval '1 millisecond'
   where merchant_id = $1 and fence = $2 and target_at is not null
   returning ${SHIFT.columns}`,
);

/** For a clock that stands for long. False when another process has taken over. */
export async function renewJump(
  database: Database,
  { merchantId, fence }: HeldJump,
  ran: Ran,
  leaseMilliseconds: number,
): Promise<boolean> {
  const rows = await database.query(RENEW, [merchantId, fence, JSON.stringify(ran), leaseMilliseconds]);
  return rows.length > 0;
}

const END = statement(
  'clock.end',
  `update merchant_clocks set target_at = null, lease_expires_at = null, ran = $3::jsonb, steps = $4
   where merchant_id = $1 and fence = $2 and target_at is not null
   returning ${SHIFT.columns}`,
);

/** False when another process has taken over. */
export async function endJump(
  database: Database,
  { merchantId, fence }: HeldJump,
  { ran, steps }: Progress,
): Promise<boolean> {
  return (await database.query(END, [merchantId, fence, JSON.stringify(ran), steps])).length > 0;
}

const RELEASE = statement(
  'clock.release',
  'update merchant_clocks set lease_expires_at = null, ran = $3::jsonb where merchant_id = $1 and fence = $2',
);

export async function releaseJump(
  database: Database,
  { merchantId, fence }: HeldJump,
  ran: Ran,
): Promise<void> {
  await database.query(RELEASE, [merchantId, fence, JSON.stringify(ran)]);
}

/** Rows of an earlier version lack newer kinds. */
function readRan(stored: unknown): Ran {
  const counts = stored as Partial<Record<string, number>>;
  const entries = CLOCKED_KINDS.map((kind) => [kind, counts[kind] ?? 0] as const);
  return { ...NOTHING_RAN, ...Object.fromEntries(entries) };
}
