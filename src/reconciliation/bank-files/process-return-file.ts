import type { Actor, Audit } from '../../audit/audit-event.ts';
import {
  findOurNumbers,
  type KeptCounts,
  keepFiledChanges,
} from '../../boletos/changes/filed-changes.sql.ts';
import { newId } from '../../platform/chance.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type ExceptionRow, NO_MERCHANT, recordExceptions } from '../exceptions/exception-writes.sql.ts';
import { NO_CODE } from '../files/entry-fields.ts';
import { filedChanges } from './filed-changes.ts';
import { type ReturnFile, readReturnFile } from './read-return-file.ts';

export type ProcessedReturnFile = ReturnFile & KeptCounts;

export type ReturnFileTools = { readonly database: Database; readonly audit: Audit };

/**
 * Takes a return file of the bank, whole or not at all: what it says waits among the changes of the
 * bank's feed, and is applied as they are. A movement that is not known at the bank changes nothing, and
 * is an exception of its boleto. A file that was taken before changes nothing. Throws
 * `ReturnFileRefused`.
 */
export async function processReturnFile(
  { database, audit }: ReturnFileTools,
  file: { readonly name: string; readonly bytes: AsyncIterable<Uint8Array> },
  operator: Actor,
): Promise<ProcessedReturnFile> {
  const read = await readReturnFile(file.bytes);
  const { head, entries, lineCount } = read;
  const unknown = await ofOurs(database, read);
  const changes = filedChanges(head.bank, entries);
  // Sent anew, it has the same day and number.
  const ofBank = { bank: head.bank, name: `${head.madeOn}/${head.sequence ?? ''}` };
  const exceptions = exceptionsOf(read, unknown);
  const counts = await audit.transaction(async (tx) => {
    const counts = await keepFiledChanges(tx, ofBank, changes);
    await recordExceptions(tx, exceptions);
    const { ours, taken } = counts;
    const ofFile = { madeOn: head.madeOn, sequence: head.sequence ?? '', lines: lineCount };
    tx.record({
      ...operator,
      action: 'returnFile.import',
      outcome: 'success',
      resource: `banks/${head.bank}/files/${file.name}`,
      detail: {
        ...{ ...ofFile, ours, taken, unknown: unknown.length },
        unfit: namedNumbers(counts.unfit),
        known: namedNumbers(counts.known),
        again: namedNumbers(counts.again),
      },
    });
    return counts;
  });
  return { ...read, unknown, ...counts };
}

/** Boletos of others change in ways that are none of our business. */
async function ofOurs(database: Database, { head, unknown }: ReturnFile): Promise<ReturnFile['unknown']> {
  const numbers = unknown.map(({ ourNumber }) => ourNumber);
  const ours = await findOurNumbers(database, head.bank, numbers);
  return unknown.filter(({ ourNumber }) => ours.has(ourNumber));
}

/** Their keys come from what they say: a movement that a second file repeats is the same. */
function exceptionsOf({ head }: ReturnFile, unknown: ReturnFile['unknown']): ExceptionRow[] {
  const equal = new Map<string, number>();
  return unknown.map(({ ourNumber, movement, paid, happenedOn }) => {
    const day = happenedOn ?? head.madeOn;
    const code = movement || NO_CODE;
    const text = `return:${head.bank}:${ourNumber}:${code}:${day}:${paid}`;
    const number = (equal.get(text) ?? 0) + 1;
    equal.set(text, number);
    const found = `${code} ${head.bank}/${ourNumber}`;
    return {
      merchantId: NO_MERCHANT,
      exceptionId: newId(),
      key: `${text}:${number}`,
      class: 'unknownCode',
      event: 'open',
      before: null,
      state: 'open',
      accountNumber: null,
      transactionId: null,
      installmentNumber: null,
      fileNumber: null,
      lineNumber: null,
      finding: { amount: 0 - paid, expected: null, found, day, explanation: null },
      message: null,
    };
  });
}

const MOST_NAMED = 20;

/** The first of them, and how many more there are. */
export function namedNumbers(numbers: readonly string[]): string {
  const more = numbers.length - MOST_NAMED;
  return numbers.slice(0, MOST_NAMED).join(' ') + (more > 0 ? ` and ${more} more` : '');
}
