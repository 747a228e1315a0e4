/** A process asks the bank just then: its answer may be older than what is heard now. */
export const IS_LEASED = 'coalesce(leased_until > now(), false)';

/** Of whoever asks from now on. */
export const leasedFor = (milliseconds: string): string =>
  `leased_until = now() + ${milliseconds} * interval '1 millisecond', heard_at = null, fence = o.fence + 1`;

/** A look that is over. What was heard meanwhile brings the next one near. */
export const RELEASED = `look_at = case when look_at is not null then least(look_at, heard_at + interval '2 seconds') end,
     heard_at = null, leased_until = null`;

/** Something is heard: it is looked at now, or, where a process asks, behind its answer. */
export const heardAt = (
  moment: string,
): string => `look_at = case when ${IS_LEASED} then look_at else ${moment} end,
     heard_at = case when ${IS_LEASED} then ${moment} end`;

export const isNews = (moment: string): string =>
  `(look_at > ${moment} or (look_at is not null and ${IS_LEASED}))`;

/** The end of the pause behind the last try: an unclear look before it is no further one. */
export const PAUSE_ENDS = `coalesce(tried_at + least(600, 2 ^ least(tries, 10)) * interval '1 second', '-infinity')`;
