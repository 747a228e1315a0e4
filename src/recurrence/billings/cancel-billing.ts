import type { MerchantActor } from '../../audit/merchant-event.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { newId } from '../../platform/chance.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import { isUuid } from '../../values/ids.ts';
import type { BillingCancel, CancelResult } from './billing-cancels.sql.ts';

export type CancelBillingTools = {
  readonly clock: BusinessClock;
  readonly writeCancel: BatchedWrite<BillingCancel, CancelResult>;
};

/** Cancels an open billing of this merchant by hand; its series goes on. */
export async function cancelBilling(
  { clock, writeCancel }: CancelBillingTools,
  actor: MerchantActor,
  billingId: string,
  deadlineAt: number,
): Promise<CancelResult> {
  if (!isUuid(billingId)) return 'notFound';
  const { merchantId, userName } = actor;
  const stamp = { by: userName, at: clock.now(merchantId) };
  const key = { merchantId, billingId: billingId.toLowerCase() };
  return writeCancel({ ...key, nextBillingId: newId(), stamp, actor }, deadlineAt);
}
