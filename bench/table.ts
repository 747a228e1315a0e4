import { cpus } from 'node:os';
import { ROUNDS, SECONDS } from './options.ts';

export type Cell = string | number;

/** A table as docs/performance.md has it, ready to be pasted there. */
export function printTable(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const texts = rows.map((row) => row.map(String));
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...texts.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  console.log(`\n${line(head)}`);
  console.log(line(widths.map((width) => '-'.repeat(width))));
  for (const row of texts) console.log(line(row));
}

/** Command, day, machine and programs: what a number means nothing without. */
export function printMachine(postgresVersion: string, how: string): void {
  const settings = ['SECONDS', 'ROUNDS', 'CONNECTIONS', 'KINDS', 'NIGHT'].flatMap((name) =>
    process.env[name] === undefined ? [] : [`${name}=${process.env[name]}`],
  );
  const command = [...settings, 'npm run bench --', ...process.argv.slice(2)].join(' ');
  const day = new Date().toISOString().slice(0, 10);
  const node = process.versions.node.split('.').slice(0, 2).join('.');
  console.log(
    `\n\`${command}\`, ${day}, ${cpus()[0]?.model}, ${cpus().length} cores, PostgreSQL ${postgresVersion} embedded, Node ${node}; ${how}`,
  );
}

/** "median of 5 interleaved runs of 8 s" */
export function runsText(): string {
  return ROUNDS === 1 ? `one run of ${SECONDS} s` : `median of ${ROUNDS} interleaved runs of ${SECONDS} s`;
}

export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The value that a share (0 to 1) of the sorted values do not exceed. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
