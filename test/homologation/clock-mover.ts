import { openTestClock } from '../../homologation/clock/open-test-clock.ts';
import { clockWork } from '../../homologation/module.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { startWork } from '../../src/platform/work/due-work.ts';
import { askLooks } from '../../src/platform/work/looks.sql.ts';
import { createWakeSignal } from '../../src/platform/work/wake-signal.ts';
import type { TestDatabaseAddress } from '../kit/database.ts';
import { clockedDeliveries, openPool } from './clocked-deliveries.ts';

/**
 * A process that takes clocks along until it is killed. Its argument: the address of the database,
 * as JSON.
 */
const runtime = JSON.parse(process.argv[2] ?? '') as TestDatabaseAddress;
const PAUSE_MILLISECONDS = 25;

const database = openDatabase(runtime, () => {});
const tools = {
  database,
  testClock: await openTestClock(database),
  works: [clockedDeliveries(openPool({ address: runtime }), PAUSE_MILLISECONDS)],
  patienceMilliseconds: 60_000,
  warn: (...reported: unknown[]) => console.error('went past', ...reported),
  warnOfManySteps: () => console.error('too many steps'),
  wakeSignal: createWakeSignal(),
  ended: createWakeSignal(),
};
startWork([clockWork(tools)], (name, error) => console.error(name, error), {
  ask: askLooks(tools.database),
});
