import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { whenParentEnds } from '../kit/command-line.ts';
import { lockFolder } from '../kit/folder-lock.ts';
import { BrokenLedger, Ledger, openLedgerFile } from '../kit/ledger.ts';
import { type LedgerSettings, readLedgerSettings } from '../kit/ledger-settings.ts';
import { Acquirer } from './acquirer.ts';
import { Charges, ContradictoryEntry } from './charges.ts';
import { entryOfLine } from './entries.ts';
import { Scripts } from './scripts.ts';
import { acquirerServer } from './server.ts';

const LOCK_WAIT_MILLISECONDS = 10_000;

const settings = readLedgerSettings(process.argv.slice(2));
if (typeof settings === 'string') fail(settings);
else await start(settings);

async function start({ port, host, data, exitWithParent, lateMilliseconds, ledgerSync }: LedgerSettings) {
  let stop = (): void => process.exit(0);
  process.once('SIGTERM', () => stop());
  process.once('SIGINT', () => stop());
  if (exitWithParent) whenParentEnds(() => stop());

  mkdirSync(data, { recursive: true, mode: 0o700 });
  if (!(await lockFolder(data, LOCK_WAIT_MILLISECONDS))) {
    fail(`another simulator is at work in ${data}, and did not end within 10 seconds`);
  }
  const charges = new Charges();
  const ledger = new Ledger(openBooks(data, charges), ledgerSync, (error) =>
    fail(`the ledger cannot be written: ${error.message}`),
  );
  const acquirer = new Acquirer(charges, ledger, new Scripts(), Date.now);
  const server = acquirerServer(acquirer, lateMilliseconds);
  server.once('error', (error) => fail(`cannot listen on ${host}:${port}: ${error.message}`));
  server.listen(port, host, () => {
    process.stdout.write(
      `${JSON.stringify({ ready: true, port: (server.address() as AddressInfo).port })}\n`,
    );
  });
  stop = () => {
    server.close();
    // What is written gets its answer; what is held back on purpose does not.
    ledger.afterDurable(() => setImmediate(() => process.exit(0)));
  };
}

/**
 * Reads the ledger back into the charges; the simulator does not start on one that it cannot
 * believe.
 */
function openBooks(data: string, charges: Charges): number {
  try {
    return openLedgerFile(data, (line, number) => {
      const entry = entryOfLine(line);
      if (entry === null) throw new BrokenLedger(`line ${number} of the ledger is broken`);
      applyLine(charges, entry, number);
    });
  } catch (error) {
    if (error instanceof BrokenLedger) fail(error.message);
    throw error;
  }
}

function applyLine(charges: Charges, entry: Parameters<Charges['apply']>[0], number: number): void {
  try {
    charges.apply(entry);
  } catch (error) {
    if (!(error instanceof ContradictoryEntry)) throw error;
    throw new BrokenLedger(`line ${number} of the ledger contradicts the lines before it: ${error.message}`);
  }
}

function fail(sentence: string): never {
  process.stderr.write(`parcela-simulator: ${sentence}\n`);
  process.exit(1);
}
