import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LaneMessage, LaneOrder, TestMessage } from './test-events.ts';
import { type FileReport, type FileResult, openFileReport } from './test-report.ts';
import type { Turns } from './test-turns.ts';

const REPORTER = fileURLToPath(new URL('test-events.ts', import.meta.url));
const PROGRAM = fileURLToPath(new URL('test-lane.ts', import.meta.url));
/**
 * How long what a lane started may take to end before it is killed: a service finishes its requests,
 * PostgreSQL its writes.
 */
const END_MILLISECONDS = 15_000;
const LOOK_AGAIN_MILLISECONDS = 20;
const WATCH_MILLISECONDS = 1_000;
/**
 * Megabytes: what a request leaves is collected half as often, 2 % of what a lane costs, and a lane that is
 * loading marks nothing that it keeps anyway, up to 13 % of a short one.
 */
const HEAP = ['--max-semi-space-size=32', '--initial-heap-size=1000'];
/** A lane that has grown beyond it makes way for a new one. */
const MOST_RESIDENT_BYTES = 1_500 * 1024 * 1024;

export type LaneLimits = {
  /** How many times longer than on a quiet machine everything may take, now. */
  readonly patience: () => number;
  /** Of a test, on a quiet machine. */
  readonly testMilliseconds: number;
  /** A file is over with the first test that fails by what it found. */
  readonly isUntilFinding: boolean;
};

/** A process in which files of tests run one after another. */
type Lane = {
  readonly child: ChildProcess;
  run(file: string): Promise<FileResult>;
  readonly isSpent: boolean;
};

/**
 * Runs the files in turns, the first ones first. Each lane is a group of processes, and ends
 * whole, with what tests left behind in it, also when the run is stopped.
 */
export async function runFiles(
  files: readonly string[],
  turns: Turns,
  limits: LaneLimits,
  signal: AbortSignal,
): Promise<Map<string, FileResult>> {
  const results = new Map<string, FileResult>();
  const atWork = new Set<Promise<void>>();
  const resting: Lane[] = [];
  async function take(file: string): Promise<void> {
    // The one that worked last: its modules are loaded, where another one would load them again.
    const lane = resting.pop() ?? openLane(limits, signal);
    results.set(file, await lane.run(file));
    turns.end();
    if (lane.isSpent) await endGroup(lane.child);
    else resting.push(lane);
  }
  for (const file of files) {
    await turns.begin();
    if (signal.aborted) break;
    const work = take(file).finally(() => atWork.delete(work));
    atWork.add(work);
  }
  await Promise.all(atWork);
  await Promise.all(resting.map(endLane));
  return results;
}

function openLane(limits: LaneLimits, signal: AbortSignal): Lane {
  const options = [`--test-reporter=${REPORTER}`, '--test-reporter-destination=stdout'];
  const child = spawn(process.execPath, [...HEAP, ...options, PROGRAM], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let report: FileReport | null = null;
  let finish: ((faults: readonly string[], processorSeconds: number) => void) | null = null;
  let isSpent = false;
  const end = (fault: string) => {
    isSpent = true;
    finish?.([fault], 0);
  };
  const stop = () => {
    end('the run was stopped');
    void endGroup(child);
  };
  signal.addEventListener('abort', stop, { once: true });
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => report?.addOutput(text));
  child.on('error', (error) => end(`${error}`));
  child.once('exit', (code, endedBy) => {
    signal.removeEventListener('abort', stop);
    end(`the process of the tests ended with ${endedBy ?? code}`);
  });
  let over: LaneMessage | null = null;
  let isFileOver = false;
  child.on('message', (message: TestMessage | LaneMessage) => {
    if (message.type === 'lane:file') over = message as LaneMessage;
    else {
      const event = message as TestMessage;
      report?.add(event);
      if (event.nesting === 0 && /^test:(pass|fail)$/.test(event.type)) isFileOver = true;
      if (limits.isUntilFinding && report?.hasFinding()) {
        isSpent = true;
        finish?.([], 0);
        return;
      }
    }
    if (over === null || !isFileOver) return;
    isSpent ||= over.left !== '' || over.residentBytes > MOST_RESIDENT_BYTES;
    finish?.(over.left === '' ? [] : [`it left open: ${over.left}`], over.processorSeconds);
  });
  return {
    child,
    get isSpent() {
      return isSpent;
    },
    async run(file) {
      const opened = openFileReport(file, (text) => console.log(text));
      [report, over, isFileOver] = [opened, null, false];
      const watch = setInterval(() => {
        const late = opened.longerThan(limits.testMilliseconds * limits.patience());
        if (late !== null) end(`it was given up: ${late}`);
      }, WATCH_MILLISECONDS);
      const result = await new Promise<FileResult>((resolve) => {
        finish = (faults, processorSeconds) => {
          finish = null;
          resolve(opened.end(faults, processorSeconds));
        };
        child.send({ file, patience: limits.patience() } satisfies LaneOrder);
      });
      clearInterval(watch);
      return result;
    },
  };
}

async function endLane({ child, isSpent }: Lane): Promise<void> {
  if (!isSpent && child.connected) {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.disconnect();
    await ended;
  }
  await endGroup(child);
}

async function endGroup({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return;
  const killAt = performance.now() + END_MILLISECONDS;
  for (let sign: NodeJS.Signals | 0 = 'SIGTERM'; signalGroup(pid, sign); sign = 0) {
    if (performance.now() > killAt) return void signalGroup(pid, 'SIGKILL');
    await new Promise((wake) => setTimeout(wake, LOOK_AGAIN_MILLISECONDS));
  }
}

/** False when nobody of the group is left. */
function signalGroup(leader: number, sign: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leader, sign);
    return true;
  } catch {
    return false;
  }
}
