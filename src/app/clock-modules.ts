import type { ClockedWork } from '../homologation/clock/jump.ts';
import { type BusinessClock, businessClock } from '../platform/business-clock.ts';
import { DatabaseTime } from '../platform/database-time.ts';
import type { Route } from '../platform/http/endpoint.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Work } from '../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften } from '../platform/work/every-so-often.ts';
import { createWakeSignal } from '../platform/work/wake-signal.ts';
import type { Ground } from './infrastructure.ts';

export type BusinessTime = {
  readonly clock: BusinessClock;
  /** While a merchant's clock jumps, whoever is called has a second to answer. */
  readonly isJumping: (merchantId: string) => boolean;
  /** What moves the clocks, given all that falls due by them: in the order in which it runs at one instant. */
  readonly openJumps: (clocked: readonly ClockedWork[]) => { routes: Route[]; works: Work[] };
  /** Nobody waits for the end of a jump any more. */
  readonly letGo: () => Promise<void>;
};

/** What is due and cannot be run keeps the clock for longer than any lease on it: whoever died with one is outwaited. */
const PATIENCE_MILLISECONDS = 45_000;

/** How often production reads the database's clock. */
const FOLLOW_MILLISECONDS = 1_000;

/** Business time: the database's in production; in homologation each merchant can move its own. */
export async function openBusinessTime(ground: Ground, database: Database): Promise<BusinessTime> {
  if (ground.configuration.environment === 'production') {
    const time = new DatabaseTime();
    const follow = () => time.follow(database);
    await ground.persist(follow);
    return {
      clock: businessClock(time),
      isJumping: () => false,
      openJumps: () => ({
        routes: [],
        works: [alsoWhileHeld(everySoOften('followDatabaseTime', FOLLOW_MILLISECONDS, follow))],
      }),
      letGo: async () => {},
    };
  }
  return openTestTime(ground, database);
}

async function openTestTime(
  { configuration, log, persist }: Ground,
  database: Database,
): Promise<BusinessTime> {
  const { openTestClock } = await import('../homologation/clock/open-test-clock.ts');
  const { clockRoutes } = await import('../homologation/clock/routes.ts');
  const { clockWork, followClocks } = await import('../homologation/clock/work.ts');
  const stopping = new AbortController();
  const testClock = await persist(() => openTestClock(database));
  const shared = { database, testClock, wakeSignal: createWakeSignal(), ended: createWakeSignal() };
  return {
    clock: testClock,
    isJumping: testClock.isJumping,
    openJumps: (works) => ({
      routes: clockRoutes({
        ...shared,
        answerMilliseconds: configuration.clockAnswerMilliseconds,
        stopping: stopping.signal,
      }),
      works: [
        followClocks(testClock),
        clockWork({
          ...shared,
          works,
          patienceMilliseconds: PATIENCE_MILLISECONDS,
          warn: (merchantId, kind, dueAt) =>
            log.warn({ merchantId, kind, dueAt }, 'the test clock went past something that could not be run'),
          warnOfManySteps: (merchantId) =>
            log.warn(
              { merchantId },
              'the test clock passed the rest of a jump at once: too much fell due in it',
            ),
        }),
      ],
    }),
    letGo: async () => stopping.abort(),
  };
}
