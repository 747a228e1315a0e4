import type { SettlementFormat } from '../../reconciliation/settlement-entry.ts';
import type { Day } from '../../values/instant.ts';

/** What the simulator can be asked to write wrongly. */
export const FILE_FAULTS = [
  'rowMissing',
  'rowTwice',
  'anotherAmount',
  'anotherFee',
  'lateDay',
  'brokenTrailer',
  'foreignRow',
  'unknownCancel',
  'unknownChargeback',
  'pledge',
  'debitTwice',
  'unknownCode',
] as const;
export type FileFault = (typeof FILE_FAULTS)[number];

export type WantedFile = {
  readonly format: SettlementFormat;
  readonly day: Day;
  readonly fault: FileFault | null;
  /** In which row the fault is, from 1. */
  readonly row: number;
};

/**
 * `dayNotOver`: in the merchant's time. `noSuchRow`: in which the fault could be. `tooLarge`: for
 * one answer of the service.
 */
export type FileRefusal = 'dayNotOver' | 'noSuchRow' | 'tooLarge';

export type WrittenFile =
  | { readonly kind: 'written'; readonly name: string; readonly content: string }
  | { readonly kind: 'refused'; readonly refusal: FileRefusal };

const LARGEST_FILE_BYTES = 16 * 1024 * 1024;

/** A file of a simulator, each byte a character. Null: it is longer than may be. */
export async function boundedText(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    // Leaving the loop ends the connection.
    if (size > LARGEST_FILE_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('latin1');
}
