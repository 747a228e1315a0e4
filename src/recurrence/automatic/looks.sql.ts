/** A process asks the bank just then: its answer may be older than what is heard now. */
export const IS_LEASED = 'coalesce(leased_until > now(), false)';

/** Of whoever asks from now on. */
export const LEASED = 'heard_at = null, fence = o.fence + 1';

/** A look that is over. What was heard meanwhile brings the next one near. */
export const RELEASED = `look_at = case when look_at is not null then least(look_at, heard_at + interval '2 seconds') end,
     heard_at = null, leased_until = null`;

/** What is heard then is noted, for a look behind its answer. */
export const NOTES = `(look_at is not null and ${IS_LEASED})`;

/** The end of the pause behind the last try: an unclear look before it is no further one. */
export const PAUSE_ENDS = `coalesce(tried_at + least(600, 2 ^ least(tries, 10)) * interval '1 second', '-infinity')`;
