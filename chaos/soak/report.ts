import { CHARGING_WORDS } from '../recurrence/tally.ts';
import { lineOf, PAYMENT_WORDS, tableHead } from '../results.ts';
import type { Window } from './readings.ts';
import type { SoakReport } from './run-soak.ts';

const HEAD = [
  'minute',
  'requests',
  'memory, MB',
  'heap, MB',
  'descriptors',
  'connections',
  'dead rows',
  'database, MB',
  'errors',
];
/** Of a long run; a short one shows all. */
const MOST_LINES = 24;

/** How the services were, as the run went on; then what was paid, delivered and charged. */
export function soakTables({ windows, counts, charges }: SoakReport): string[] {
  const step = Math.ceil(windows.length / MOST_LINES);
  const shown = windows.filter((_, index) => index % step === 0 || index === windows.length - 1);
  return [
    `| ${HEAD.join(' | ')} |\n|${' --- |'.repeat(HEAD.length)}`,
    ...shown.map((window) => `| ${cellsOf(window).join(' | ')} |`),
    '',
    tableHead(PAYMENT_WORDS),
    lineOf(counts),
    '',
    tableHead(CHARGING_WORDS),
    lineOf(charges),
  ];
}

/** Of each service, beside each other. */
function cellsOf({ minute, services, deadRows, databaseBytes }: Window): (string | number)[] {
  const each = (read: (service: Window['services'][number]) => number) => services.map(read).join(', ');
  const megabytes = (bytes: number) => Math.round(bytes / 1e6);
  return [
    minute.toFixed(1),
    services.reduce((sum, { requests }) => sum + requests, 0),
    each(({ residentBytes }) => megabytes(residentBytes)),
    each(({ heapBytes }) => megabytes(heapBytes)),
    each(({ descriptors }) => descriptors),
    each(({ connections }) => connections),
    deadRows,
    megabytes(databaseBytes),
    services.reduce((sum, { errors }) => sum + [...errors.values()].reduce((all, one) => all + one, 0), 0),
  ];
}
