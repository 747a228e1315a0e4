import type { Pool } from 'undici';
import { FairLine, type Wanted } from '../work/fair-line.ts';
import { Overloaded } from '../work/overloaded.ts';
import { type Asked, askOnce, type Question } from './ask-once.ts';
import { tracedCall } from './traced-call.ts';

/** Callers that wait for a connection: so many for each. */
const WAITING_FOR_EACH = 8;
const LONGEST_WAIT_MILLISECONDS = 5_000;
/**
 * The other side keeps the rest of the time to answer: what is asked too late only becomes unknown.
 */
const PART_TO_WAIT = 1 / 4;

/**
 * Connections to an acquirer or a bank, shared by merchants, and by the kinds of query within them:
 * where the other side is slow for one of these, the others go on. A query that gets none in its
 * time was not sent.
 */
export class SharedPool {
  readonly #peer: 'acquirer' | 'bank';
  readonly #pool: Pool;
  readonly #line: FairLine;

  constructor(peer: 'acquirer' | 'bank', connections: number, open: (connections: number) => Pool) {
    this.#peer = peer;
    this.#pool = open(connections);
    this.#line = new FairLine({
      name: `connections to the ${peer}`,
      slots: connections,
      waiting: connections * WAITING_FOR_EACH,
      longestWaitMilliseconds: LONGEST_WAIT_MILLISECONDS,
    });
  }

  /** As `askOnce`: never throws, and never takes longer than the timeout. */
  async ask(
    wanted: Wanted,
    question: Question,
    timeout: number,
    largestAnswerBytes?: number,
  ): Promise<Asked> {
    const askedAt = performance.now();
    const ask = () =>
      tracedCall(this.#peer, question, (sent) =>
        askOnce(this.#pool, sent, timeout - (performance.now() - askedAt), largestAnswerBytes),
      );
    try {
      return await this.#line.run(wanted, ask, { milliseconds: timeout * PART_TO_WAIT });
    } catch (error) {
      if (error instanceof Overloaded) return { kind: 'notSent', reason: error.message };
      throw error;
    }
  }

  destroy(): Promise<void> {
    return this.#pool.destroy();
  }
}
