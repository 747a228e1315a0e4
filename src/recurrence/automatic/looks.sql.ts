/** The next look comes near where something was heard while the bank was asked. */
export const BEHIND_WHAT_WAS_HEARD = "heard_at + interval '2 seconds'";

/** Of a look that is over. */
export const RELEASED = 'heard_at = null, leased_until = null';

/** A process asks the bank just then: its answer may be older than what is heard now. */
export const IS_LEASED = 'coalesce(leased_until > now(), false)';

/** The end of the pause behind the last try: an unclear look before it is no further one. */
export const PAUSE_ENDS = `coalesce(tried_at + least(600, 2 ^ least(tries, 10)) * interval '1 second', '-infinity')`;
