import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What came in since it was last taken; times are of the machine's clock, in milliseconds. */
export type Arrivals = {
  count: number;
  firstAt: number;
  lastAt: number;
  /** `webhook-id` of each, and when its last byte was there. */
  readonly ids: string[];
  readonly times: number[];
};

export type Asked =
  | { readonly ask: 'count' }
  | { readonly ask: 'take'; readonly keepsIds: boolean }
  | { readonly ask: 'hang'; readonly targets: readonly number[]; readonly hangs: boolean };

export type Listener = {
  readonly process: ChildProcess;
  /** Addresses that answer 200 at once while they do not hang, each a server of its own. */
  readonly urls: readonly string[];
  count(): Promise<Arrivals>;
  /** What came, and begins anew. `keepsIds`: whether it will tell one by one what comes next. */
  take(keepsIds?: boolean): Promise<Arrivals>;
  /** From now on these (by their place in `urls`) take connections and answer nothing, or are well again. */
  hang(targets: readonly number[], hangs: boolean): Promise<Arrivals>;
  stop(): void;
};

const PROGRAM = fileURLToPath(new URL('programs/listen.ts', import.meta.url));

export async function startListener(ports: number): Promise<Listener> {
  const child = fork(PROGRAM, [String(ports)]);
  const stop = () => void child.kill();
  process.once('exit', stop);
  const answer = async <T>(): Promise<T> => {
    const [message] = await once(child, 'message', { signal: AbortSignal.timeout(30_000) });
    return message as T;
  };
  const listening = await answer<number[]>();
  const ask = (asked: Asked) => {
    const answered = answer<Arrivals>();
    child.send(asked);
    return answered;
  };
  return {
    process: child,
    urls: listening.map((port) => `http://127.0.0.1:${port}/webhook`),
    count: () => ask({ ask: 'count' }),
    take: (keepsIds = true) => ask({ ask: 'take', keepsIds }),
    hang: (targets, hangs) => ask({ ask: 'hang', targets, hangs }),
    stop,
  };
}
