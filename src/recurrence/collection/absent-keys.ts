/** How long billings wait whose card's key is not there, before they are looked at again. */
const SHORTEST_WAIT_SECONDS = 30;
const LONGEST_WAIT_SECONDS = 3_600;
/** The operator is reminded so often. */
const REMINDER_SECONDS = 60;

/**
 * Half the time for which the key is missing: what is put back soon is found soon, and a night
 * without it costs few looks.
 */
export function secondsUntilKeyIsSought(missingSeconds: number): number {
  return Math.round(Math.min(LONGEST_WAIT_SECONDS, Math.max(SHORTEST_WAIT_SECONDS, missingSeconds / 2)));
}

/** Data keys that this process has missed. */
export type AbsentKeys = {
  /**
   * Notes that a key is missing: how long what it sealed waits, and whether its operator is to be
   * warned (again).
   */
  note(
    dataKeyId: number,
    nowSeconds: number,
  ): { readonly waitSeconds: number; readonly isToBeLogged: boolean };
};

type Missing = {
  readonly sinceSeconds: number;
  readonly seenAtSeconds: number;
  readonly loggedAtSeconds: number;
};

export function openAbsentKeys(): AbsentKeys {
  const missing = new Map<number, Missing>();
  return {
    note(dataKeyId, now) {
      const known = missing.get(dataKeyId);
      // Not missed for longer than anything waits: it was there in between.
      const isKnown = known !== undefined && now - known.seenAtSeconds <= 2 * LONGEST_WAIT_SECONDS;
      const one = isKnown ? known : { sinceSeconds: now, seenAtSeconds: now, loggedAtSeconds: -Infinity };
      const isToBeLogged = now - one.loggedAtSeconds >= REMINDER_SECONDS;
      missing.set(dataKeyId, {
        ...one,
        seenAtSeconds: now,
        loggedAtSeconds: isToBeLogged ? now : one.loggedAtSeconds,
      });
      return { waitSeconds: secondsUntilKeyIsSought(now - one.sinceSeconds), isToBeLogged };
    },
  };
}
