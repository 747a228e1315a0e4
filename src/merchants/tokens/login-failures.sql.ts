import { createHash } from 'node:crypto';
import { type Database, statement } from '../../platform/postgres/database.ts';
import { forgetting } from '../../platform/postgres/forgetting.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import {
  type FailureBuckets,
  LOCKOUT_SECONDS,
  type LoginLimits,
  MOST_FAILURES_IN_A_ROW,
} from './login-failures.ts';

const COUNTED = rowCodec({
  secondsToWait: column.nullable(
    column.whole('(select ceil(extract(epoch from until - now()))::integer from full_buckets)'),
  ),
  counted: column.listOf(
    column.bytes(`array(select bucket_hash from by_name_and_address) || array(select bucket_hash from by_name)
       || array(select bucket_hash from by_address)`),
  ),
  filled: column.listOf(
    column.text(`array(select 'name and address' from by_name_and_address where failures >= $4)
       || array(select 'name' from by_name where failures >= $5)
       || array(select 'address' from by_address where failures >= $6)`),
  ),
});

/**
 * Counts one failure in each bucket, narrowest first, and stops at the first full one, which it leaves as it
 * is: a refusal does not lengthen the wait. Each insert reads from the one before, which orders the row
 * locks. An insert meets the newest row, so parallel tries never exceed a limit. The first bucket counts
 * until 30 minutes after the last failure. The others count 30 minutes from the first, and when full refuse
 * for 30 minutes: an office with rare mistakes is not locked out.
 */
const COUNT = statement(
  'login_failures.count',
  `with full_buckets as (
     select max(expires_at) as until from login_failures
     where expires_at > now()
       and ((bucket_hash = $1 and failures >= $4) or (bucket_hash = $2 and failures >= $5)
         or (bucket_hash = $3 and failures >= $6))
   ), by_name_and_address as (
     insert into login_failures as f (bucket_hash, breadth, failures, expires_at)
     select $1::bytea, 1, 1, now() + $7 * interval '1 second' from full_buckets where until is null
     on conflict (bucket_hash) do update set
       failures = case when f.expires_at > now() then f.failures + 1 else 1 end,
       expires_at = excluded.expires_at
     where f.failures < $4 or f.expires_at <= now()
     returning bucket_hash, failures
   ), by_name as (
     insert into login_failures as f (bucket_hash, breadth, failures, expires_at)
     select $2::bytea, 2, 1, now() + $7 * interval '1 second' from by_name_and_address where $2::bytea is not null
     on conflict (bucket_hash) do update set
       failures = case when f.expires_at > now() then f.failures + 1 else 1 end,
       expires_at = case when f.expires_at > now() and f.failures + 1 < $5 then f.expires_at else excluded.expires_at end
     where f.failures < $5 or f.expires_at <= now()
     returning bucket_hash, failures
   ), by_address as (
     insert into login_failures as f (bucket_hash, breadth, failures, expires_at)
     select $3::bytea, 3, 1, now() + $7 * interval '1 second' from by_name_and_address
     where $2::bytea is null or exists (select from by_name)
     on conflict (bucket_hash) do update set
       failures = case when f.expires_at > now() then f.failures + 1 else 1 end,
       expires_at = case when f.expires_at > now() and f.failures + 1 < $6 then f.expires_at else excluded.expires_at end
     where f.failures < $6 or f.expires_at <= now()
     returning bucket_hash, failures
   )
   select ${COUNTED.columns}`,
);

/** `secondsToWait`: null when counted in every bucket. `filled`: buckets that are full now. */
export type CountedFailure = { readonly secondsToWait: number | null; readonly filled: readonly string[] };

/** Counts a failure before the check; a right password gives it back. */
export async function countFailure(
  database: Database,
  buckets: FailureBuckets,
  limits: LoginLimits,
): Promise<CountedFailure> {
  const hashes = [hashOf(buckets.nameAndAddress), hashOfName(buckets), hashOf(buckets.address)];
  const [row = {}] = await database.query(COUNT, [
    ...hashes,
    MOST_FAILURES_IN_A_ROW,
    limits.perUserName,
    limits.perAddress,
    LOCKOUT_SECONDS,
  ]);
  const { secondsToWait, counted, filled } = COUNTED.parse(row);
  if (counted.length === hashes.filter((hash) => hash !== null).length)
    return { secondsToWait: null, filled };
  // Another caller has just filled a bucket, which stopped the count halfway.
  if (counted.length > 0) await database.query(GIVE_BACK, [counted, null]);
  return { secondsToWait: secondsToWait ?? LOCKOUT_SECONDS, filled: [] };
}

/** Locks in the order of counting, then reads the newest rows; an empty bucket is deleted. */
const GIVE_BACK = statement(
  'login_failures.give_back',
  `with held as materialized (
     select bucket_hash, case when bucket_hash = $2::bytea then 0 else failures - 1 end as failures
     from login_failures where bucket_hash = any($1::bytea[]) order by breadth for update
   ), emptied as (
     delete from login_failures f using held h where f.bucket_hash = h.bucket_hash and h.failures = 0
   )
   update login_failures f set failures = h.failures from held h
   where f.bucket_hash = h.bucket_hash and h.failures > 0`,
);

/** Takes one failure back from every bucket: the password was not checked. */
export async function giveBackFailure(database: Database, buckets: FailureBuckets): Promise<void> {
  await database.query(GIVE_BACK, [hashesOf(buckets), null]);
}

/** The password was right: ends the failures of this name and address, and takes one back from the others. */
export async function endFailuresInARow(database: Database, buckets: FailureBuckets): Promise<void> {
  await database.query(GIVE_BACK, [hashesOf(buckets), hashOf(buckets.nameAndAddress)]);
}

export const deleteExpiredFailures = forgetting({
  table: 'login_failures',
  by: 'expires_at',
  over: 'expires_at < now()',
});

function hashesOf(buckets: FailureBuckets): Buffer[] {
  const { nameAndAddress, name, address } = buckets;
  return [nameAndAddress, name, address].filter((text) => text !== null).map(hashOf);
}

function hashOfName({ name }: FailureBuckets): Buffer | null {
  return name === null ? null : hashOf(name);
}

function hashOf(bucket: string): Buffer {
  return createHash('sha256').update(bucket).digest();
}
