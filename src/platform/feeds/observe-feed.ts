import type { Log } from '../log.ts';
import { openReminder } from '../reminder.ts';
import type { FeedOptions } from './open-feed.ts';

type Counter = { inc(labels: { readonly outcome: string }): void };

/** How a feed is seen: its metrics, made by its module, and the sentences of its log. */
export type FeedView = {
  readonly log: Log;
  /** Questions, by how they were answered. */
  readonly pages: Counter;
  /** Changes, by what came of them. */
  readonly outcomes: Counter;
  /** Given the age of the newest page that this process read; before the first, how long it runs. */
  readonly showAge: (seconds: () => number) => void;
  readonly sentences: Readonly<Record<'silent' | 'back' | 'unreadable', string>>;
};

type FeedObservers = Pick<FeedOptions<never, never>, 'observePull' | 'observeUnreadable'>;

export function observeFeed({ log, pages, outcomes, showAge, sentences }: FeedView): FeedObservers {
  const silence = openReminder((reason, times) => log.warn({ reason, times }, sentences.silent));
  const unreadable = openReminder((reason, times) => log.warn({ reason, times }, sentences.unreadable));
  let isSilent = false;
  let readAt = performance.now();
  showAge(() => (performance.now() - readAt) / 1_000);
  return {
    observePull(outcome, reason) {
      pages.inc({ outcome });
      if (outcome !== 'unknown') readAt = performance.now();
      if (reason !== null) silence.report(reason);
      else if (isSilent) {
        silence.forget();
        log.info({}, sentences.back);
      }
      isSilent = reason !== null;
    },
    observeUnreadable({ reason }) {
      outcomes.inc({ outcome: 'unreadable' });
      unreadable.report(reason);
    },
  };
}
