import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export type BareOrder = {
  readonly urls: readonly string[];
  readonly body: string;
  readonly atOnce: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
};

export type BareRun = {
  readonly perSecond: number;
  /** Of processor time. */
  readonly microsecondsEach: number;
};

const PROGRAM = fileURLToPath(new URL('programs/post.ts', import.meta.url));

/** What the gateway's client does alone: the limit of deliveries, as pgbench is that of payments. */
export function runBarePosts(order: BareOrder): Promise<BareRun> {
  const child = fork(PROGRAM, [JSON.stringify(order)]);
  return new Promise((resolve, reject) => {
    let run: BareRun | undefined;
    child.once('message', (message) => {
      run = message as BareRun;
    });
    // Not before it has ended: its processor time is counted with that of this process's children
    // from then on.
    child.once('exit', (code) => {
      if (run !== undefined) resolve(run);
      else reject(new Error(`the bare loop ended with ${code}`));
    });
  });
}
