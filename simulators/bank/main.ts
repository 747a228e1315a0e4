import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { whenParentEnds } from '../kit/command-line.ts';
import { lockFolder } from '../kit/folder-lock.ts';
import { BrokenLedger, Ledger, openLedgerFile } from '../kit/ledger.ts';
import { type LedgerSettings, readLedgerSettings } from '../kit/ledger-settings.ts';
import { Bank } from './bank.ts';
import { Boletos, ContradictoryEntry } from './boletos.ts';
import { entryOfLine } from './entries.ts';
import { Scripts } from './scripts.ts';
import { bankServer } from './server.ts';

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
  if (!(await lockFolder(data, LOCK_WAIT_MILLISECONDS)))
    fail(`another simulator is at work in ${data}, and did not end within 10 seconds`);
  const boletos = new Boletos();
  const ledger = new Ledger(openBooks(data, boletos), ledgerSync, (error) =>
    fail(`the ledger cannot be written: ${error.message}`),
  );
  const server = bankServer(new Bank(boletos, ledger, new Scripts(), Date.now), lateMilliseconds);
  server.once('error', (error) => fail(`cannot listen on ${host}:${port}: ${error.message}`));
  server.listen(port, host, () => {
    const address = server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ ready: true, port: address.port })}\n`);
  });
  stop = () => {
    server.close();
    // What is written gets its answer; what is held back on purpose does not.
    ledger.afterDurable(() => setImmediate(() => process.exit(0)));
  };
}

/** Reads the ledger back; the simulator does not start on one that it cannot believe. */
function openBooks(data: string, boletos: Boletos): number {
  try {
    return openLedgerFile(data, (line, number) => {
      const entry = entryOfLine(line);
      if (entry === null) throw new BrokenLedger(`line ${number} of the ledger is broken`);
      try {
        boletos.apply(entry);
      } catch (error) {
        if (!(error instanceof ContradictoryEntry)) throw error;
        throw new BrokenLedger(`line ${number} of the ledger contradicts those before it: ${error.message}`);
      }
    });
  } catch (error) {
    if (error instanceof BrokenLedger) fail(error.message);
    throw error;
  }
}

function fail(sentence: string): never {
  process.stderr.write(`parcela-bank-simulator: ${sentence}\n`);
  process.exit(1);
}
