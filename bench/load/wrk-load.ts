import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Carriers } from './carriers.ts';
import { bodyTemplate, type PaymentKind } from './payment-kinds.ts';

export type Run = {
  /** Answered with 200. */
  readonly paid: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
};

export type Load = {
  readonly gatewayUrl: string;
  /** Used in turn: one for each account that sells. */
  readonly accessTokens: readonly string[];
  readonly kind: PaymentKind;
  readonly carriers: Carriers;
};

const SCRIPT = fileURLToPath(new URL('payments.lua', import.meta.url));

export function requireTools(): void {
  for (const tool of ['wrk', 'pgbench']) {
    if (spawnSync(tool, ['--version']).error !== undefined) {
      throw new Error('the load comes from wrk and the limit from pgbench: install both first');
    }
  }
}

/** A run of wrk that goes on; the answer of `finish` is the whole run's. */
export type WrkRun = { readonly process: ChildProcess; finish(): Promise<Run> };

/** As many payments as the connections can make one after the other. */
export async function startWrk(
  { gatewayUrl, accessTokens, kind, carriers }: Load,
  connections: number,
  seconds: number,
): Promise<WrkRun> {
  const templates = `${carriers.file}.templates`;
  await writeFile(templates, kind.shapes.map((shape) => `${bodyTemplate(kind, shape)}\n`).join(''));
  const words = [
    ...[accessTokens.join(','), templates, carriers.file],
    ...[carriers.isUsedAgain ? 'again' : 'once', kind.isKeyed ? 'keyed' : 'keyless'],
  ];
  return startScript({ script: SCRIPT, url: `${gatewayUrl}/v1/payments`, words }, connections, seconds);
}

/** wrk with a script that ends by writing a `Run` behind the word RESULT; `words` are the script's own. */
export type WrkScript = { readonly script: string; readonly url: string; readonly words: readonly string[] };

export function startScript({ script, url, words }: WrkScript, connections: number, seconds: number): WrkRun {
  const options = [
    ...['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--latency', '-s', script],
    // The service has its own deadline, of 15 s.
    ...['--timeout', '20s'],
  ];
  // An access token may begin with a dash.
  const child = spawn('wrk', [...options, '--', url, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = new Promise((resolve) => child.once('close', resolve));
  const end = () => child.kill();
  process.once('exit', end);
  return {
    process: child,
    async finish() {
      await closed;
      process.removeListener('exit', end);
      const text = Buffer.concat(chunks).toString();
      const result = /RESULT (\{.*\})/.exec(text)?.[1];
      if (result === undefined) throw new Error(`wrk gave no result:\n${text}`);
      return JSON.parse(result) as Run;
    },
  };
}

export async function runWrk(load: Load, connections: number, seconds: number): Promise<Run> {
  return wholeRun(await startWrk(load, connections, seconds));
}

/** Whatever is refused was not done: a run that measures refusals is no measurement. */
export async function wholeRun(started: WrkRun): Promise<Run> {
  const run = await started.finish();
  if (run.failed > run.paid / 100) {
    throw new Error(`${run.failed} requests failed beside ${run.paid} that were answered with 200`);
  }
  return run;
}
