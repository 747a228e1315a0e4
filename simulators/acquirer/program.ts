import type { LedgerProgram } from '../kit/ledger-server.ts';
import { Acquirer } from './acquirer.ts';
import { Charges } from './charges.ts';
import { entryOfLine } from './entries.ts';
import { Scripts } from './scripts.ts';
import { acquirerServer } from './server.ts';

export const ACQUIRER_PROGRAM: LedgerProgram<Charges> = {
  name: 'parcela-simulator',
  books: () => new Charges(),
  apply(charges, line) {
    const entry = entryOfLine(line);
    if (entry !== null) charges.apply(entry);
    return entry !== null;
  },
  serve: (charges, ledger, lateMilliseconds) =>
    acquirerServer(new Acquirer(charges, ledger, new Scripts(), Date.now), lateMilliseconds),
};
