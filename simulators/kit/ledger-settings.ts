import { readCommandLine, wholeNumber } from './command-line.ts';

/** Of a simulator that keeps a ledger. */
export type LedgerSettings = {
  readonly port: number;
  readonly host: string;
  /** The folder of the ledger. */
  readonly data: string;
  readonly exitWithParent: boolean;
  readonly lateMilliseconds: number;
  readonly ledgerSync: boolean;
  /** By the names of the simulator's own options. */
  readonly numbers: Readonly<Record<string, number>>;
};

/** Of one simulator's own: whole numbers, from 0. */
export type NumberOptions = Readonly<Record<string, { readonly otherwise: number; readonly most: number }>>;

const LONGEST_LATENESS_MILLISECONDS = 600_000;

/** What the command line asks for, or the sentence that says what is wrong with it. */
export function readLedgerSettings(
  words: readonly string[],
  options: NumberOptions = {},
): LedgerSettings | string {
  const read = readCommandLine(words, ['data', 'late-milliseconds', 'ledger-sync', ...Object.keys(options)]);
  if (typeof read === 'string') return read;
  const { port, host, exitWithParent, own } = read;
  const data = own('data');
  if (data === undefined || data === '') return '--data must name the folder of the ledger';
  const lateMilliseconds = wholeNumber(own('late-milliseconds') ?? '10000', LONGEST_LATENESS_MILLISECONDS);
  if (lateMilliseconds === null) {
    return `--late-milliseconds must be a number from 0 to ${LONGEST_LATENESS_MILLISECONDS}`;
  }
  const ledgerSync = own('ledger-sync') ?? 'on';
  if (ledgerSync !== 'on' && ledgerSync !== 'off') return '--ledger-sync must be on or off';
  const numbers: Record<string, number> = {};
  for (const [name, { otherwise, most }] of Object.entries(options)) {
    const value = wholeNumber(own(name) ?? String(otherwise), most);
    if (value === null) return `--${name} must be a number from 0 to ${most}`;
    numbers[name] = value;
  }
  return { port, host, data, exitWithParent, lateMilliseconds, ledgerSync: ledgerSync === 'on', numbers };
}
