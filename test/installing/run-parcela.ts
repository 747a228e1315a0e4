import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from '../kit/service.ts';

const PARCELA = fileURLToPath(new URL('../../bin/parcela', import.meta.url));

export type Ended = { readonly code: number | null; readonly printed: string; readonly said: string };
export type Settings = Readonly<Record<string, string>>;

/** `bin/parcela …` as an operator runs it, in a process of its own. */
export function runParcela(words: readonly string[], settings: Settings, program = PARCELA): Promise<Ended> {
  const child = spawn(program, words, {
    env: cleanEnvironment(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed: Buffer[] = [];
  const said: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({ code, printed: Buffer.concat(printed).toString(), said: Buffer.concat(said).toString() }),
    );
  });
}
