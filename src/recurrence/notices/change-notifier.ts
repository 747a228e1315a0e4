import type { BusinessClock } from '../../platform/business-clock.ts';
import type { GatheredWrite } from '../../platform/postgres/gathered-writes.ts';
import { idOrNobodys } from '../../values/ids.ts';
import type { NotifierMove, NotifierState, Registrar } from './notifier.ts';
import type { MoveResult } from './notifiers.sql.ts';

export type ChangeNotifierTools = {
  readonly clock: BusinessClock;
  readonly moveNotifier: GatheredWrite<NotifierMove, MoveResult>;
  /** Somebody may have to be told of cards at once. */
  readonly ringNotifiers: () => void;
};

/**
 * Ends a notifier of this merchant, or has it again. What has the state already is not changed. One of another merchant, and a
 * text that is no id, is not found like one that never was.
 */
export async function changeNotifier(
  { clock, moveNotifier, ringNotifiers }: ChangeNotifierTools,
  { merchantId, userName }: Registrar,
  notifierId: string,
  state: NotifierState,
  deadlineAt: number,
): Promise<MoveResult> {
  const at = clock.now(merchantId);
  const move = { merchantId, notifierId: idOrNobodys(notifierId), state, by: userName, at };
  const result = await moveNotifier(move, deadlineAt);
  if (result === 'done' && state === 'active') ringNotifiers();
  return result;
}
