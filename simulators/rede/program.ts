import type { LedgerProgram } from '../kit/ledger-server.ts';
import { entryOfLine } from '../kit/sales/entries.ts';
import { SalesHouse } from '../kit/sales/house.ts';
import { Keys } from '../kit/sales/keys.ts';
import { Sales } from '../kit/sales/sales.ts';
import { Scripts } from '../kit/sales/scripts.ts';
import { salesServer } from '../kit/sales/server.ts';
import { Rede } from './rede.ts';
import { route } from './routes.ts';
import { Tokens } from './tokens.ts';

const DAY_MILLISECONDS = 86_400_000;

export const REDE_PROGRAM: LedgerProgram<Sales> = {
  name: 'parcela-rede-simulator',
  options: {
    'token-seconds': { otherwise: 1_440, most: 86_400 },
    'refund-milliseconds': { otherwise: DAY_MILLISECONDS, most: 10 * DAY_MILLISECONDS },
  },
  books: () => new Sales(),
  apply(sales, line) {
    const entry = entryOfLine(line);
    if (entry !== null) sales.apply(entry);
    return entry !== null;
  },
  serve(sales, ledger, lateMilliseconds, numbers) {
    const house = new SalesHouse(sales, ledger, new Scripts(), Date.now);
    const rede = new Rede(house, new Keys(), new Tokens(), {
      tokenSeconds: numbers['token-seconds'] ?? 0,
      refundMilliseconds: numbers['refund-milliseconds'] ?? 0,
    });
    return salesServer(
      (question, respond) => route(rede, question, respond),
      lateMilliseconds,
      () => house.stop(),
    );
  },
};
