import type { LedgerProgram } from '../kit/ledger-server.ts';
import { entryOfLine } from '../kit/sales/entries.ts';
import { SalesHouse } from '../kit/sales/house.ts';
import { Keys } from '../kit/sales/keys.ts';
import { Sales } from '../kit/sales/sales.ts';
import { Scripts } from '../kit/sales/scripts.ts';
import { salesServer } from '../kit/sales/server.ts';
import { Cielo } from './cielo.ts';
import { route } from './routes.ts';

const DAY_MILLISECONDS = 86_400_000;

export const CIELO_PROGRAM: LedgerProgram<Sales> = {
  name: 'parcela-cielo-simulator',
  options: {
    'horizon-milliseconds': { otherwise: 300_000, most: DAY_MILLISECONDS },
    'replica-lag-milliseconds': { otherwise: 500, most: 600_000 },
    'spacing-milliseconds': { otherwise: 5_000, most: 600_000 },
    /** 1: as in the sandbox. */
    'last-digit': { otherwise: 1, most: 1 },
    'cancel-guarantee': { otherwise: 0, most: 1 },
  },
  books: () => new Sales(),
  apply(sales, line) {
    const entry = entryOfLine(line);
    if (entry !== null) sales.apply(entry);
    return entry !== null;
  },
  serve(sales, ledger, lateMilliseconds, numbers) {
    const house = new SalesHouse(sales, ledger, new Scripts(), Date.now);
    const cielo = new Cielo(house, new Keys(), {
      horizonMilliseconds: numbers['horizon-milliseconds'] ?? 0,
      lagMilliseconds: numbers['replica-lag-milliseconds'] ?? 0,
      spacingMilliseconds: numbers['spacing-milliseconds'] ?? 0,
      decidesByDigit: numbers['last-digit'] === 1,
      isGuarded: numbers['cancel-guarantee'] === 1,
    });
    return salesServer(
      (question, respond) => route(cielo, question, respond),
      lateMilliseconds,
      () => house.stop(),
    );
  },
};
