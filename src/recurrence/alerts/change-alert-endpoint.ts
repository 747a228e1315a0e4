import type { MerchantActor } from '../../audit/merchant-event.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import { idOrUnissued } from '../../values/ids.ts';
import type { AlertEndpointMove, AlertEndpointState } from './alert-endpoint.ts';
import type { MoveResult } from './alert-endpoints.sql.ts';

export type ChangeAlertEndpointTools = {
  readonly clock: BusinessClock;
  readonly moveAlertEndpoint: BatchedWrite<AlertEndpointMove, MoveResult>;
  /** An endpoint may have to be notified of cards at once. */
  readonly notifyAlerts: () => void;
};

/**
 * Ends an alert endpoint of this merchant, or makes it active again. What has the state already is
 * not changed. One of another merchant, and a text that is no id, is not found like one that never
 * was.
 */
export async function changeAlertEndpoint(
  { clock, moveAlertEndpoint, notifyAlerts }: ChangeAlertEndpointTools,
  actor: MerchantActor,
  alertEndpointId: string,
  state: AlertEndpointState,
  deadlineAt: number,
): Promise<MoveResult> {
  const { merchantId } = actor;
  const at = clock.now(merchantId);
  const move = { merchantId, alertEndpointId: idOrUnissued(alertEndpointId), state, actor, at };
  const result = await moveAlertEndpoint(move, deadlineAt);
  if (result === 'done' && state === 'active') notifyAlerts();
  return result;
}
