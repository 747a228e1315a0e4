/** The pause between two reports of the same reason, unless another is given. */
const PAUSE_MILLISECONDS = 600_000;
/** So many reasons are counted apart within a pause. */
const MOST_REASONS = 100;
/** All reasons beyond, as one. */
const OTHERS = 'others';

/** `Fields`: what is known of one occurrence. */
export type Reminder<Fields = void> = {
  /** Reports the reason when it is new, or was reported long ago. */
  report(reason: string, fields: Fields): void;
  /** What is still owed of the reason is not said any more: it is not so now. */
  drop(reason: string): void;
  /** All is well: the next reason is new. */
  forget(): void;
};

type Said<Fields> = { at: number; times: number; fields: Fields };

/**
 * Reports what is wrong once, and from time to time how often it occurred since: while it goes on, and when
 * it has ended. `times`: since the last report, this time included. `fields`: of the last occurrence; null
 * of all reasons beyond, for what is known of one says nothing of the others.
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

  /** Of those whose pause is over: what was not said yet; the others are long ago. */
  function sayRest(): void {
    for (const [reason, last] of [...said]) {
      if (dueIn(last) > 0) continue;
      said.delete(reason);
      if (last.times > 0) sayNow(reason, last.times, last.fields);
    }
  }

  /** One timer for all of them, of those alone that have something to say. */
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
    forget() {
      said.clear();
      if (resting !== null) clearTimeout(resting);
      resting = null;
    },
  };
}
