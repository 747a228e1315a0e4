import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDemoMerchant, type Demo } from '../../homologation/create-demo-merchant.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import type { TestDatabase } from './database.ts';
import { auditedTools, keyFileIn, rememberKeyFile } from './keys.ts';

/**
 * Makes the demo merchant without a start of the service, which makes one only beside a simulator
 * of its own.
 */
export async function makeDemoMerchant({ address, runtime }: TestDatabase, folder: string): Promise<Demo> {
  const pool = openDatabase(runtime, () => {});
  rememberKeyFile(address.database, keyFileIn(folder));
  const file = join(folder, 'demo.json');
  await createDemoMerchant(await auditedTools(pool), file, { gatewayUrl: '', integrationUrl: '' });
  await pool.close();
  return JSON.parse(await readFile(file, 'utf8')) as Demo;
}
