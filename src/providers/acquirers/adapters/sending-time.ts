import type { CancelRequest, NotSent } from '../acquirer.ts';

/** When `markSent` said no: nothing was asked, which says nothing of the acquirer. */
const NOT_MARKED = { kind: 'notSent', reason: 'another process may have it' } as const;

/** With less time its answer would probably be lost, and what is lost may wait for days. */
const LEAST_SEND_MILLISECONDS = 2_500;

/** Nothing was sent, which is a try all the same: the look-up before it was answered. */
const TOO_LATE = { kind: 'notSent', cause: 'notAsked', reason: 'the look-up took too long' } as const;

/** The time of a request that is looked up before it is marked and sent. */
export function sendingTime(timeout: number) {
  const endsAt = performance.now() + timeout;
  const least = Math.min(LEAST_SEND_MILLISECONDS, timeout / 4);
  const left = () => endsAt - performance.now();
  return {
    left,
    /** `takeTurn`: waits so long at most, and before the mark. What is marked and not sent is taken back. */
    async send<Answer>(
      { markSent }: Pick<CancelRequest, 'markSent'>,
      send: (timeoutMilliseconds: number) => Promise<Answer>,
      takeTurn: (milliseconds: number) => Promise<NotSent | null> = async () => null,
    ): Promise<Answer | NotSent> {
      if (left() < least) return TOO_LATE;
      const notNow = await takeTurn(left() - least);
      if (notNow !== null) return notNow;
      if (!(await markSent())) return NOT_MARKED;
      return left() < least ? TOO_LATE : send(left());
    },
  };
}
