import type { WakeSignal } from '../../src/platform/work/wake-signal.ts';
import { instant } from '../../src/values/instant.ts';
import { type ClockReading, type JumpRefusal, type JumpRequest, jumpTarget, NOTHING_RAN } from './jump.ts';
import { findClock, insertJump } from './jumps.sql.ts';
import { type ReadTools, readClock } from './read-clock.ts';

export type AdvanceTools = ReadTools & {
  /** Wakes the work that moves clocks. */
  readonly wakeSignal: WakeSignal;
  /** Notified when a jump ends in this process. */
  readonly ended: WakeSignal;
  readonly answerMilliseconds: number;
  readonly stopping: AbortSignal;
};

export type AdvanceResult =
  | { readonly kind: 'arrived' | 'underWay'; readonly reading: ClockReading }
  | { readonly kind: 'refused'; readonly refusal: JumpRefusal };

/** How often the row is read: another process may move the clock. */
const LOOK_MILLISECONDS = 200;
/** Between reading the clock and starting a jump, another one may have come and gone. */
const MOST_STARTS = 3;

/**
 * Stores the target and waits for it as long as a caller waits. `clockWork` of any process continues the
 * jump.
 */
export async function advanceClock(
  tools: AdvanceTools,
  merchantId: string,
  request: JumpRequest,
): Promise<AdvanceResult> {
  const started = await startJump(tools, merchantId, request);
  if ('refusal' in started) return { kind: 'refused', refusal: started.refusal };
  tools.wakeSignal.notify();
  const endsAt = performance.now() + tools.answerMilliseconds;
  let ran = started.ran;
  while (true) {
    const wakesBefore = tools.ended.count();
    const { jumpNumber, ...reading } = await readClock(tools, merchantId);
    // A later jump has begun: ours is over, with the result read last.
    if (jumpNumber !== started.jumpNumber)
      return { kind: 'arrived', reading: { ...reading, target: null, ran } };
    if (reading.target === null) return { kind: 'arrived', reading };
    ran = reading.ran;
    const left = endsAt - performance.now();
    if (left <= 0 || tools.stopping.aborted) return { kind: 'underWay', reading };
    if (tools.ended.count() === wakesBefore) await notifiedOrAfter(tools, Math.min(left, LOOK_MILLISECONDS));
  }
}

type Started = Pick<ClockReading, 'ran'> & { readonly jumpNumber: number };

async function startJump(
  { database, testClock }: AdvanceTools,
  merchantId: string,
  request: JumpRequest,
): Promise<Started | { readonly refusal: JumpRefusal }> {
  for (let start = 0; start < MOST_STARTS; start += 1) {
    const stored = await findClock(database, merchantId);
    if (stored !== null && stored.target !== null) return { refusal: 'underWay' };
    const shift = stored?.shiftMilliseconds ?? 0;
    testClock.note(merchantId, shift);
    const realNow = testClock.unmoved();
    const found = jumpTarget(request, instant(realNow + shift), realNow);
    if ('refusal' in found) return found;
    const jumpNumber = await insertJump(database, merchantId, shift, found.target);
    if (jumpNumber !== null) return { jumpNumber, ran: NOTHING_RAN };
  }
  return { refusal: 'underWay' };
}

function notifiedOrAfter({ ended, stopping }: AdvanceTools, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      stopListening();
      stopping.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    const stopListening = ended.onceNotified(wake);
    stopping.addEventListener('abort', wake, { once: true });
  });
}
