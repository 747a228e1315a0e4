import type { Reading, Window } from './readings.ts';

/** What a collection leaves differs by so much from one to the next. */
const MOST_GROWTH = 0.1;
const LEAST_GROWTH_BYTES = 8 * 1024 * 1024;
/** What the system leaves a process beside its heap settles later. */
const MOST_RESIDENT_GROWTH = 0.15;
const LEAST_RESIDENT_GROWTH_BYTES = 32 * 1024 * 1024;
const MOST_MORE_DESCRIPTORS = 60;
/** Below, a vacuum has not been worth while. */
const MOST_DEAD_ROWS = 50_000;
/** Fewer say nothing of a trend. */
const LEAST_WINDOWS = 8;

/** What went wrong, however short it was: errors, and more connections than the settings allow. */
/** `logs`: the lines of each service. */
export function errorFindings(windows: readonly Window[], logs: readonly (readonly string[])[]): string[] {
  const last = windows.at(-1);
  if (last === undefined) return ['nothing was read'];
  const told = logs.flatMap((lines, index) =>
    lines.filter(isOfError).map((line) => `no errors: service ${index + 1} said: ${line}`),
  );
  const counted = last.services.flatMap(({ errors, connections, mostConnections }, index) => [
    ...[...errors].map(([what, count]) => `no errors: service ${index + 1}: ${what} is ${count}`),
    ...(connections > mostConnections
      ? [`connections are bounded: service ${index + 1} has ${connections} of ${mostConnections}`]
      : []),
  ]);
  return counted.length === 0 ? [] : [...counted, ...told.slice(0, MOST_TOLD)];
}

const isOfError = (line: string) => /"level":"(error|fatal)"/.test(line);
const MOST_TOLD = 20;

/** What grows although the load does not: of the second quarter of a run, and of its last. */
export function trendFindings(windows: readonly Window[]): string[] {
  if (windows.length < LEAST_WINDOWS) return [];
  const quarter = Math.floor(windows.length / 4);
  const early = windows.slice(quarter, 2 * quarter);
  const late = windows.slice(-quarter);
  const found: string[] = [];
  for (const index of windows[0]?.services.keys() ?? []) {
    const of = (those: readonly Window[], read: (reading: Reading) => number) =>
      middleOf(those.flatMap(({ services }) => services[index] ?? []).map(read));
    const grown = (name: string, read: (reading: Reading) => number, most: number, least: number) => {
      const [before, after] = [of(early, read), of(late, read)];
      if (after - before > Math.max(least, before * most))
        found.push(
          `${name} is flat: service ${index + 1}: from ${Math.round(before)} to ${Math.round(after)}`,
        );
    };
    grown('the heap', ({ heapBytes }) => heapBytes, MOST_GROWTH, LEAST_GROWTH_BYTES);
    grown('memory', ({ residentBytes }) => residentBytes, MOST_RESIDENT_GROWTH, LEAST_RESIDENT_GROWTH_BYTES);
    grown('the number of descriptors', ({ descriptors }) => descriptors, 0, MOST_MORE_DESCRIPTORS);
  }
  const bloated = windows.at(-1)?.bloated ?? null;
  if (bloated !== null && bloated.dead > MOST_DEAD_ROWS)
    found.push(`tables are vacuumed: ${bloated.table} has ${bloated.dead} dead rows, more than live ones`);
  return found;
}

function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
