import type { LedgerProgram } from '../kit/ledger-server.ts';
import { Bank } from './bank.ts';
import { Books } from './books.ts';
import { entryOfLine } from './entries.ts';
import { Scripts } from './scripts.ts';
import { pixServer } from './server.ts';
import type { Tls } from './tls-files.ts';
import { Tokens } from './tokens.ts';
import { WebhookSender } from './webhook-sender.ts';

const TIME_PASSES_MILLISECONDS = 1_000;

/** Null: plain HTTP, for loopback. */
export function pixProgram(tls: Tls | null): LedgerProgram<Books> {
  return {
    name: 'parcela-pix-simulator',
    books: () => new Books(),
    apply(books, line) {
      const entry = entryOfLine(line);
      if (entry !== null) books.apply(entry);
      return entry !== null;
    },
    serve(books, ledger, lateMilliseconds) {
      const clock = Date.now;
      const beside = {
        scripts: new Scripts(),
        tokens: new Tokens(clock),
        sender: new WebhookSender(tls),
        clock,
      };
      const bank = new Bank(books, ledger, beside);
      const server = pixServer(bank, lateMilliseconds, tls);
      const timer = setInterval(() => bank.passTimeOfAll(), TIME_PASSES_MILLISECONDS).unref();
      server.on('close', () => clearInterval(timer));
      return server;
    },
  };
}

export const PIX_PROGRAM: LedgerProgram<Books> = pixProgram(null);
