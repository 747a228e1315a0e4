import { request } from 'node:http';
import type { Answer } from './well-merchant.ts';

const EVERY_MILLISECONDS = 200;
const PATH = '/health/live';

/**
 * Asks whether the process is alive as an orchestrator does: over a new connection each time, and
 * what is not answered by the deadline counts as dead.
 */
export class HealthWatch {
  readonly #url: string;
  readonly #deadlineMilliseconds: number;
  readonly #asking: NodeJS.Timeout;
  readonly #underWay = new Set<Promise<unknown>>();
  #answers: Answer[] = [];

  constructor(url: string, deadlineMilliseconds: number) {
    this.#url = url;
    this.#deadlineMilliseconds = deadlineMilliseconds;
    this.#asking = setInterval(() => this.#askOnce(), EVERY_MILLISECONDS);
  }

  /** What was answered since this was asked last. */
  async take(): Promise<readonly Answer[]> {
    await Promise.all(this.#underWay);
    const answers = this.#answers;
    this.#answers = [];
    return answers;
  }

  close(): void {
    clearInterval(this.#asking);
  }

  #askOnce(): void {
    const asking = askHealth(this.#url, this.#deadlineMilliseconds).then((answer) => {
      this.#answers.push(answer);
      this.#underWay.delete(asking);
    });
    this.#underWay.add(asking);
  }
}

function askHealth(url: string, deadlineMilliseconds: number): Promise<Answer> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const end = (status: number | null, lostBy: string | null) => {
      clearTimeout(timer);
      asking.destroy();
      resolve({ what: PATH, status, lostBy, milliseconds: performance.now() - startedAt });
    };
    const asking = request(url + PATH, { agent: false, localAddress: '127.0.0.1' }, (response) => {
      response.resume();
      response.once('end', () => end(response.statusCode ?? 0, null));
    });
    asking.on('error', (error: Error & { code?: string }) => end(null, error.code ?? error.name));
    // An answer that has come while this process was busy is read first: it was in time.
    const timer = setTimeout(
      () => setImmediate(() => setImmediate(() => end(null, 'none in time'))),
      deadlineMilliseconds,
    );
    asking.end();
  });
}
