/** A process asks the bank now: its answer may be older than what is heard meanwhile. */
export const IS_LEASED = 'coalesce(leased_until > now(), false)';

/** Set by a process that begins to ask. */
export const LEASED = 'heard_at = null, fence = o.fence + 1';

/** Ends a look. News heard meanwhile brings the next look near. */
export const RELEASED = `look_at = case when look_at is not null then least(look_at, heard_at + interval '2 seconds') end,
     heard_at = null, leased_until = null`;

/** News heard during a look is noted: another look follows it. */
export const NOTES = `(look_at is not null and ${IS_LEASED})`;

/** The end of the pause after the last counted try. An unclear look before it does not count. */
export const PAUSE_ENDS = `coalesce(tried_at + least(600, 2 ^ least(tries, 10)) * interval '1 second', '-infinity')`;
