import type { Actor, Audit } from '../../audit/audit-event.ts';
import {
  type KeptCounts,
  keepFiledChangesSteps,
  keptCounts,
} from '../../boletos/changes/filed-changes.sql.ts';
import { filedChanges } from './filed-changes.ts';
import { type ReturnFile, readReturnFile } from './read-return-file.ts';

export type ProcessedReturnFile = ReturnFile & KeptCounts;

/**
 * Takes a return file of the bank, whole or not at all: what it says waits among the changes of the
 * bank's feed, and is applied as they are. A file that was taken before changes nothing. Throws
 * `ReturnFileRefused`.
 */
export async function processReturnFile(
  { audit }: { readonly audit: Audit },
  file: { readonly name: string; readonly bytes: AsyncIterable<Uint8Array> },
  operator: Actor,
): Promise<ProcessedReturnFile> {
  const read = await readReturnFile(file.bytes);
  const { head, entries, lineCount } = read;
  const changes = filedChanges(head.bank, entries);
  // Sent anew, it has the same day and number.
  const ofBank = { bank: head.bank, name: `${head.madeOn}/${head.sequence ?? ''}` };
  const steps = keepFiledChangesSteps(ofBank, changes);
  const rows = await audit.commit(steps, (kept) => {
    const { unfit, known, again, ...counts } = keptCounts(kept);
    const detail = { madeOn: head.madeOn, sequence: head.sequence ?? '', lines: lineCount, ...counts };
    return [
      {
        ...operator,
        action: 'returnFile.import',
        outcome: 'success',
        resource: `banks/${head.bank}/files/${file.name}`,
        detail: {
          ...detail,
          unfit: namedNumbers(unfit),
          known: namedNumbers(known),
          again: namedNumbers(again),
        },
      },
    ];
  });
  return { ...read, ...keptCounts(rows) };
}

const MOST_NAMED = 20;

/** The first of them, and how many more there are. */
export function namedNumbers(numbers: readonly string[]): string {
  const more = numbers.length - MOST_NAMED;
  return numbers.slice(0, MOST_NAMED).join(' ') + (more > 0 ? ` and ${more} more` : '');
}
