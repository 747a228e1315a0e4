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
};

const LONGEST_LATENESS_MILLISECONDS = 600_000;

/** What the command line asks for, or the sentence that says what is wrong with it. */
export function readLedgerSettings(words: readonly string[]): LedgerSettings | string {
  const read = readCommandLine(words, ['data', 'late-milliseconds', 'ledger-sync']);
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
  return { port, host, data, exitWithParent, lateMilliseconds, ledgerSync: ledgerSync === 'on' };
}
