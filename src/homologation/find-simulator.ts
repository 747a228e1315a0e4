import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Simulator, startSimulator } from './start-simulator.ts';

const ADDRESS_FILE = 'address';
const LOOK_MILLISECONDS = 2_000;

/** Notes a running service's simulator, for commands beside it. Gives a function that removes the note. */
export async function noteSimulator(folder: string, url: string): Promise<() => Promise<void>> {
  const path = join(folder, ADDRESS_FILE);
  await writeFile(path, url, { mode: 0o600 });
  return () => rm(path, { force: true });
}

/** The running service's simulator, or one started on its ledger. Null: no ledger, so no charge is known. */
export async function findSimulator(folder: string, say: (line: string) => void): Promise<Simulator | null> {
  if (!existsSync(folder)) return null;
  const url = await readFile(join(folder, ADDRESS_FILE), 'utf8').catch(() => null);
  if (url !== null && (await isThere(url))) return { url, stop: async () => {} };
  return startSimulator({ program: 'acquirer', folder, lateMilliseconds: 0, say });
}

/** A killed service leaves its address behind. */
async function isThere(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(LOOK_MILLISECONDS);
    const answer = await fetch(new URL('/about', url), { signal });
    return answer.ok && ((await answer.json()) as { readonly simulator?: unknown }).simulator === true;
  } catch {
    return false;
  }
}
