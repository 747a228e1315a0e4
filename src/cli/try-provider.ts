import { ACQUIRER_ADAPTERS, ACQUIRER_CONNECT_MILLISECONDS } from '../providers/acquirers/open-acquirer.ts';
import { credentialsChannel, openCredentials } from '../providers/open-provider-table.ts';
import { adapterOf } from '../providers/provider.ts';
import type { StoredProvider } from '../providers/providers.sql.ts';
import type { AuditedCommandTools, GivenOptions, Refusal } from './command.ts';
import { readOptionFile } from './option-files.ts';
import { readTrialCard, type Trial, tryAcquirer } from './try-acquirer.ts';

export const NO_TRIAL: Trial = { lines: [], isBad: false };
/** The charge's merchant, for acquirers that ask for one. */
const TRIAL_MERCHANT = 'provider-test';

/** With a card, asks the acquirer to verify it, and to charge it if wanted. */
export async function tryProvider(
  given: GivenOptions,
  tools: AuditedCommandTools,
  found: StoredProvider,
): Promise<Trial | Refusal> {
  const path = given.one('card-file');
  if (path === null)
    return given.has('charge') ? { option: '--charge', message: '--charge needs --card-file' } : NO_TRIAL;
  if (found.kind !== 'acquirer') return { option: '--card-file', message: 'only an acquirer takes cards' };
  const text = await readOptionFile(path).catch(() => '');
  const card = readTrialCard(text);
  if (typeof card === 'string') return { option: '--card-file', message: `--card-file: ${card}` };
  const credentials = await openCredentials(tools.keyring, found);
  const channel = credentialsChannel(credentials, ACQUIRER_CONNECT_MILLISECONDS);
  const { url, settings, name } = found;
  const access = { url, credentials, settings };
  const acquirer = adapterOf(ACQUIRER_ADAPTERS, found).open(access, channel, () => {});
  try {
    const wanted = { merchantId: TRIAL_MERCHANT, name, card, isToBeCharged: given.has('charge') };
    return await tryAcquirer(tools, acquirer, wanted);
  } finally {
    await acquirer.close();
    channel.close();
  }
}
