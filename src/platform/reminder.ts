const PAUSE_MILLISECONDS = 600_000;
/** The most reasons that are counted separately within a pause; the rest count as `OTHERS`. */
const MOST_REASONS = 100;
const OTHERS = 'others';

export type Reminder<Fields = void> = {
  /** Reports a reason that is new, or was last reported long ago. */
  report(reason: string, fields: Fields): void;
  /** Drops the unreported occurrences of a reason that no longer holds. */
  drop(reason: string): void;
  /** Forgets all reasons, because all is well: the next one is new. */
  forget(): void;
  close(): void;
};

type Said<Fields> = { at: number; times: number; fields: Fields };

/**
 * Reports a reason once, and then from time to time how often it occurred, also after its end. `times`: since
 * the last report, including this one. `fields`: of the last occurrence; null for `OTHERS`.
 */
export function openReminder<Fields = void>(
  say: (reason: string, times: number, fields: Fields | null) => void,
  {
    now = () => performance.now(),
    pauseMilliseconds = PAUSE_MILLISECONDS,
  }: { readonly now?: () => number; readonly pauseMilliseconds?: number } = {},
): Reminder<Fields> {
  const said = new Map<string, Said<Fields>>();
  let resting: NodeJS.Timeout | null = null;
  const dueIn = ({ at }: Said<Fields>) => at + pauseMilliseconds - now();

  function sayNow(reason: string, times: number, fields: Fields): void {
    said.set(reason, { at: now(), times: 0, fields });
    say(reason, times, reason === OTHERS ? null : fields);
  }

  function sayRest(): void {
    for (const [reason, last] of [...said]) {
      if (dueIn(last) > 0) continue;
      said.delete(reason);
      if (last.times > 0) sayNow(reason, last.times, last.fields);
    }
  }

  function awaitRest(): void {
    const waits = [...said.values()].filter(({ times }) => times > 0).map(dueIn);
    if (resting !== null || waits.length === 0) return;
    resting = setTimeout(
      () => {
        resting = null;
        sayRest();
        awaitRest();
      },
      Math.max(1, Math.min(...waits)),
    ).unref();
  }

  function hasRoom(): boolean {
    if (said.size >= MOST_REASONS) sayRest();
    return said.size < MOST_REASONS;
  }

  function forget(): void {
    said.clear();
    if (resting !== null) clearTimeout(resting);
    resting = null;
  }

  return {
    report(wanted, fields) {
      const reason = said.has(wanted) || hasRoom() ? wanted : OTHERS;
      const last = said.get(reason);
      if (last === undefined || dueIn(last) <= 0) return sayNow(reason, (last?.times ?? 0) + 1, fields);
      last.times += 1;
      last.fields = fields;
      if (resting === null) awaitRest();
    },
    drop(reason) {
      const last = said.get(reason);
      if (last !== undefined) last.times = 0;
    },
    forget,
    close() {
      for (const [reason, { times, fields }] of [...said]) if (times > 0) sayNow(reason, times, fields);
      forget();
    },
  };
}
