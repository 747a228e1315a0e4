import type { MerchantActor } from '../../audit/merchant-event.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { findRegistration, type Removal, type RemoveResult } from './webhook-endpoints.sql.ts';

export type DeleteWebhookTools = {
  readonly database: Database;
  readonly removeRegistration: BatchedWrite<Removal, RemoveResult>;
  /** Wakes the work that gives up the deliveries beyond one commit. */
  readonly notifyRemoved: () => void;
};

/**
 * Removes the registered address of an account with its login, and gives up its waiting deliveries:
 * the first of them in the same commit, the rest right after. Returns the address; null when none
 * was registered, or there is no such account.
 */
export async function deleteWebhook(
  { database, removeRegistration, notifyRemoved }: DeleteWebhookTools,
  registrant: MerchantActor,
  accountNumber: string,
  deadlineAt: number,
): Promise<string | null> {
  const { merchantId } = registrant;
  const url = (await findRegistration(database, merchantId, accountNumber))?.url ?? null;
  if (url === null) return null;
  const result = await removeRegistration({ merchantId, accountNumber, registrant }, deadlineAt);
  notifyRemoved();
  return result === 'removed' ? url : null;
}
