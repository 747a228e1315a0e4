import type { GatheredWrite } from '../../platform/postgres/gathered-writes.ts';
import { callbackTarget } from '../deliveries/delivery.ts';
import type { CallbackTarget } from './targets.sql.ts';

export type CallbackTargetTools = {
  readonly writeCallbackTarget: GatheredWrite<CallbackTarget, true>;
  /** Those that are known to be there, of this process: a row of them is never deleted. */
  readonly knownCallbackTargets: Set<string>;
};

/** A merchant's callbacks go to one server or two. */
const MOST_REMEMBERED = 20_000;

/**
 * Sees to it that the server behind the callback address of a payment has its row, without which nothing would be delivered
 * there. Mostly asks nobody. `deadlineAt` in monotonic milliseconds.
 */
export async function rememberCallbackTarget(
  { writeCallbackTarget, knownCallbackTargets: known }: CallbackTargetTools,
  merchantId: string,
  url: string,
  deadlineAt: number,
): Promise<void> {
  const target = callbackTarget(url);
  const name = `${merchantId}|${target}`;
  if (known.has(name)) return;
  await writeCallbackTarget({ merchantId, target }, deadlineAt);
  if (known.size >= MOST_REMEMBERED) known.delete(known.values().next().value as string);
  known.add(name);
}
