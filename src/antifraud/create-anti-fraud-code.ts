import type { Keyring } from '../keys/open-keyring.ts';
import { newId } from '../platform/chance.ts';
import type { GatheredWrite } from '../platform/postgres/gathered-writes.ts';
import { CODE_LIFETIME_MILLISECONDS } from './anti-fraud.ts';
import type { CodeRow } from './codes.sql.ts';
import { codePrints } from './prints.ts';

export type CreateCodeTools = {
  readonly keyring: Pick<Keyring, 'fingerprints'>;
  readonly writeCode: GatheredWrite<CodeRow, true>;
};

/** Gives a new code of this merchant: one hour, one approval. Of what the page told only prints are kept. */
export async function createAntiFraudCode(
  tools: CreateCodeTools,
  merchantId: string,
  told: { readonly ipAddress: string | null; readonly deviceId: string | null },
  deadlineAt: number,
): Promise<string> {
  const code = newId();
  const prints = codePrints(tools.keyring, merchantId, told);
  const row = { merchantId, code, ...prints, lifetimeMilliseconds: CODE_LIFETIME_MILLISECONDS };
  await tools.writeCode(row, deadlineAt);
  return code;
}
