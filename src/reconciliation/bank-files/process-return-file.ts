import type * as files from '#settlement-files';
import { NO_CODE, ReturnFileReader, ReturnFileRefused } from '#settlement-files';
import type { Actor, Audit } from '../../audit/audit-event.ts';
import { newId } from '../../platform/chance.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { FiledBankChange } from '../../transactions/methods/boleto/changes/bank-change.ts';
import {
  type FiledChangeOfBoleto,
  findOurNumbers,
  type KeptCounts,
  keepFiledChanges,
} from '../../transactions/methods/boleto/changes/filed-changes.sql.ts';
import { cents } from '../../values/cents.ts';
import { type Instant, instant, startOfSaoPauloDay } from '../../values/instant.ts';
import { type ExceptionRow, NO_MERCHANT, recordExceptions } from '../exceptions/exception-writes.sql.ts';
import type { Ours } from '../settlement-entry.ts';

type ReturnEntry = Ours<files.ReturnEntry>;

export type ProcessedReturnFile = ReturnFile & KeptCounts;

export type ReturnFileTools = { readonly database: Database; readonly audit: Audit };

/**
 * Takes a return file whole or not at all, and queues its changes. Unknown movements become exceptions. A
 * file that was taken before changes nothing. Throws `ReturnFileRefused`.
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
  // A file that is sent again has the same day and number.
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

async function ofOurs(database: Database, { head, unknown }: ReturnFile): Promise<ReturnFile['unknown']> {
  const numbers = unknown.map(({ ourNumber }) => ourNumber);
  const ours = await findOurNumbers(database, head.bank, numbers);
  return unknown.filter(({ ourNumber }) => ours.has(ourNumber));
}

/** Keys come from the content, so a movement repeated in a second file is the same exception. */
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

export function namedNumbers(numbers: readonly string[]): string {
  const more = numbers.length - MOST_NAMED;
  return numbers.slice(0, MOST_NAMED).join(' ') + (more > 0 ? ` and ${more} more` : '');
}

export type ChangeEntry = ReturnEntry & {
  readonly event: FiledBankChange['event'];
  readonly ourNumber: string;
};

/** An id comes from the entry's content, so a payment sent again in another file is the same change. */
function filedChanges(bank: string, entries: readonly ChangeEntry[]): FiledChangeOfBoleto[] {
  const equal = new Map<string, number>();
  return entries.flatMap(({ ourNumber, event, value, dueOn, paid, fee, happenedOn, creditedOn }) => {
    if (happenedOn === null) return [];
    const isPaid = event === 'paid';
    const text = `file:${bank}:${ourNumber}:${event}:${happenedOn}${isPaid ? `:${paid}` : ''}`;
    const number = (equal.get(text) ?? 0) + 1;
    equal.set(text, number);
    return {
      changeId: `${text}:${number}`,
      ourNumber,
      event,
      amount: isPaid ? cents(paid) : null,
      paidOn: isPaid ? happenedOn : null,
      creditedOn: isPaid ? creditedOn : null,
      fee: isPaid ? cents(fee) : null,
      value,
      dueOn,
      happenedAt: noon(startOfSaoPauloDay(happenedOn)),
    };
  });
}

const TWELVE_HOURS = 43_200_000;

function noon(start: Instant): Instant {
  return instant(start + TWELVE_HOURS);
}

/** More than a bank sends in a day. Little of each pair is kept in memory. */
const MOST_PAIRS = 500_000;
const LONGEST_LINE = 1_000;
/** Some banks end the file with the old DOS end-of-file character. */
const END_OF_FILE = '\u001a';

export type ReturnFile = {
  readonly head: Ours<files.ReturnFileHead>;
  readonly entries: readonly (ReturnEntry & { readonly ourNumber: string; readonly event: string })[];
  readonly lineCount: number;
  /** Pairs that would change a boleto but name none of ours. */
  readonly foreign: number;
  /** Pairs that change nothing, by movement. */
  readonly others: Readonly<Record<string, number>>;
  /** The pairs of `others` with an unknown movement that name a boleto of ours. */
  readonly unknown: readonly (ReturnEntry & { readonly ourNumber: string })[];
};

/** Throws `ReturnFileRefused` at the first fault, before anything is done with the file. */
export async function readReturnFile(bytes: AsyncIterable<Uint8Array>): Promise<ReturnFile> {
  const reader = new ReturnFileReader();
  const entries: ReturnFile['entries'][number][] = [];
  const others: Record<string, number> = {};
  const unknown: ReturnFile['unknown'][number][] = [];
  let [foreign, pairs, lineCount] = [0, 0, 0];
  for await (const line of linesOf(bytes)) {
    lineCount += 1;
    const entry = reader.take(line) as unknown as ReturnEntry | null;
    if (entry === null) continue;
    pairs += 1;
    if (pairs > MOST_PAIRS) throw new ReturnFileRefused(lineCount, 'tooManyPairs');
    const { event, ourNumber, isKnown } = entry;
    if (!isKnown && ourNumber !== null) unknown.push({ ...entry, ourNumber });
    if (event === null) others[entry.movement] = (others[entry.movement] ?? 0) + 1;
    else if (ourNumber === null) foreign += 1;
    else entries.push({ ...entry, event, ourNumber });
  }
  return {
    head: reader.end() as unknown as ReturnFile['head'],
    entries,
    lineCount,
    foreign,
    others,
    unknown,
  };
}

/** Latin-1. A line that is much too long is yielded cut, and the reader refuses it. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + Buffer.from(chunk).toString('latin1')).split('\n');
    rest = (lines.pop() ?? '').slice(0, LONGEST_LINE);
    for (const line of lines) yield line.replace(/\r$/, '');
  }
  const last = rest.replace(/\r$/, '').replace(END_OF_FILE, '');
  if (last !== '') yield last;
}
