import type { LedgerProgram } from '../kit/ledger-server.ts';
import { Bank } from './bank.ts';
import { Boletos } from './boletos.ts';
import { entryOfLine } from './entries.ts';
import { Scripts } from './scripts.ts';
import { bankServer } from './server.ts';

export const BANK_PROGRAM: LedgerProgram<Boletos> = {
  name: 'parcela-bank-simulator',
  books: () => new Boletos(),
  apply(boletos, line) {
    const entry = entryOfLine(line);
    if (entry !== null) boletos.apply(entry);
    return entry !== null;
  },
  serve: (boletos, ledger, lateMilliseconds) =>
    bankServer(new Bank(boletos, ledger, new Scripts(), Date.now), lateMilliseconds),
};
