import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { FileResult } from './test-report.ts';

/** What all tests may cost, in seconds of a quiet core. Aimed at: 850. */
const MOST_SECONDS = 900;
/** What a file may cost without being named here. */
const MOST_SECONDS_OF_FILE = 30;

/** Files that cost more, and why they are worth it. */
const DEAR_FILES: Readonly<Record<string, string>> = {
  'test/leaks/leaks.test.ts':
    'calls every endpoint with marked cards on watched processes, and reads all that they wrote anywhere',
};

/** What the fixed piece of work costs a quiet core, in processor seconds. */
const QUIET_CALIBRATION_SECONDS = 0.028;
/**
 * Beyond, the budget is said and not judged: tests get dearer than the fixed work, by a quarter where that
 * was 2.05 times dearer.
 */
const MOST_COSTLINESS_JUDGED = 1.5;
/** How often it is done again while tests run. */
const CALIBRATION_PAUSE_MILLISECONDS = 15_000;
/**
 * The start of a program, which parses, allocates and asks the system, as tests do: other programs on the
 * machine make all of these dearer, and not only slower.
 */
const CALIBRATION = `
const text = JSON.stringify(Array.from({ length: 2000 }, (_, at) => ({ at, name: 'n' + at })));
let sum = 0;
for (let round = 0; round < 8; round += 1) sum += JSON.parse(text).length;
const { readFileSync } = require('node:fs');
for (let round = 0; round < 200; round += 1) readFileSync('/dev/null');
const { user, system } = process.cpuUsage();
process.stdout.write(JSON.stringify([(user + system) / 1e6, performance.now() / 1000]));
`;
const TICKS_PER_SECOND = 100;

export type Calibration = {
  /** How many times dearer than on a quiet machine processor time is: the mean of the run. */
  costliness(): number;
  /** How many times longer than on a quiet machine things took when it was last measured. */
  slowness(): number;
  stop(): void;
};

/** Measures the machine now, and again and again until it is stopped. */
export async function openCalibration(): Promise<Calibration> {
  const costs: number[] = [];
  let slowness = 1;
  async function measure(): Promise<void> {
    const [cost, wall] = await calibrated();
    costs.push(cost / QUIET_CALIBRATION_SECONDS);
    slowness = wall / QUIET_CALIBRATION_SECONDS;
  }
  await measure();
  const timer = setInterval(() => void measure().catch(() => {}), CALIBRATION_PAUSE_MILLISECONDS);
  return {
    costliness: () => costs.reduce((sum, cost) => sum + cost, 0) / costs.length,
    slowness: () => slowness,
    stop: () => clearInterval(timer),
  };
}

/** Processor seconds and seconds on the wall. */
function calibrated(): Promise<[number, number]> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ['-e', CALIBRATION], (error, output) =>
      error === null ? resolve(JSON.parse(output) as [number, number]) : reject(error),
    );
  });
}

/** Processor seconds of a program and all that it started; 0 where the system does not say. */
export function secondsOfTree(pid: number): number {
  if (process.platform !== 'linux') return 0;
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = statOf(name);
    // Its own, and of children that ended.
    if (Number(name) === pid || Number(stat[1]) === pid) ticks += sumOf(stat, 11, 15);
  }
  return ticks / TICKS_PER_SECOND;
}

/** The fields of /proc/PID/stat behind the name of the program; the second is the parent. */
function statOf(pid: string): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    // It ended meanwhile.
    return [];
  }
}

function sumOf(fields: readonly string[], from: number, to: number): number {
  return fields.slice(from, to).reduce((sum, field) => sum + Number(field), 0);
}

/** Says what the files cost, and gives what is over the budget; nothing: all is within, or not judged. */
export function judgeCosts(
  results: ReadonlyMap<string, FileResult>,
  besideSeconds: number,
  costliness: number,
  say: (line: string) => void,
): string[] {
  const costs = [...results].map(([file, result]) => [file, result.processorSeconds / costliness] as const);
  const ofFiles = costs.reduce((sum, [, cost]) => sum + cost, 0);
  const beside = besideSeconds / costliness;
  const sum = ofFiles + beside;
  say(
    `${sum.toFixed(0)} of ${MOST_SECONDS} seconds of a quiet core: ${ofFiles.toFixed(0)} in tests, ` +
      `${beside.toFixed(0)} in PostgreSQL and the runner; processor time is ${costliness.toFixed(2)} times dearer`,
  );
  if (costliness > MOST_COSTLINESS_JUDGED) {
    say(`The budget is not judged: above ${MOST_COSTLINESS_JUDGED} times the measure is too rough`);
    return [];
  }
  const faults = costs
    .filter(([file, cost]) => cost > MOST_SECONDS_OF_FILE && DEAR_FILES[file] === undefined)
    .map(
      ([file, cost]) =>
        `${file} costs ${cost.toFixed(0)} seconds of a quiet core; more than ${MOST_SECONDS_OF_FILE} need a reason in tools/test-budget.ts`,
    );
  if (sum > MOST_SECONDS) faults.push(`the tests cost more than ${MOST_SECONDS} seconds of a quiet core`);
  return faults;
}
