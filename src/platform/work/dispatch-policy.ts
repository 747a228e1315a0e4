import type { MerchantShare } from './fair-queue.ts';

/** Of tasks that were claimed, or of those that were written just now. */
export type LaneLimits = MerchantShare & {
  /** Under way at the same time. */
  readonly slots: number;
  /** Waiting for one of these slots. */
  readonly queued: number;
};

export type DispatchLimits = {
  /** Under way at the same time in this process, of both lanes; at one endpoint. */
  readonly slots: number;
  readonly ofEndpoint: number;
  readonly claimed: LaneLimits;
  readonly now: LaneLimits;
  /** What one claim takes at most. */
  readonly atOnce: number;
  /**
   * While more wait for a slot than are under way, the next claim comes after this pause: others have their
   * turn.
   */
  readonly longLineMilliseconds: number;
  /** What waits in this process for longer is handed back. */
  readonly longestWaitMilliseconds: number;
};

/** What a process has in hand. */
export type DispatchState = {
  /** Slots taken, and tasks that wait for one. */
  readonly claimed: { readonly taken: number; readonly queued: number };
  readonly now: { readonly taken: number };
  /** Sent, and neither recorded nor in a slot any more. */
  readonly recording: number;
  /** Whether those who are asked answer nothing, and when one of them may be asked again; 0: now. */
  readonly isAway: boolean;
  readonly millisecondsUntilProbe: number;
  /** The moment from which the next claim may come though the line is long. */
  readonly nextClaimAt: number;
};

const NO_LANE: LaneLimits = { slots: 0, ofMerchant: 0, ofMerchantAlone: 0, queued: 0 };
const QUARTER = 1 / 4;
const UNBOUNDED = Number.POSITIVE_INFINITY;
const DELIVERY_SLOTS = 64;
/** Claimed and not yet recorded, slots included: a claim of many costs little more than one of few. */
const DELIVERIES_IN_HAND = 256;
/** Billings that one read finds: it costs little more for many. */
const BILLINGS_AT_ONCE = 256;

/** What a process does at the same time. */
export const DISPATCH = {
  /**
   * What waited gets half of the slots: a backlog must not delay what happens now. And it always keeps a
   * quarter: nor may the present stop it. One merchant, which may have thousands of servers that hang, leaves
   * a quarter of either lane to the others also while they have nothing: a slot may be taken for as long as a
   * try lasts, 15 s. Nothing waits for longer than leaves a try and its record their time within the lease.
   */
  deliveries: {
    slots: DELIVERY_SLOTS,
    ofEndpoint: 8,
    claimed: lane(DELIVERY_SLOTS / 2, { queued: DELIVERIES_IN_HAND - DELIVERY_SLOTS / 2, sharesAlone: true }),
    now: lane(DELIVERY_SLOTS * (1 - QUARTER), { queued: 256, sharesAlone: true }),
    atOnce: DELIVERIES_IN_HAND,
    longLineMilliseconds: 50,
    longestWaitMilliseconds: 8_000,
  },
  /** As many as the bridge has connections for resolving; of both a merchant has the same share. */
  unresolvedCharges: inSlots(32),
  /** Cancels go over the connections that charge: few of them, so that payments always find one. */
  unresolvedCancels: inSlots(16),
  /** Captures too, when their answer was lost. */
  unresolvedCaptures: inSlots(16),
  /** Boletos about which the bank is asked, and no caller waits. */
  unresolvedBoletos: inSlots(16),
  /** Jumps of different merchants' clocks; one merchant has one at a time. */
  jumps: inSlots(4),
} as const satisfies Record<string, DispatchLimits>;

/** Of these in hand: of one merchant, of one endpoint; and probes, most of which go where nothing answers. */
export const CLAIMED_DELIVERIES = {
  ofMerchant: DELIVERIES_IN_HAND * (1 - QUARTER),
  ofEndpoint: 32,
  probes: 8,
} as const;

/**
 * Billings are read without a lease, and a process has more in hand than it has slots. A merchant leaves a
 * quarter of the slots to others while others wait; alone it has all of them.
 */
export function chargingLimits(slots: number): DispatchLimits {
  const claimed = lane(slots, { queued: BILLINGS_AT_ONCE + slots, sharesAlone: false });
  return { ...inSlots(slots), claimed, atOnce: BILLINGS_AT_ONCE, longLineMilliseconds: UNBOUNDED };
}

/**
 * A free slot takes the next due row of a merchant that may have one more (`fairClaim`); nothing waits in the
 * process, where its lease would run.
 */
function inSlots(slots: number): DispatchLimits {
  return {
    slots,
    ofEndpoint: UNBOUNDED,
    claimed: { slots, ofMerchant: slots, ofMerchantAlone: slots, queued: 0 },
    now: NO_LANE,
    atOnce: slots,
    longLineMilliseconds: 0,
    longestWaitMilliseconds: UNBOUNDED,
  };
}

function lane(
  slots: number,
  options: { readonly queued: number; readonly sharesAlone: boolean },
): LaneLimits {
  const ofMerchant = Math.ceil(slots - slots * QUARTER);
  return {
    slots,
    ofMerchant,
    ofMerchantAlone: options.sharesAlone ? ofMerchant : slots,
    queued: options.queued,
  };
}

/**
 * Slots of what was claimed that may be filled. While the other side is away a single task is sent at a time,
 * with a pause, so that it is not hammered and its return is noticed soon: what is begun would only stay
 * unknown.
 */
export function freeClaimedSlots(limits: DispatchLimits, state: DispatchState): number {
  if (state.isAway) {
    const mayAsk = limits.slots > 0 && state.claimed.taken === 0 && state.millisecondsUntilProbe === 0;
    return mayAsk ? 1 : 0;
  }
  return Math.max(0, Math.min(limits.claimed.slots - state.claimed.taken, freeOfAll(limits, state)));
}

/** Slots for what was written just now that may be filled. */
export function freeNowSlots(limits: DispatchLimits, state: DispatchState): number {
  return Math.max(0, Math.min(limits.now.slots - state.now.taken, freeOfAll(limits, state)));
}

function freeOfAll({ slots }: DispatchLimits, { claimed, now }: DispatchState): number {
  return slots - claimed.taken - now.taken;
}

/** Another claim is due before the last of those that wait goes. */
export function isLineShort({ claimed }: DispatchState): boolean {
  return claimed.queued <= claimed.taken;
}

/** How many to claim now; 0: there is no free slot, or too few to be worth it. */
export function claimLimit(limits: DispatchLimits, state: DispatchState, now: number): number {
  if (!isLineShort(state) && now < state.nextClaimAt) return 0;
  const free = state.isAway ? freeClaimedSlots(limits, state) : limits.claimed.slots - state.claimed.taken;
  if (free <= 0 && (state.isAway || limits.slots === 0)) return 0;
  const room = free + limits.claimed.queued - state.claimed.queued - state.recording;
  return Math.max(0, Math.min(limits.atOnce, room));
}
