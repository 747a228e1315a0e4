import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Demo } from '../../homologation/create-demo-merchant.ts';
import { programOf } from '../../src/platform/home.ts';

const MAIN = programOf('src/main.ts');
const READY_MILLISECONDS = 120_000;
/** Beside a service that somebody has running on 8080. */
const FIRST_PORT = 18_080;
const PORTS_TRIED = 100;
/** `/metrics` is so far above the APIs by default. */
const METRICS_ABOVE = 1_000;

/**
 * The service as `npm start` runs it, with its own PostgreSQL and simulator, on a data folder that
 * nobody needs afterwards.
 */
export type OwnParcela = {
  readonly demo: Demo;
  readonly folder: string;
  /** Ends it and removes the folder. Harmless to repeat. */
  close(): Promise<void>;
};

/**
 * Throws with what the service said when it does not start. `signal`: give up, and leave nothing
 * behind.
 */
export async function startParcela(signal: AbortSignal): Promise<OwnParcela> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-tour-'));
  try {
    return await startOnFreePort(folder, FIRST_PORT, signal);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The port may be taken between a look at it and the start, which then goes on with the next. */
async function startOnFreePort(folder: string, from: number, signal: AbortSignal): Promise<OwnParcela> {
  const port = await freePort(from);
  const service = spawn(process.execPath, [...MAIN], {
    env: environmentOf({ PARCELA_PORT: String(port), PARCELA_DATA_DIR: folder, PARCELA_LOG_LEVEL: 'warn' }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => {
    service.once('close', () => resolve());
    service.once('error', () => resolve());
  });
  const end = () => {
    service.kill('SIGTERM');
    return ended;
  };
  try {
    await ready(service, signal);
  } catch (error) {
    await end();
    if (!signal.aborted && String(error).includes('EADDRINUSE'))
      return startOnFreePort(folder, port + 1, signal);
    throw error;
  }
  const demo = JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8')) as Demo;
  const close = async () => {
    await end();
    await rm(folder, { recursive: true, force: true });
  };
  return { demo, folder, close };
}

/** The environment may hold settings for another service. */
function environmentOf(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('PARCELA_') && name !== 'DATABASE_URL' && !name.startsWith('NODE_TEST'),
  );
  return { ...Object.fromEntries(kept), ...settings };
}

function ready(service: ChildProcess, signal: AbortSignal): Promise<void> {
  const said: string[] = [];
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail('it was not ready in time'), READY_MILLISECONDS);
    function fail(reason: string): void {
      clearTimeout(timer);
      reject(new Error(`the service did not start: ${reason}\n${said.join('\n')}`));
    }
    service.once('error', (error) => fail(error.message));
    service.once('exit', (code) => fail(`it ended with ${code}`));
    if (signal.aborted) fail('it was interrupted');
    signal.addEventListener('abort', () => fail('it was interrupted'), { once: true });
    createInterface({ input: service.stderr as NodeJS.ReadableStream }).on('line', (line) => {
      said.push(line);
      if (!line.startsWith('  Demo logins')) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

async function freePort(from: number): Promise<number> {
  for (let port = from; port < FIRST_PORT + PORTS_TRIED; port += 1) {
    if ((await isFree(port)) && (await isFree(port + METRICS_ABOVE))) return port;
  }
  throw new Error(`no port from ${FIRST_PORT} to ${FIRST_PORT + PORTS_TRIED - 1} is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
