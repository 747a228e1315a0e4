// The process of a lane: runs files of tests one after another, each as one test around its own, so that
// what they load is loaded once. The runner sends a file at a time, and disconnects after the last.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { LaneMessage, LaneOrder } from './test-events.ts';
import { before, testFile } from './test-scopes.ts';

/** What a file must have ended when its tests are over: the next one shall not stand beside it. */
const ENDED: readonly string[] = ['TCPServerWrap', 'PipeServerWrap', 'ProcessWrap'];
/** A process that was told to end takes a moment. */
const GRACE_MILLISECONDS = 5_000;
const LOOK_AGAIN_MILLISECONDS = 20;
const TICKS_PER_SECOND = 100;
/** Fields of /proc/self/stat behind the name: processor time of children that were waited for. */
const CHILDREN_USER_FIELD = 13;

const orders: LaneOrder[] = [];
let wake = () => {};
process.on('message', (order: LaneOrder) => {
  orders.push(order);
  wake();
});
process.on('disconnect', () => process.exit());

for (;;) {
  const order = orders.shift();
  if (order === undefined) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    continue;
  }
  process.env.PARCELA_TEST_PATIENCE = String(order.patience);
  const before = processorSeconds();
  const openBefore = opened();
  await testFile(order.file, () => load(order.file));
  const left = await leftOpen(openBefore);
  const report: LaneMessage = {
    type: 'lane:file',
    file: order.file,
    processorSeconds: processorSeconds() - before,
    left,
    residentBytes: process.memoryUsage.rss(),
  };
  process.send?.(report);
}

/** As where a file has a process of its own, its tests begin once it is evaluated whole. */
async function load(file: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  before(() => promise);
  await import(pathToFileURL(file).href).finally(resolve);
}

/** Of this process and of all that it started and waited for. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childrenSeconds();
}

function childrenSeconds(): number {
  if (process.platform !== 'linux') return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[CHILDREN_USER_FIELD]) + Number(fields[CHILDREN_USER_FIELD + 1]);
  return ticks / TICKS_PER_SECOND;
}

function opened(): readonly string[] {
  return process.getActiveResourcesInfo().filter((name) => ENDED.includes(name));
}

/** What is open more than before, such as "ProcessWrap"; empty: nothing. */
async function leftOpen(before: readonly string[]): Promise<string> {
  const until = performance.now() + GRACE_MILLISECONDS;
  while (opened().length > before.length && performance.now() < until) await pause(LOOK_AGAIN_MILLISECONDS);
  return opened().slice(before.length).join(', ');
}
