import type { SettlementFormat } from '../../src/reconciliation/settlement-entry.ts';
import type { Day } from '../../src/values/instant.ts';

/** Faults that the simulator can write. */
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
  /** The faulty row, from 1. */
  readonly row: number;
};

/** `dayNotOver`: in the merchant's time. `noSuchRow`: for the fault. `tooLarge`: for one answer. */
export type FileRefusal = 'dayNotOver' | 'noSuchRow' | 'tooLarge';

export type WrittenFile =
  | { readonly kind: 'written'; readonly name: string; readonly content: string }
  | { readonly kind: 'refused'; readonly refusal: FileRefusal };

const LARGEST_FILE_BYTES = 16 * 1024 * 1024;

/** A simulator's file, one character a byte. Null: too long. */
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
