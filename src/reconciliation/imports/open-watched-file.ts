import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** How much of a file the folder takes, and for how long one may keep the others waiting. */
export type WatchedLimits = { readonly bytes: number; readonly milliseconds: number };

export const WATCHED_LIMITS: WatchedLimits = { bytes: 2 ** 31, milliseconds: 3_600_000 };

/** Why a file is not read to its end. */
export class WatchedFileUnfit extends Error {
  override readonly name = 'WatchedFileUnfit';
}

const BY_HAND = 'take it by parcela reconcile import';
const tooLarge = (most: number) => `it has more than ${most} bytes: ${BY_HAND}`;
const tooSlow = (milliseconds: number) =>
  `it took more than ${Math.ceil(milliseconds / 60_000)} minutes: ${BY_HAND}`;

/**
 * The bytes of a file that somebody else may have put in the place of the one that was looked at: no link is
 * followed, and nothing waits for a pipe.
 */
export async function* openWatchedFile(
  path: string,
  { bytes: most, milliseconds }: WatchedLimits,
  timeUp: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new WatchedFileUnfit('it is no file');
    if (found.size > most) throw new WatchedFileUnfit(tooLarge(most));
    let read = 0;
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      if (timeUp.aborted) throw new WatchedFileUnfit(tooSlow(milliseconds));
      read += (chunk as Buffer).length;
      if (read > most) throw new WatchedFileUnfit(tooLarge(most));
      yield chunk as Buffer;
    }
  } finally {
    await file.close();
  }
}
