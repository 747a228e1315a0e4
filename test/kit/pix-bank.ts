import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSimulator, type Simulator } from './service.ts';

/** The simulated bank of Pix, with a ledger in a folder of its own below this one, and its settings. */
export async function openPixBank(
  below: string,
): Promise<{ readonly pix: Simulator; readonly settings: Readonly<Record<string, string>> }> {
  const folder = await mkdtemp(join(below, 'pix-'));
  const pix = await openSimulator(join(folder, 'ledger'), [], 'pix');
  const tokenFile = join(folder, 'token');
  await writeFile(tokenFile, 'parcela:secret', { mode: 0o600 });
  const settings = {
    PARCELA_PIX_URL: `${pix.url}/api/v2`,
    PARCELA_PIX_TOKEN_FILE: tokenFile,
    PARCELA_PIX_SETTINGS: 'key=pix@loja.example; pageSize=2',
  };
  return { pix, settings };
}
