import { mkdirSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { whenParentEnds } from './command-line.ts';
import { lockFolder } from './folder-lock.ts';
import { BrokenLedger, ContradictoryEntry, Ledger, openLedgerFile } from './ledger.ts';
import { type LedgerSettings, type NumberOptions, readLedgerSettings } from './ledger-settings.ts';

const LOCK_WAIT_MILLISECONDS = 10_000;

/** A simulator with a ledger: what its lines are, and what it answers over HTTP. */
export type LedgerProgram<Books> = {
  /** As its sentences to a person begin. */
  readonly name: string;
  readonly books: () => Books;
  /** False: the line is broken. Throws `ContradictoryEntry` where it contradicts those before it. */
  readonly apply: (books: Books, line: string) => boolean;
  readonly serve: (
    books: Books,
    ledger: Ledger,
    lateMilliseconds: number,
    numbers: Readonly<Record<string, number>>,
  ) => Server;
  /** Beside those that every simulator with a ledger has. */
  readonly options?: NumberOptions;
};

/** It cannot start; the message is a sentence for a person. */
class CannotStart extends Error {}

export type RunningLedgerServer = {
  readonly port: number;
  /**
   * Takes no more requests, and gives the folder free when what was taken is in the ledger. May be called
   * again.
   */
  close(): Promise<void>;
};

/** @param onFailure The ledger cannot be written any more: nothing may be answered from then on. */
export async function startLedgerServer<Books>(
  program: LedgerProgram<Books>,
  { port, host, data, lateMilliseconds, ledgerSync, numbers }: Omit<LedgerSettings, 'exitWithParent'>,
  onFailure: (error: Error) => void,
): Promise<RunningLedgerServer> {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(data, LOCK_WAIT_MILLISECONDS);
  if (lock === null)
    throw new CannotStart(`another simulator is at work in ${data}, and did not end within 10 seconds`);
  const books = program.books();
  const ledger = new Ledger(openBooks(program, books, data), ledgerSync, onFailure);
  const server = program.serve(books, ledger, lateMilliseconds, numbers);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new CannotStart(`cannot listen on ${host}:${port}: ${error.message}`)),
    );
    server.listen(port, host, resolve);
  });
  let closing: Promise<void> | null = null;
  async function close(): Promise<void> {
    server.close();
    // What is written gets its answer; what is held back on purpose does not.
    await new Promise<void>((resolve) => ledger.afterDurable(() => setImmediate(resolve)));
    server.closeAllConnections();
    ledger.close();
    lock?.release();
  }
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Reads the ledger back; a simulator does not start on one that it cannot believe. */
function openBooks<Books>({ apply }: LedgerProgram<Books>, books: Books, data: string): number {
  try {
    return openLedgerFile(data, (line, number) => {
      try {
        if (!apply(books, line)) throw new BrokenLedger(`line ${number} of the ledger is broken`);
      } catch (error) {
        if (!(error instanceof ContradictoryEntry)) throw error;
        throw new BrokenLedger(
          `line ${number} of the ledger contradicts the lines before it: ${error.message}`,
        );
      }
    });
  } catch (error) {
    throw error instanceof BrokenLedger ? new CannotStart(error.message) : error;
  }
}

/** The program of a process: its settings come from the command line, and it ends with a signal. */
export async function runLedgerServer<Books>(program: LedgerProgram<Books>): Promise<void> {
  const fail = (sentence: string): never => {
    process.stderr.write(`${program.name}: ${sentence}\n`);
    process.exit(1);
  };
  let stop = (): void => process.exit(0);
  process.once('SIGTERM', () => stop());
  process.once('SIGINT', () => stop());
  const settings = readLedgerSettings(process.argv.slice(2), program.options);
  if (typeof settings === 'string') return fail(settings);
  if (settings.exitWithParent) whenParentEnds(() => stop());
  try {
    const onFailure = (error: Error) => fail(`the ledger cannot be written: ${error.message}`);
    const running = await startLedgerServer(program, settings, onFailure);
    stop = () => void running.close().then(() => process.exit(0));
    process.stdout.write(`${JSON.stringify({ ready: true, port: running.port })}\n`);
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error;
    fail(error.message);
  }
}
