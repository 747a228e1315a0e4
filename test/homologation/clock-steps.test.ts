import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { after, before, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { advanceClock } from '../../homologation/clock/advance-clock.ts';
import type { Ran } from '../../homologation/clock/jump.ts';
import { claimJumps, findClock, insertJump, moveHeldClock } from '../../homologation/clock/jumps.sql.ts';
import { openTestClock } from '../../homologation/clock/open-test-clock.ts';
import { clockWork } from '../../homologation/module.ts';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import { type ClockedWork, startWork } from '../../src/platform/work/due-work.ts';

import { askLooks } from '../../src/platform/work/looks.sql.ts';
import { createWakeSignal } from '../../src/platform/work/wake-signal.ts';
import { type Instant, instant } from '../../src/values/instant.ts';
import { DAY } from '../kit/clock.ts';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';
import { until } from '../kit/service.ts';
import {
  addDeliveries,
  clockedDeliveries,
  MERCHANT,
  openPool,
  plantDeliveries,
  triesOf,
} from './clocked-deliveries.ts';

const HOUR = 3_600_000;
/** A clock that stands at an instant goes on by real time while what is due there is run. */
const SLACK = 60_000;
const MOVER = fileURLToPath(new URL('./clock-mover.ts', import.meta.url));

let place: TestDatabase;
let database: Database;
let pool: pg.Pool;
let movers: ChildProcess[] = [];

before(async () => {
  place = await createTestDatabase({ migrated: true });
  database = openDatabase(place.runtime, () => {});
  pool = openPool(place);
});
after(async () => {
  await pool?.end();
  await database?.close();
  await place?.drop();
});
beforeEach(() => {
  movers = [];
});

type Warned = readonly [merchantId: string, kind: string, dueAt: string];

/** Jumps in this process, with these works, and gives what came of it. */
async function jumpHere(
  works: readonly ClockedWork[],
  advanceDays: number,
  patienceMilliseconds = 60_000,
): Promise<{ ran: Ran; now: Instant; warned: Warned[] }> {
  const warned: Warned[] = [];
  const failures: unknown[] = [];
  const testClock = await openTestClock(database);
  const tools = {
    ...{
      database,
      testClock,
      works,
      patienceMilliseconds,
      wakeSignal: createWakeSignal(),
      ended: createWakeSignal(),
    },
    warn: (...reported: Warned) => void warned.push(reported),
    warnOfManySteps: () => assert.fail('too many steps'),
    answerMilliseconds: 120_000,
    stopping: new AbortController().signal,
  };
  const work = startWork([clockWork(tools)], (_, error) => void failures.push(error), {
    ask: askLooks(database),
  });
  const result = await advanceClock(tools, MERCHANT, { advanceDays });
  await work.stop();
  assert.deepEqual(failures, []);
  assert.ok(result.kind === 'arrived', JSON.stringify(result));
  assert.equal(testClock.isJumping(MERCHANT), false);
  return { ran: result.reading.ran, now: result.reading.now, warned };
}

/** That each was tried once, in this order, at its own instant. */
async function assertTried(start: number, dueIn: readonly number[], order: readonly number[]): Promise<void> {
  const tries = await triesOf(pool);
  assert.deepEqual(
    tries.map(({ number }) => number),
    order,
  );
  for (const { number, triedAt } of tries) {
    const late = triedAt - (start + (dueIn[number - 1] as number));
    assert.ok(late > -1_000 && late < SLACK, `delivery ${number} was tried ${late} ms after its instant`);
  }
}

test('everything that falls due in between happens in its order, at its own instant, and nothing beyond', async () => {
  const dueIn = [9 * DAY, 2 * HOUR, 3 * DAY, 3 * DAY, 11 * DAY, -HOUR];
  const start = Date.now();
  await plantDeliveries(pool, dueIn);
  const { ran, now } = await jumpHere([clockedDeliveries(pool)], 10);
  assert.deepEqual(ran, {
    changes: 0,
    preauthorizations: 0,
    boletos: 0,
    pix: 0,
    billings: 0,
    notices: 0,
    deliveries: 5,
  });
  assert.ok(now >= start + 10 * DAY && now < start + 10 * DAY + SLACK);
  // What was due before is tried where the clock stood.
  await assertTried(start, [...dueIn.slice(0, 5), 0], [6, 2, 3, 4, 1]);
  const later = await jumpHere([clockedDeliveries(pool)], 5);
  assert.deepEqual(later.ran, {
    changes: 0,
    preauthorizations: 0,
    boletos: 0,
    pix: 0,
    billings: 0,
    notices: 0,
    deliveries: 1,
  });
  await assertTried(start, [...dueIn.slice(0, 5), 0], [6, 2, 3, 4, 1, 5]);
});

test('what a change brings about is reported at the instant of the change, before anything later', async () => {
  const start = Date.now();
  const dueIn = [5 * DAY, 2 * DAY];
  await plantDeliveries(pool, [5 * DAY]);
  let changesAt: Instant | null = instant(start + 2 * DAY);
  const changes: ClockedWork = {
    name: 'changes',
    earliestDue: async () => changesAt,
    async runDue(merchantId) {
      const shift = (await findClock(database, merchantId))?.shiftMilliseconds ?? 0;
      if (changesAt === null || Date.now() + shift < changesAt) return 0;
      changesAt = null;
      await addDeliveries(pool, [shift]);
      return 1;
    },
  };
  const { ran } = await jumpHere([changes, clockedDeliveries(pool)], 6);
  assert.deepEqual(ran, {
    changes: 1,
    preauthorizations: 0,
    boletos: 0,
    pix: 0,
    billings: 0,
    notices: 0,
    deliveries: 2,
  });
  await assertTried(start, dueIn, [2, 1]);
});

test('what another process holds is waited for, so that the order stays', async () => {
  const dueIn = [DAY, 2 * DAY];
  const start = Date.now();
  await plantDeliveries(pool, dueIn);
  await pool.query(
    "update deliveries set lease_expires_at = now() + interval '2 seconds' where delivery_number = 1",
  );
  const { ran, warned } = await jumpHere([clockedDeliveries(pool)], 3);
  assert.equal(ran.deliveries, 2);
  assert.deepEqual(warned, []);
  await assertTried(start, dueIn, [1, 2]);
});

test('what cannot be run holds the clock for a while only, which is reported; the rest keeps its order', async () => {
  const dueIn = [DAY, 2 * DAY, 2 * DAY + 5 * HOUR];
  const start = Date.now();
  await plantDeliveries(pool, dueIn);
  await pool.query(
    "update deliveries set lease_expires_at = now() + interval '1 hour' where delivery_number = 1",
  );
  const { ran, warned } = await jumpHere([clockedDeliveries(pool)], 3, 300);
  assert.equal(ran.deliveries, 2);
  assert.deepEqual(
    warned.map(([merchantId, kind]) => [merchantId, kind]),
    [[MERCHANT, 'deliveries']],
  );
  const tries = await triesOf(pool);
  assert.deepEqual(
    tries.map(({ number }) => number),
    [2, 3],
  );
  // What is behind the stuck work is not visible: the clock goes on by the hour.
  for (const { number, triedAt } of tries) {
    const late = triedAt - (start + (dueIn[number - 1] as number));
    assert.ok(
      late > -1_000 && late < HOUR + SLACK,
      `delivery ${number} was tried ${late} ms after its instant`,
    );
  }
});

function startMover(): ChildProcess {
  const mover = spawn(process.execPath, [MOVER, JSON.stringify(place.runtime)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  movers.push(mover);
  return mover;
}

async function kill(mover: ChildProcess): Promise<void> {
  if (mover.exitCode !== null || mover.signalCode !== null) return;
  const ended = new Promise((resolve) => mover.once('exit', resolve));
  mover.kill('SIGKILL');
  await ended;
}

const countTries = async () => (await triesOf(pool)).length;

const arrived = () =>
  until(
    'the clock has arrived',
    async () => {
      const clock = await findClock(database, MERCHANT);
      return clock?.target === null && clock;
    },
    120_000,
  );

test('a process is killed in the middle of a jump: the next one goes on to the target and runs nothing twice', async () => {
  const dueIn = Array.from({ length: 60 }, (_, index) => (index + 1) * 5 * HOUR);
  const start = Date.now();
  await plantDeliveries(pool, dueIn);
  try {
    const first = startMover();
    const target = instant(start + 20 * DAY);
    assert.equal(await insertJump(database, MERCHANT, 0, target), 1);
    await until('some of it was run', async () => (await countTries()) >= 15);
    await kill(first);
    const done = await countTries();
    assert.ok(done < dueIn.length, 'the kill came too late to say anything');
    const stopped = await findClock(database, MERCHANT);
    assert.equal(stopped?.target, target);
    assert.ok((stopped?.ran.deliveries ?? 0) > 0);

    startMover();
    const { shiftMilliseconds, ran } = await arrived();
    assert.ok(Date.now() + shiftMilliseconds >= target);
    // What was run just before the kill may not have been counted.
    assert.ok(ran.deliveries >= dueIn.length - 2 && ran.deliveries <= dueIn.length, String(ran.deliveries));
    await assertTried(
      start,
      dueIn,
      dueIn.map((_, index) => index + 1),
    );
  } finally {
    await Promise.all(movers.map(kill));
  }
});

test('of two processes one takes the clock along, and both together run nothing twice', async () => {
  const dueIn = Array.from({ length: 30 }, (_, index) => (index + 1) * 7 * HOUR);
  const start = Date.now();
  await plantDeliveries(pool, dueIn);
  try {
    startMover();
    startMover();
    await insertJump(database, MERCHANT, 0, instant(start + 10 * DAY));
    const { ran } = await arrived();
    assert.equal(ran.deliveries, dueIn.length);
    await assertTried(
      start,
      dueIn,
      dueIn.map((_, index) => index + 1),
    );
  } finally {
    await Promise.all(movers.map(kill));
  }
});

test('a process whose jump was taken over moves the clock no more', async () => {
  await plantDeliveries(pool, []);
  const start = instant(Date.now());
  await insertJump(database, MERCHANT, 0, instant(start + 10 * DAY));
  const [late] = await claimJumps(database, 4, 1);
  assert.ok(late !== undefined);
  const [taken] = await until('its lease is over', async () => {
    const jumps = await claimJumps(database, 4, 60_000);
    return jumps.length > 0 && jumps;
  });
  assert.ok(taken !== undefined);
  const progress = {
    ran: { changes: 7, preauthorizations: 0, boletos: 0, pix: 0, billings: 0, notices: 0, deliveries: 7 },
    steps: 7,
  };
  assert.equal(await moveHeldClock(database, late, instant(start + 9 * DAY), progress, 60_000), null);
  assert.equal((await findClock(database, MERCHANT))?.shiftMilliseconds, 0);
  const shift = await moveHeldClock(database, taken, instant(start + 3 * DAY), progress, 60_000);
  assert.ok(shift !== null && Math.abs(shift - 3 * DAY) < SLACK);
  // An earlier instant does not move it back.
  assert.equal(await moveHeldClock(database, taken, instant(start + DAY), progress, 60_000), shift);
});

test('while the database is away the last known time holds, and it never goes back', async () => {
  await plantDeliveries(pool, []);
  await pool.query('insert into merchant_clocks (merchant_id, shift_milliseconds) values ($1, $2)', [
    MERCHANT,
    5 * DAY,
  ]);
  const own = openDatabase(place.runtime, () => {});
  const testClock = await openTestClock(own);
  await own.close();
  await assert.rejects(testClock.reload());
  const ahead = () => testClock.now(MERCHANT) - Date.now();
  assert.ok(Math.abs(ahead() - 5 * DAY) < SLACK);
  testClock.note(MERCHANT, DAY);
  assert.ok(Math.abs(ahead() - 5 * DAY) < SLACK);
  assert.ok(Math.abs(testClock.now('somebody-else') - Date.now()) < SLACK);
});
