/** Of a look that is over: what was heard while the bank was asked brings the next one near. */
export function nextLook(at: string): string {
  return `look_at = least(${at}, heard_at + interval '2 seconds'), heard_at = null, leased_until = null`;
}

/** Now, unless a process asks the bank just then: its answer may be older than what was heard. */
export function earlierLook(at: string): string {
  return `look_at = case when leased_until > now() then look_at else ${at} end,
     heard_at = case when leased_until > now() then ${at} end`;
}

/** Real time, in milliseconds. */
export function lease(milliseconds: string): string {
  return `leased_until = now() + ${milliseconds} * interval '1 millisecond', heard_at = null`;
}

/** An unclear look that comes before the pause behind the last one is over is no further try. */
export function countedTries({ reason, now }: { readonly reason: string; readonly now: string }): string {
  const isFurther = `tried_at is null or tried_at + least(600, 2 ^ least(tries, 10)) * interval '1 second' <= ${now}`;
  return `tries = case when ${reason} is null then 0 when ${isFurther} then least(tries + 1, 32000) else tries end,
     tried_at = case when ${reason} is null then null when ${isFurther} then ${now} else tried_at end`;
}
