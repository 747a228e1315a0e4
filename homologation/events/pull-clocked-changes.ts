import type { ClockedWork } from '../../src/platform/work/due-work.ts';
import { ownCursor } from '../../src/providers/banks/bank.ts';
import { DEFAULT_PROVIDER } from '../../src/providers/provider.ts';
import { type Instant, instant, utcText } from '../../src/values/instant.ts';
import { askSimulator } from '../ask-simulator.ts';
import type { BankTools } from '../boletos/boleto-event.ts';
import type { EventTools } from './ask-for-event.ts';

/** The acquirer's changes of a merchant's charges, for jumps of the test clock. */
export function pullClockedChanges(tools: EventTools): ClockedWork {
  return {
    name: 'changes',
    earliestDue: (merchantId, until) => findNextChange(tools, merchantId, until),
    runDue: (merchantId) => tools.changes.pullAndApplyOf(merchantId),
  };
}

/** The provider whose simulator homologation brings along. */
const SIMULATED = DEFAULT_PROVIDER;

/** The next change for this merchant up to an instant, or one not pulled yet; null: none. Books nothing. */
async function findNextChange(
  { simulatorUrl, changes }: EventTools,
  merchantId: string,
  until: Instant,
): Promise<Instant | null> {
  const cursor = await changes.cursorOf(SIMULATED, merchantId);
  return nextChange(simulatorUrl, { merchantId, until: utcText(until), after: cursor ?? undefined });
}

async function nextChange(url: string, query: Record<string, string | undefined>): Promise<Instant | null> {
  const response = await askSimulator(url, '/changes/next', { query });
  const { at } = (await response.json()) as { at: string | null };
  return at === null ? null : instant(Date.parse(at));
}

/** The bank of the simulator's bar codes. */
const SIMULATED_BANK = '237';

/** The bank's changes of a merchant's boletos, for jumps of the test clock. */
export function pullClockedBankChanges(tools: BankTools): ClockedWork {
  return {
    name: 'changes',
    earliestDue: (merchantId, until) => findNextBankChange(tools, merchantId, until),
    runDue: (merchantId) => tools.feed.pullAndApplyOf(merchantId),
  };
}

/** The next change for this merchant up to an instant, in business time; null: none. Books nothing. */
async function findNextBankChange(
  { bankUrl, feed }: BankTools,
  merchantId: string,
  until: Instant,
): Promise<Instant | null> {
  const cursor = ownCursor(SIMULATED_BANK, await feed.cursorOf(SIMULATED, merchantId));
  return nextChange(bankUrl, { merchantId, until: utcText(until), cursor: cursor ?? undefined });
}
