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
  /** All is well: the next reason is new. */
  forget(): void;
};

/**
 * Reports what is wrong once, and again from time to time while it goes on. `times`: how often it
 * occurred since the last report, this time included.
 */
export function openReminder<Fields = void>(
  say: (reason: string, times: number, fields: Fields) => void,
  {
    now = () => performance.now(),
    pauseMilliseconds = PAUSE_MILLISECONDS,
  }: { readonly now?: () => number; readonly pauseMilliseconds?: number } = {},
): Reminder<Fields> {
  const said = new Map<string, { at: number; times: number }>();
  const isDue = ({ at }: { readonly at: number }) => now() - at >= pauseMilliseconds;

  function hasRoom(): boolean {
    if (said.size < MOST_REASONS) return true;
    for (const [reason, last] of said) if (isDue(last)) said.delete(reason);
    return said.size < MOST_REASONS;
  }

  return {
    report(wanted, fields) {
      const reason = said.has(wanted) || hasRoom() ? wanted : OTHERS;
      const last = said.get(reason);
      if (last !== undefined && !isDue(last)) {
        last.times += 1;
        return;
      }
      said.set(reason, { at: now(), times: 0 });
      say(reason, (last?.times ?? 0) + 1, fields);
    },
    forget: () => said.clear(),
  };
}
