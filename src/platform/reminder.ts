/** The pause between two reports of the same reason, unless another is given. */
const PAUSE_MILLISECONDS = 600_000;
/** More reasons than ever occur; one that comes up again after so many others is new. */
const MOST_REASONS = 100;

export type Reminder = {
  /** Reports the reason when it is new, or was reported long ago. */
  report(reason: string): void;
  /** All is well: the next reason is new. */
  forget(): void;
};

/**
 * Reports what is wrong once, and again from time to time while it goes on. `times`: how often it
 * occurred since the last report, this time included.
 */
export function openReminder(
  say: (reason: string, times: number) => void,
  {
    now = () => performance.now(),
    pauseMilliseconds = PAUSE_MILLISECONDS,
  }: { readonly now?: () => number; readonly pauseMilliseconds?: number } = {},
): Reminder {
  const said = new Map<string, { at: number; times: number }>();
  return {
    report(reason) {
      const last = said.get(reason);
      if (last !== undefined && now() - last.at < pauseMilliseconds) {
        last.times += 1;
        return;
      }
      if (said.size >= MOST_REASONS) said.clear();
      said.set(reason, { at: now(), times: 0 });
      say(reason, (last?.times ?? 0) + 1);
    },
    forget: () => said.clear(),
  };
}
