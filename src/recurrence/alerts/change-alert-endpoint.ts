import type { BusinessClock } from '../../platform/business-clock.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import { idOrUnissued } from '../../values/ids.ts';
import type { AlertEndpointMove, AlertEndpointState, Registrar } from './alert-endpoint.ts';
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
  { merchantId, userName }: Registrar,
  alertEndpointId: string,
  state: AlertEndpointState,
  deadlineAt: number,
): Promise<MoveResult> {
  const at = clock.now(merchantId);
  const move = { merchantId, alertEndpointId: idOrUnissued(alertEndpointId), state, by: userName, at };
  const result = await moveAlertEndpoint(move, deadlineAt);
  if (result === 'done' && state === 'active') notifyAlerts();
  return result;
}
