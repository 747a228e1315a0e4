import type { Database } from '../../../platform/postgres/database.ts';
import { taskOfPayment } from '../../../platform/tracing/scope.ts';
import { DISPATCH } from '../../../platform/work/dispatch-policy.ts';
import { Dispatcher } from '../../../platform/work/dispatcher.ts';
import type { Work } from '../../../platform/work/due-work.ts';
import type { OutageWatch } from '../../../platform/work/outage-watch.ts';
import { createWakeSignal } from '../../../platform/work/wake-signal.ts';
import type { Acquirer, FoundCharge, VoidAnswer } from '../../../providers/acquirers/acquirer.ts';
import type { Acquirers } from '../../../providers/open-acquirers.ts';
import type { AskAcquirerTools } from '../../requests/send-request.ts';
import {
  claimWatchedCharges,
  EARLIEST_WATCHED,
  forgetWatchedCharge,
  type WatchedCharge,
} from './watched-charges.sql.ts';

export type CheckWatchedTools = Omit<AskAcquirerTools, 'acquirers'> & {
  readonly acquirers: Pick<Acquirers, 'of' | 'all'>;
  readonly database: Database;
  /** Whether each acquirer answers at all. */
  readonly outage: OutageWatch;
  /** Called for a charge that was live after it had been found to be gone: an alarm. */
  readonly alarm: (charge: WatchedCharge, voided: VoidAnswer['kind']) => void;
  /** Called for a charge whose acquirer could not be asked any more before its time was over: an alarm. */
  readonly alarmUnseen: (charge: WatchedCharge) => void;
};

/**
 * `open`: its outcome is unknown, and it stands among the unresolved. `unseen`: nothing is known of it.
 * `late`: it was live, and its void was answered like this.
 */
type Look =
  | { readonly kind: 'open' | 'unseen' | 'clear' }
  | { readonly kind: 'late'; readonly voided: VoidAnswer['kind'] };

/** Between two looks at one charge. */
const PAUSE_MILLISECONDS = 1_800_000;

export function checkWatchedCharges(tools: CheckWatchedTools): Work {
  const { database, outage } = tools;
  return new Dispatcher<WatchedCharge, Look>({
    name: 'checkWatchedCharges',
    limits: DISPATCH.watchedCharges,
    wakeSignal: createWakeSignal(),
    outage,
    async claim(_limit, share) {
      const tasks = await claimWatchedCharges(database, share, PAUSE_MILLISECONDS);
      return { tasks, isEnd: tasks.length === 0 };
    },
    send: (charge) => lookAt(tools, charge),
    record: (charge, look) => record(tools, charge, look),
    about: taskOfPayment,
    piece: EARLIEST_WATCHED,
    pieceValues: (passedOver) => [passedOver],
  });
}

async function record(tools: CheckWatchedTools, charge: WatchedCharge, look: Look): Promise<void> {
  if (look.kind === 'late') {
    tools.alarm(charge, look.voided);
    if (charge.isLongOver) await forgetWatchedCharge(tools.database, charge);
    return;
  }
  // It is watched on, as long as it may still end.
  if (look.kind === 'open') return;
  if (look.kind === 'unseen' ? !charge.isLongOver : !charge.isOver) return;
  await forgetWatchedCharge(tools.database, charge);
  if (look.kind === 'unseen') tools.alarmUnseen(charge);
}

/**
 * A charge whose outcome was recorded as nothing must not be live, whatever the acquirer booked later, and
 * one that was kept must have no twin.
 */
async function lookAt(tools: CheckWatchedTools, charge: WatchedCharge): Promise<Look> {
  const { acquirers, outage, acquirerTimeoutMilliseconds: timeout } = tools;
  const { merchantId, transactionId, state } = charge;
  const asked = { merchantId, provider: charge.acquirer };
  // A person or a restore may have it in another state; nothing is voided then.
  if (state === 'charging' || state === 'unresolved') return { kind: 'open' };
  if (!acquirers.all().includes(charge.acquirer) || !outage.mayAsk(asked)) return { kind: 'unseen' };
  const acquirer = acquirers.of(charge.acquirer);
  const found = await acquirer.find(merchantId, transactionId, timeout);
  if (found.kind === 'notSent') return { kind: 'unseen' };
  outage.observe(found.kind !== 'unknown' || found.isSilence === false, asked);
  if (found.kind === 'unknown') return { kind: 'unseen' };
  const voided = await voidUnwanted(acquirer, charge, found, timeout);
  return voided === null ? { kind: 'clear' } : { kind: 'late', voided };
}

/** Null: nothing is live that must not be. */
async function voidUnwanted(
  acquirer: Acquirer,
  { merchantId, transactionId, state, tid }: WatchedCharge,
  found: FoundCharge,
  timeout: number,
): Promise<VoidAnswer['kind'] | null> {
  if (found.kind !== 'approved' && found.kind !== 'preauthorized') return null;
  if (state === 'voided' || state === 'declined')
    return (await acquirer.voidCharge(merchantId, transactionId, timeout)).kind;
  // The kept one may have been given back: then the only live one is a twin.
  const isKeptAlone = found.kind === 'approved' && found.tid === tid && found.hasTwins !== true;
  if (tid === null || isKeptAlone) return null;
  const voided = await acquirer.voidTwins(merchantId, transactionId, tid, timeout);
  return voided.kind === 'voided' && voided.charges === 0 ? null : voided.kind;
}
