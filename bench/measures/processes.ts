import { readdirSync, readFileSync } from 'node:fs';

/** Of Linux on every machine there is. */
const TICKS_PER_SECOND = 100;

type ProcessorTime = {
  readonly user: number;
  readonly system: number;
  /** Of children that have ended and were waited for. */
  readonly children: number;
};

/** Seconds of a process (or, with `thread`, of one of its threads). */
function processorTime(processId: number, thread?: number): ProcessorTime {
  const path = thread === undefined ? `/proc/${processId}/stat` : `/proc/${processId}/task/${thread}/stat`;
  const fields = statFields(path);
  const seconds = (index: number) => Number(fields[index]) / TICKS_PER_SECOND;
  return { user: seconds(11), system: seconds(12), children: seconds(13) + seconds(14) };
}

/** Seconds of the main thread, on which JavaScript runs, and of all others together. */
export function threadTimes(processId: number): { readonly main: number; readonly others: number } {
  const whole = sum(processorTime(processId));
  const main = sum(processorTime(processId, processId));
  return { main, others: whole - main };
}

/** Seconds of a process with all children that it has or had. */
export function familyTime(processId: number): number {
  const own = processorTime(processId);
  const children = childrenOf(processId).map((child) => sumOrNothing(child));
  return own.user + own.system + own.children + children.reduce((all, one) => all + one, 0);
}

/** Seconds of the children of this process that have ended: of load generators. */
export function endedChildrenTime(): number {
  return processorTime(process.pid).children;
}

function sum({ user, system }: ProcessorTime): number {
  return user + system;
}

/** A child that ends while it is looked at counts among its parent's ended children the next time. */
function sumOrNothing(processId: number): number {
  try {
    return sum(processorTime(processId));
  } catch {
    return 0;
  }
}

function childrenOf(processId: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => {
      try {
        return Number(statFields(`/proc/${candidate}/stat`)[1]) === processId;
      } catch {
        return false;
      }
    });
}

/** The fields from the third on (state): the second, the name, may hold blanks. */
function statFields(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

export function residentMegabytes(processId: number | undefined): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1_024);
}
