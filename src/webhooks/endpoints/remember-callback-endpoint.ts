import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import { callbackEndpoint } from '../deliveries/delivery.ts';
import type { CallbackEndpoint } from './webhook-endpoints.sql.ts';

export type CallbackEndpointTools = {
  readonly writeCallbackEndpoint: BatchedWrite<CallbackEndpoint, true>;
  /** Endpoints of this process that certainly have a row: such a row is never deleted. */
  readonly knownCallbackEndpoints: Set<string>;
};

/** A merchant's callbacks go to one server or two. */
const MOST_REMEMBERED = 20_000;

/**
 * Makes sure that the server behind the callback address of a payment has its row, without which
 * nothing would be delivered there. Usually needs no query. `deadlineAt` in monotonic milliseconds.
 */
export async function rememberCallbackEndpoint(
  { writeCallbackEndpoint, knownCallbackEndpoints: known }: CallbackEndpointTools,
  merchantId: string,
  url: string,
  deadlineAt: number,
): Promise<void> {
  const endpoint = callbackEndpoint(url);
  const name = `${merchantId}|${endpoint}`;
  if (known.has(name)) return;
  await writeCallbackEndpoint({ merchantId, endpoint }, deadlineAt);
  if (known.size >= MOST_REMEMBERED) known.delete(known.values().next().value as string);
  known.add(name);
}
