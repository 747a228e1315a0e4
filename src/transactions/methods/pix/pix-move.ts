import type { Instant } from '../../../values/instant.ts';
import {
  actsAt,
  NOT_SENT,
  PIX_MOVES,
  type Pix,
  type PixEvent,
  type PixState,
  type RefusalOfBank,
  type ShownState,
  shownState,
} from './pix.ts';

export type PixChange =
  | { readonly event: 'issue'; readonly registered: Pick<Pix, 'pixEmv'> }
  | { readonly event: 'refuse'; readonly reason: RefusalOfBank }
  | { readonly event: 'pay'; readonly payment: NonNullable<Pix['payment']> }
  | { readonly event: Exclude<PixEvent, 'issue' | 'refuse' | 'pay'> };

export type PixMove = {
  readonly from: PixState;
  readonly to: PixState;
  readonly isExpiring: boolean;
  readonly pixEmv: string | null;
  readonly refusalReason: Pix['refusalReason'];
  readonly payment: Pix['payment'];
  readonly actsAt: Instant | null;
  readonly isAsked: boolean;
  /** Business time. */
  readonly moment: Instant;
  /** The change that merchants are notified of; null if they see none. */
  readonly news: { readonly before: ShownState | null; readonly after: ShownState } | null;
};

/** Null: the event cannot happen in the charge's state. */
export function moveOf(pix: Pix, change: PixChange, moment: Instant): PixMove | null {
  const to: PixState | null = PIX_MOVES[pix.state][change.event];
  if (to === null) return null;
  const [before, after] = [shownState(pix), shownState({ state: to })];
  return {
    from: pix.state,
    to,
    isExpiring: change.event === 'startExpiry',
    pixEmv: change.event === 'issue' ? change.registered.pixEmv : pix.pixEmv,
    refusalReason: refusalOf(change),
    payment: change.event === 'pay' ? change.payment : pix.payment,
    actsAt: to === 'waiting' ? actsAt(pix, moment) : null,
    isAsked: to === 'removing',
    moment,
    news: after === null || after === before ? null : { before, after },
  };
}

function refusalOf(change: PixChange): Pix['refusalReason'] {
  if (change.event === 'refuse') return change.reason;
  return change.event === 'withdraw' ? NOT_SENT : null;
}

/**
 * The change that is due because a charge's time is over; null: none yet. It is not the end: the bank is
 * asked what became of the charge, and takes it away, and only its answer ends the charge.
 */
export function calendarChange({ state, actsAt: at }: Pix, now: Instant): PixChange | null {
  return state === 'waiting' && at !== null && at <= now ? { event: 'startExpiry' } : null;
}
