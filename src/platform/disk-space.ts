import { statfs } from 'node:fs/promises';

/**
 * With less room writes already fail (`FULL`) or will soon (`LOW`). The smaller of `bytes` and the `part` of
 * the disk counts: the data folder of a container may be small.
 */
const FULL = { bytes: 100e6, part: 1 / 10 };
const LOW = { bytes: 1e9, part: 1 / 4 };

export type Room = {
  readonly freeBytes: number;
  readonly sizeBytes: number;
  readonly lack: 'full' | 'low' | null;
};

export function roomOf(freeBytes: number, sizeBytes: number): Room {
  const isBelow = ({ bytes, part }: typeof FULL) => freeBytes < Math.min(bytes, part * sizeBytes);
  return { freeBytes, sizeBytes, lack: isBelow(FULL) ? 'full' : isBelow(LOW) ? 'low' : null };
}

export async function roomIn(folder: string): Promise<Room | null> {
  const found = await statfs(folder).catch(() => null);
  return found === null ? null : roomOf(found.bavail * found.bsize, found.blocks * found.bsize);
}
