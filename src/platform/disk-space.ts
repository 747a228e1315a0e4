import { statfs } from 'node:fs/promises';

/** What is written there fails soon, or does already. */
export const FULL_BYTES = 100e6;

/** Null: the folder is not there. */
export async function freeBytesOf(folder: string): Promise<number | null> {
  const found = await statfs(folder).catch(() => null);
  return found === null ? null : found.bavail * found.bsize;
}
