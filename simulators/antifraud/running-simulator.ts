import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const RUN = join(import.meta.dirname, '../../bin/run.mjs');

/** The real program, started by a test. */
export type RunningSimulator = { readonly url: string; stop(): Promise<void> };

export async function startSimulator(options: readonly string[] = []): Promise<RunningSimulator> {
  const words = [RUN, 'simulators/antifraud/main.ts', '--exit-with-parent', ...options];
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) {
    const { port } = JSON.parse(line) as { port: number };
    return {
      url: `http://127.0.0.1:${port}`,
      async stop() {
        child.kill('SIGTERM');
        await ended;
      },
    };
  }
  throw new Error('the simulator ended before it was ready');
}
