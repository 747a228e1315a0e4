import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { openGate } from '../../src/platform/gate.ts';
import { startWork, type Work } from '../../src/platform/work/due-work.ts';
import { createWakeSignal, type WakeSignal } from '../../src/platform/work/wake-signal.ts';
import { patiently } from '../kit/patience.ts';

/** Between two runs, in milliseconds, also where there is more to do. */
const SMALLEST_PAUSE = 5;
/** Between two looks, while nothing is due. */
const LOOK = 1_000;

/** No errors are expected. */
const unheard = (name: string, error: unknown) => assert.fail(`${name}: ${error}`);

/** A work whose `runDue` does what the test says, and when it ran. */
function workOf(
  runDue: (run: number, signal: AbortSignal) => Promise<number> | number,
  millisecondsUntilDue: (found: unknown) => number | null = () => null,
): Work & { readonly wakeSignal: WakeSignal; readonly ranAt: number[] } {
  const ranAt: number[] = [];
  return {
    name: 'test',
    wakeSignal: createWakeSignal(),
    ranAt,
    runDue: async (signal) => {
      ranAt.push(performance.now());
      return runDue(ranAt.length, signal);
    },
    millisecondsUntilDue,
  };
}

/** A work that is due when its look says so. */
function lookedFor(runDue: (run: number) => number = () => 0): ReturnType<typeof workOf> {
  const work = workOf(runDue, (found) => found as number | null);
  return { ...work, look: { piece: { name: 'test', text: '' } } };
}

/** A bound for waits that should end at once. */
const PATIENCE_MILLISECONDS = 30_000;

async function until(condition: () => boolean): Promise<void> {
  const endsAt = performance.now() + patiently(PATIENCE_MILLISECONDS);
  while (!condition()) {
    assert.ok(performance.now() < endsAt, 'waited in vain');
    await pause(2);
  }
}

/** All that happens without a timer has happened. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await turn();
}

/** No timer ends but those whose time `pass` lets pass. */
async function withStoppedTimers(
  run: (pass: (milliseconds: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    await run(async (milliseconds) => {
      mock.timers.tick(milliseconds);
      await settle();
    });
  } finally {
    mock.timers.reset();
  }
}

type Pass = (milliseconds: number) => Promise<void>;

/** Lets time pass slowly: what one timer brings about may set the next one. Gives how long it was. */
async function passUntil(pass: Pass, isOver: (passed: number) => boolean): Promise<number> {
  let passed = 0;
  for (; !isOver(passed); passed += SMALLEST_PAUSE) {
    assert.ok(passed < PATIENCE_MILLISECONDS, 'waited in vain');
    await pass(SMALLEST_PAUSE);
  }
  return passed;
}

/** The loop sleeps exactly so long after its first run. */
async function assertSleeps(
  work: Parameters<typeof startWork>[0][number] & { readonly ranAt: readonly number[] },
  milliseconds: number,
): Promise<void> {
  await withStoppedTimers(async (pass) => {
    const running = startWork([work], unheard);
    await settle();
    await pass(milliseconds - 1);
    assert.equal(work.ranAt.length, 1);
    await pass(1);
    assert.equal(work.ranAt.length, 2);
    await running.stop();
  });
}

test('a notify during the work is not missed', async () => {
  await withStoppedTimers(async (pass) => {
    const work = workOf((run) => {
      if (run === 1) work.wakeSignal.notify();
      return 0;
    });
    const running = startWork([work], unheard);
    await settle();
    await pass(SMALLEST_PAUSE);
    assert.equal(work.ranAt.length, 2);
    await running.stop();
  });
});

test('a notify while the work sleeps wakes it at once', async () => {
  await withStoppedTimers(async () => {
    const work = workOf(() => 0);
    const running = startWork([work], unheard);
    await settle();
    assert.equal(work.ranAt.length, 1);
    work.wakeSignal.notify();
    await settle();
    assert.equal(work.ranAt.length, 2);
    await running.stop();
  });
});

test('works that wait for nothing ask nothing by themselves: one look a second asks for all of them', async () => {
  const works = [lookedFor(), lookedFor(), workOf(() => 0)] as const;
  const asked: number[] = [];
  let found: (number | null)[] = [null, null];
  const ask = async (looks: readonly unknown[]) => {
    asked.push(looks.length);
    return found;
  };
  await withStoppedTimers(async (pass) => {
    const running = startWork(works, unheard, { ask });
    await settle();
    const passed = await passUntil(pass, () => asked.length === 4);
    assert.ok(passed > 2.5 * LOOK, `three looks in ${passed} ms`);
    assert.deepEqual(
      works.map(({ ranAt }) => ranAt.length),
      [0, 0, 1],
    );
    // Another process has left something behind for the second.
    found = [null, 0];
    await passUntil(pass, () => works[1].ranAt.length > 0);
    assert.deepEqual(
      works.map(({ ranAt }) => ranAt.length),
      [0, 1, 1],
    );
    await running.stop();
  });
  assert.deepEqual(new Set(asked), new Set([2]));
});

test('work wakes when the row that its look has found falls due', async () => {
  const work = lookedFor();
  await withStoppedTimers(async (pass) => {
    const running = startWork([work], unheard, { ask: async () => [700] });
    await settle();
    await pass(699);
    assert.equal(work.ranAt.length, 0);
    await pass(1);
    assert.equal(work.ranAt.length, 1);
    await running.stop();
  });
});

test('a look that was begun before the work ran says nothing of what is left', async () => {
  const answers: ((found: unknown[]) => void)[] = [];
  const work = lookedFor();
  const running = startWork([work], unheard, {
    ask: () => new Promise((resolve) => answers.push(resolve)),
  });
  work.wakeSignal.notify();
  await until(() => work.ranAt.length === 1);
  answers.shift()?.([0]);
  await until(() => answers.length === 1);
  assert.equal(work.ranAt.length, 1);
  answers.shift()?.([0]);
  await until(() => work.ranAt.length === 2);
  const stopped = running.stop();
  answers.shift()?.([null]);
  await stopped;
});

test('where a look fails every work looks for itself', async () => {
  const errors: string[] = [];
  const work = lookedFor();
  const running = startWork([work], (name, error) => errors.push(`${name}: ${(error as Error).message}`), {
    ask: async () => {
      throw new Error('away');
    },
  });
  await until(() => work.ranAt.length === 3);
  await running.stop();
  assert.equal(errors[0], 'look: away');
});

test('work wakes at its own time', async () => {
  await assertSleeps(
    workOf(
      () => 0,
      () => 100,
    ),
    100,
  );
});

test('while rows are claimed the work goes on without sleeping', async () => {
  await withStoppedTimers(async (pass) => {
    const work = workOf((run) => (run < 20 ? 10 : 0));
    const running = startWork([work], unheard);
    await settle();
    for (let runs = 1; runs < 20; runs += 1) await pass(SMALLEST_PAUSE);
    assert.equal(work.ranAt.length, 20);
    await running.stop();
  });
});

test('work that is due again without having done anything waits ever longer, up to a second, and is counted', async () => {
  let claimed = 0;
  const work = workOf(
    () => claimed,
    () => 0,
  );
  const idleTurns: string[] = [];
  await withStoppedTimers(async (pass) => {
    const running = startWork([work], unheard, { onIdleTurn: (name) => idleTurns.push(name) });
    await settle();
    for (const milliseconds of [5, 10, 20, 40, 80, 160, 320, 640, 1_000, 1_000]) {
      const before = work.ranAt.length;
      await pass(milliseconds - 1);
      assert.equal(work.ranAt.length, before);
      await pass(1);
      assert.equal(work.ranAt.length, before + 1);
    }
    assert.deepEqual(idleTurns, Array(10).fill('test'));
    // A row was unlocked: it goes on as if nothing had been.
    claimed = 1;
    await pass(1_000);
    claimed = 0;
    await pass(SMALLEST_PAUSE);
    await pass(SMALLEST_PAUSE);
    assert.equal(idleTurns.length, 11);
    await running.stop();
  });
});

test('looks that say again that something is due put it off no further', async () => {
  const work = lookedFor();
  let isDue = true;
  await withStoppedTimers(async (pass) => {
    const running = startWork([work], unheard, { ask: async () => [isDue ? 0 : null] });
    await settle();
    await passUntil(pass, (passed) => passed === 30 * LOOK - SMALLEST_PAUSE);
    assert.ok(work.ranAt.length > 20, `it ran ${work.ranAt.length} times`);
    assert.ok(work.ranAt.length < 40, `it ran ${work.ranAt.length} times`);
    isDue = false;
    await passUntil(pass, (passed) => passed >= LOOK);
    const ran = work.ranAt.length;
    await passUntil(pass, (passed) => passed >= 2 * LOOK);
    assert.equal(work.ranAt.length, ran, 'what others have worked off is tried no more');
    await running.stop();
  });
});

test('stop waits for what is under way, and says so to the work', async () => {
  let isOver = false;
  let wasNotified = false;
  const work = workOf(async (_run, signal) => {
    await pause(100);
    wasNotified = signal.aborted;
    isOver = true;
    return 5;
  });
  const running = startWork([work], unheard);
  await until(() => work.ranAt.length === 1);
  await running.stop();
  assert.ok(isOver && wasNotified);
  const { length } = work.ranAt;
  work.wakeSignal.notify();
  await pause(50);
  assert.equal(work.ranAt.length, length, 'nothing runs after stop');
});

test('stop ends a sleep at once', async () => {
  await withStoppedTimers(async () => {
    const work = workOf(() => 0);
    const running = startWork([work], unheard);
    await settle();
    // It would never end otherwise: no timer does.
    await running.stop();
    assert.equal(work.ranAt.length, 1);
  });
});

test('an error is reported and does not end the loop; while errors last it waits ever longer', async () => {
  const errors: unknown[] = [];
  const work = workOf((run) => {
    if (run <= 2) throw new Error(`error ${run}`);
    return 0;
  });
  await withStoppedTimers(async (pass) => {
    const running = startWork([work], (name, error) => errors.push(`${name}: ${(error as Error).message}`));
    await settle();
    for (const milliseconds of [200, 400]) {
      const before = work.ranAt.length;
      await pass(milliseconds - 1);
      assert.equal(work.ranAt.length, before);
      await pass(1);
      assert.equal(work.ranAt.length, before + 1);
    }
    await running.stop();
  });
  assert.deepEqual(errors, ['test: error 1', 'test: error 2']);
});

test('one work does not hold up another', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const slow = workOf(() => promise);
  const quick = workOf((run) => (run < 5 ? 1 : 0));
  const running = startWork([slow, quick], unheard);
  await until(() => quick.ranAt.length === 5);
  assert.equal(slow.ranAt.length, 1);
  resolve(0);
  await running.stop();
});

test('a wakeSignal calls each listener once, and none that has stopped listening', () => {
  const wakeSignal = createWakeSignal();
  const received: string[] = [];
  wakeSignal.onceNotified(() => received.push('first'));
  const stopListening = wakeSignal.onceNotified(() => received.push('second'));
  stopListening();
  wakeSignal.notify();
  wakeSignal.notify();
  assert.deepEqual(received, ['first']);
  assert.equal(wakeSignal.count(), 2);
});

test('a listener that listens again at a notify wakes at the next notify, not the same', () => {
  const wakeSignal = createWakeSignal();
  let wakes = 0;
  const listen = () => {
    wakeSignal.onceNotified(() => {
      wakes += 1;
      listen();
    });
  };
  listen();
  wakeSignal.notify();
  assert.equal(wakes, 1);
  wakeSignal.notify();
  assert.equal(wakes, 2);
});

test('while the gate is shut nothing runs but what only looks, and a run under way ends', async () => {
  const gate = openGate(false, () => {});
  const runs: string[] = [];
  const acting = workOf(async (_run, signal) => {
    runs.push('began');
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    runs.push('ended');
    return 1;
  });
  const looking = { ...workOf(() => 0), runsWhileHeld: true as const };
  const running = startWork([acting, looking], unheard, { gate });
  await until(() => runs.length === 1);
  gate.hold('restored', 'a copy');
  await until(() => runs.length === 2);
  const looks = looking.ranAt.length;
  looking.wakeSignal.notify();
  acting.wakeSignal.notify();
  await until(() => looking.ranAt.length > looks);
  assert.deepEqual(runs, ['began', 'ended']);
  gate.open();
  await until(() => runs.length === 3);
  await running.stop();
  assert.deepEqual(runs, ['began', 'ended', 'began', 'ended']);
});

test('work that waits for the gate stops at once', async () => {
  const gate = openGate(true, () => {});
  const work = workOf(() => assert.fail('it ran'));
  await startWork([work], unheard, { gate }).stop();
});
