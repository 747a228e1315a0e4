import type { BusinessClock } from '../business-clock.ts';
import type { counter, gauge } from '../metrics.ts';
import type { ModuleContext } from '../module.ts';
import type { Database } from '../postgres/database.ts';
import { openReminder } from '../reminder.ts';
import type { Work } from '../work/due-work.ts';
import { createWakeSignal } from '../work/wake-signal.ts';
import { type Applying, applyingWork, applyWaitingOf } from './apply-changes.ts';
import type {
  FeedCursor,
  FeedPace,
  FeedPage,
  FeedRequest,
  NoPage,
  UnreadableItem,
  WaitingChange,
} from './feed.ts';
import type { FeedCursors } from './feed-cursors.sql.ts';

type FeedOptions<Page extends FeedPage, Change extends WaitingChange> = {
  readonly name: string;
  readonly cursors: FeedCursors<Page>;
  /** The systems that report, also those that get nothing new. */
  readonly providers: () => readonly string[];
  readonly ask: (
    provider: string,
    request: FeedRequest,
    timeoutMilliseconds: number,
  ) => Promise<Page | NoPage>;
  readonly timeoutMilliseconds: number;
  readonly mostChanges: number;
  /** Requests at the same time. The other connections to the provider are for other callers. */
  readonly pullsAtOnce: number;
  readonly pauseSeconds: number;
  /**
   * Production: one request for all merchants. Homologation: one for each, by its own clock. A cell also asks
   * for each merchant, because other cells have the other merchants.
   */
  readonly isForAllMerchants: boolean;
  /** Counts the answers. */
  readonly pages: ReturnType<typeof counter<'outcome'>>;
  /** Seconds since this process read the newest page of each provider; before the first, since its start. */
  readonly age: ReturnType<typeof gauge<'provider'>>;
  /** The log's sentence for items that cannot be read. */
  readonly unreadable: string;
  readonly applying: Applying<Change>;
};

type FeedContext = Pick<ModuleContext, 'clock' | 'log' | 'metrics'>;

type Pulling<Page extends FeedPage, Change extends WaitingChange> = FeedOptions<Page, Change> & {
  readonly clock: BusinessClock;
  readonly observePull: (provider: string, outcome: string) => void;
  readonly observeUnreadable: (item: UnreadableItem) => void;
};

/** The changes that another system reports: stored page by page, applied one by one. */
export type Feed = {
  readonly database: Database;
  readonly clock: BusinessClock;
  readonly works: readonly Work[];
  cursorOf(provider: string, merchantId: string): Promise<string | null>;
  /**
   * Pulls and applies this merchant's changes up to its business time, for forced events and clock jumps.
   * Throws when no answer comes. Gives the number of new changes.
   */
  pullAndApplyOf(merchantId: string): Promise<number>;
};

/** `more`: asking again at once brings more. `none`: no clear answer. `kept`: new changes. */
type Pulled = { readonly state: 'more' | 'done' | 'none'; readonly kept: number };

/**
 * The most pages of one call: enough for a jump of two years with thousands of open installments. Background
 * work goes on beyond it.
 */
const MOST_PAGES = 10_000;
const LEASE_MARGIN_MILLISECONDS = 5_000;
/** How soon the first request follows a merchant's first charge or boleto. */
const LOOK_FOR_NEW_MILLISECONDS = 2_000;
/** Where each merchant is asked for by itself, one without changes is asked for less often. */
const LONGEST_QUIET_FACTOR = 10;

export function openFeed<Page extends FeedPage, Change extends WaitingChange>(
  context: FeedContext,
  declared: FeedOptions<Page, Change>,
): Feed {
  const { clock } = context;
  const options = { ...declared, clock, ...observersOf(context, declared) };
  const { cursors, isForAllMerchants, applying } = options;
  const { database } = applying;
  const open = (provider: string, merchantId: string) =>
    cursors.open(database, provider, isForAllMerchants ? null : merchantId);

  async function pullAndApply(provider: string, merchantId: string): Promise<number> {
    let brought = 0;
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const { state, kept } = await pullPage(options, await open(provider, merchantId));
      if (state === 'none') throw new Error(`${options.name}: no changes were reported`);
      await applyWaitingOf(applying, merchantId);
      brought += kept;
      if (state === 'done') break;
    }
    return brought;
  }

  return {
    database,
    clock,
    works: [pullingWork(options), applyingWork(applying)],
    cursorOf: async (provider, merchantId) => (await open(provider, merchantId)).cursor,
    async pullAndApplyOf(merchantId) {
      let brought = 0;
      for (const provider of options.providers()) brought += await pullAndApply(provider, merchantId);
      return brought;
    },
  };
}

function observersOf<Page extends FeedPage, Change extends WaitingChange>(
  { log, metrics }: FeedContext,
  { providers, applying, ...declared }: FeedOptions<Page, Change>,
): Pick<Pulling<Page, Change>, 'observePull' | 'observeUnreadable'> {
  const openedAt = performance.now();
  const readAt = new Map<string, number>();
  const pages = metrics.counter(declared.pages);
  const unreadable = openReminder((reason, times) => log.warn({ reason, times }, declared.unreadable));
  metrics.gauge(declared.age, (age) => {
    const now = performance.now();
    for (const provider of providers())
      age.set({ provider }, (now - (readAt.get(provider) ?? openedAt)) / 1_000);
  });
  return {
    observePull(provider, outcome) {
      pages.inc({ outcome });
      if (outcome !== 'unknown') readAt.set(provider, performance.now());
    },
    observeUnreadable({ reason }) {
      applying.outcomes.inc({ outcome: 'unreadable' });
      unreadable.report(reason);
    },
  };
}

function pullingWork<Page extends FeedPage, Change extends WaitingChange>(
  options: Pulling<Page, Change>,
): Work {
  const { name, cursors, providers, isForAllMerchants, pullsAtOnce } = options;
  const { database } = options.applying;
  const lease = options.timeoutMilliseconds + LEASE_MARGIN_MILLISECONDS;
  let opensAt = 0;
  const opened = new Set<string>();

  async function openCursors(): Promise<void> {
    const added = providers().filter((provider) => !opened.has(provider));
    if (isForAllMerchants) {
      for (const provider of added) await cursors.open(database, provider, null);
    } else {
      if (performance.now() < opensAt && added.length === 0) return;
      await cursors.openOfNew(database, providers());
      opensAt = performance.now() + LOOK_FOR_NEW_MILLISECONDS;
    }
    for (const provider of added) opened.add(provider);
  }

  return {
    name,
    wakeSignal: createWakeSignal(),
    async runDue() {
      await openCursors();
      const claimed = await cursors.claim(database, providers(), isForAllMerchants, pullsAtOnce, lease);
      await Promise.all(claimed.map((cursor) => pullPage(options, cursor)));
      return claimed.length;
    },
    look: {
      piece: cursors.earliest,
      values: () => [providers(), !isForAllMerchants, !isForAllMerchants && performance.now() >= opensAt],
    },
    millisecondsUntilDue: (found) =>
      providers().every((provider) => opened.has(provider)) ? (found as number | null) : 0,
  };
}

/**
 * Requests the next page and stores it in the commit that moves the cursor. A repeated change is stored once.
 * A page is dropped if the cursor was moved meanwhile, so any number of processes may ask.
 */
async function pullPage<Page extends FeedPage, Change extends WaitingChange>(
  options: Pulling<Page, Change>,
  cursor: FeedCursor,
): Promise<Pulled> {
  const { clock, cursors, applying, pauseSeconds, isForAllMerchants } = options;
  const { provider, merchantId } = cursor;
  const until = clock.now(merchantId ?? '');
  const request = { merchantId, cursor: cursor.cursor, until, limit: options.mostChanges };
  const answer = await options.ask(provider, request, options.timeoutMilliseconds);
  if (!isPage(answer)) {
    options.observePull(provider, answer.kind);
    await cursors.postpone(applying.database, cursor, pauseSeconds);
    return { state: 'none', kept: 0 };
  }
  const pace: FeedPace = { pauseSeconds, longestQuietFactor: isForAllMerchants ? 1 : LONGEST_QUIET_FACTOR };
  const isKept = await cursors.keep(applying.database, cursor, answer, pace);
  options.observePull(provider, answer.kind);
  if (isKept) for (const item of answer.unreadable) options.observeUnreadable(item);
  if (answer.changes.length > 0) applying.wakeSignal.notify();
  // After a dropped page: the process that moved the cursor may have read less than this answer has.
  return { state: answer.hasMore || !isKept ? 'more' : 'done', kept: isKept ? answer.changes.length : 0 };
}

function isPage<Page extends FeedPage>(answer: Page | NoPage): answer is Page {
  return answer.kind === 'changes';
}
