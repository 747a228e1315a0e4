import { parseArgs } from 'node:util';

export type Settings = {
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
export function readSettings(words: readonly string[]): Settings | string {
  const values = optionsOf(words);
  if (typeof values === 'string') return values;
  const port = wholeNumber(values.port ?? '0', 65_535);
  if (port === null) return '--port must be a number from 0 to 65535';
  if (values.data === undefined || values.data === '') return '--data must name the folder of the ledger';
  const lateMilliseconds = wholeNumber(values['late-milliseconds'] ?? '10000', LONGEST_LATENESS_MILLISECONDS);
  if (lateMilliseconds === null) {
    return `--late-milliseconds must be a number from 0 to ${LONGEST_LATENESS_MILLISECONDS}`;
  }
  const ledgerSync = values['ledger-sync'] ?? 'on';
  if (ledgerSync !== 'on' && ledgerSync !== 'off') return '--ledger-sync must be on or off';
  return {
    port,
    host: values.host ?? '127.0.0.1',
    data: values.data,
    exitWithParent: values['exit-with-parent'] ?? false,
    lateMilliseconds,
    ledgerSync: ledgerSync === 'on',
  };
}

function optionsOf(words: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        data: { type: 'string' },
        'exit-with-parent': { type: 'boolean' },
        'late-milliseconds': { type: 'string' },
        'ledger-sync': { type: 'string' },
      },
    });
    return values;
  } catch (error) {
    return (error as Error).message;
  }
}

function wholeNumber(text: string, most: number): number | null {
  return /^\d{1,9}$/.test(text) && Number(text) <= most ? Number(text) : null;
}
