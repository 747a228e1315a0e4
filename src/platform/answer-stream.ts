import { Readable } from 'node:stream';
import type { AnswerStream } from './http/endpoint.ts';

/** What is made and not taken yet; no more is made meanwhile. */
const MOST_HELD_BYTES = 64 * 1024;
/** Without a piece being taken that is made, and for all of the body. */
const STALLED_MILLISECONDS = 60_000;
const LONGEST_MILLISECONDS = 60 * 60_000;
const LOOK_MILLISECONDS = 1_000;

/**
 * A body whose pieces are made when their reader has taken those before. It breaks off, and its
 * connection with it, when the reader stalls, when a piece cannot be made, or when the service stops:
 * no reader takes a part for the whole, for the end of the body is missing then.
 */
export function openAnswerStream({ pieces, signal, close }: AnswerStream): Readable {
  const beganAt = performance.now();
  /** Since when a piece waits to be taken; null while one is being made. */
  let waitsSince: number | null = null;
  async function* inTurn() {
    for await (const piece of pieces) {
      waitsSince = performance.now();
      yield piece;
      waitsSince = null;
    }
  }
  const body = Readable.from(inTurn(), { objectMode: false, highWaterMark: MOST_HELD_BYTES });
  const breakOff = (reason: string) => body.destroy(new Error(`an answer broke off: ${reason}`));
  const looking = setInterval(() => {
    const now = performance.now();
    if (waitsSince !== null && now - waitsSince > STALLED_MILLISECONDS) breakOff('its reader stalled');
    else if (now - beganAt > LONGEST_MILLISECONDS) breakOff('it took too long');
  }, LOOK_MILLISECONDS).unref();
  const stop = () => breakOff('the service stops');
  signal.addEventListener('abort', stop, { once: true });
  body.once('close', () => {
    clearInterval(looking);
    signal.removeEventListener('abort', stop);
    close();
  });
  if (signal.aborted) stop();
  return body;
}
