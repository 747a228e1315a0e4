import type { MerchantShare } from './fair-queue.ts';

/** The limits of a lane: `claimed` has tasks claimed from the database, `now` those written just now. */
export type LaneLimits = MerchantShare & {
  /** The most tasks under way at the same time. Slow ones (`MerchantShare.slow`) do not count. */
  readonly slots: number;
  readonly queued: number;
};

export type DispatchLimits = {
  /** `slots`: the most tasks of both lanes under way in this process. `ofEndpoint`: those at one endpoint. */
  readonly slots: number;
  readonly ofEndpoint: number;
  readonly claimed: LaneLimits;
  readonly now: LaneLimits;
  readonly atOnce: number;
  /** The pause before the next claim while more tasks wait than run, so that other processes get a turn. */
  readonly longLineMilliseconds: number;
  /** Tasks that wait longer here are handed back. */
  readonly longestWaitMilliseconds: number;
};

export type DispatchState = {
  /**
   * `taken`: slots. `slow`: tasks under way that hold no slot. `queued`: waiting tasks. `ready`: those of
   * them that would take a free slot.
   */
  readonly claimed: {
    readonly taken: number;
    readonly slow: number;
    readonly queued: number;
    readonly ready: number;
  };
  readonly now: { readonly taken: number };
  /** Tasks that were sent and gave back their slot, and whose record is not written yet. */
  readonly recording: number;
  /** Whether the other side answers nothing, and when it may be asked again; 0: now. */
  readonly isAway: boolean;
  readonly millisecondsUntilProbe: number;
  /** When the next claim may come although many tasks wait, in monotonic milliseconds. */
  readonly nextClaimAt: number;
};

const NO_LANE: LaneLimits = { slots: 0, ofMerchant: 0, ofMerchantAlone: 0, slow: 0, queued: 0 };
const QUARTER = 1 / 4;
const UNBOUNDED = Number.POSITIVE_INFINITY;
const DELIVERY_SLOTS = 64;
/**
 * Slow deliveries of each lane. With those in slots they are far fewer than the connections that a process
 * may open.
 */
const SLOW_DELIVERIES = 128;
/** Deliveries that are claimed and not yet recorded. A claim of many costs little more than one of few. */
const DELIVERIES_IN_HAND = 256;
/** Billings found by one read, which costs little more for many. */
const BILLINGS_AT_ONCE = 256;

export const DISPATCH = {
  /**
   * A backlog gets half of the slots and always keeps a quarter, so that old and new deliveries cannot stop
   * each other. One merchant, perhaps with thousands of hanging servers, leaves a quarter of each lane free
   * for others: a try may last 15 s. A slow try holds no slot; otherwise the hanging servers of two merchants
   * would hold them all. No wait is so long that a try and its record would outlive the lease.
   */
  deliveries: {
    slots: DELIVERY_SLOTS,
    ofEndpoint: 8,
    claimed: lane(DELIVERY_SLOTS / 2, {
      queued: DELIVERIES_IN_HAND - DELIVERY_SLOTS / 2,
      sharesAlone: true,
      slow: SLOW_DELIVERIES,
    }),
    now: lane(DELIVERY_SLOTS * (1 - QUARTER), { queued: 256, sharesAlone: true, slow: SLOW_DELIVERIES }),
    atOnce: DELIVERIES_IN_HAND,
    longLineMilliseconds: 50,
    longestWaitMilliseconds: 8_000,
  },
  /** As many slots as the bridge has connections for resolving. A merchant has the same share of both. */
  unresolvedCharges: inSlots(32),
  /** Cancels use the connections of charges: few slots, so that payments always find one. */
  unresolvedCancels: inSlots(16),
  /** Nobody waits for these looks, which use the connections for resolving. */
  watchedCharges: inSlots(8),
  /** Captures that the acquirer does not know are sent again in these slots too. */
  unresolvedCaptures: inSlots(16),
  /** Asked at the bank; no caller waits. */
  unresolvedBoletos: inSlots(16),
  /** At the bank of Pix: charges, removals and devolutions. */
  unresolvedPix: inSlots(16),
  /** At the bank of Pix: authorizations and charges of Pix Automático. */
  automaticPix: inSlots(16),
  /** Jumps of different merchants' clocks; a merchant has one at a time. */
  jumps: inSlots(4),
} as const satisfies Record<string, DispatchLimits>;

/**
 * How many claimed deliveries a process has in hand, by merchant and endpoint. Probes mostly go to endpoints
 * that do not answer.
 */
export const CLAIMED_DELIVERIES = {
  ofMerchant: DELIVERIES_IN_HAND * (1 - QUARTER),
  ofEndpoint: 32,
  probes: 8,
} as const;

/**
 * Billings wait here without a lease, so more are claimed than there are slots. A merchant leaves a quarter
 * of the slots to others.
 */
export function chargingLimits(slots: number): DispatchLimits {
  const claimed = lane(slots, { queued: BILLINGS_AT_ONCE + slots, sharesAlone: false, slow: 0 });
  return { ...inSlots(slots), claimed, atOnce: BILLINGS_AT_ONCE, longLineMilliseconds: UNBOUNDED };
}

/** Each free slot takes the next due row by `fairClaim`: no lease runs while a task waits here. */
function inSlots(slots: number): DispatchLimits {
  return {
    slots,
    ofEndpoint: UNBOUNDED,
    claimed: { slots, ofMerchant: slots, ofMerchantAlone: slots, slow: 0, queued: 0 },
    now: NO_LANE,
    atOnce: slots,
    longLineMilliseconds: 0,
    longestWaitMilliseconds: UNBOUNDED,
  };
}

function lane(
  slots: number,
  options: { readonly queued: number; readonly sharesAlone: boolean; readonly slow: number },
): LaneLimits {
  const ofMerchant = Math.ceil(slots - slots * QUARTER);
  return {
    slots,
    ofMerchant,
    ofMerchantAlone: options.sharesAlone ? ofMerchant : slots,
    slow: options.slow,
    queued: options.queued,
  };
}

/** While the other side is away: one task at a time, with a pause. */
export function freeClaimedSlots(limits: DispatchLimits, state: DispatchState): number {
  if (state.isAway) {
    const { taken, slow } = state.claimed;
    const mayAsk = limits.slots > 0 && taken + slow === 0 && state.millisecondsUntilProbe === 0;
    return mayAsk ? 1 : 0;
  }
  return Math.max(0, Math.min(limits.claimed.slots - state.claimed.taken, freeOfAll(limits, state)));
}

export function freeNowSlots(limits: DispatchLimits, state: DispatchState): number {
  return Math.max(0, Math.min(limits.now.slots - state.now.taken, freeOfAll(limits, state)));
}

function freeOfAll({ slots }: DispatchLimits, { claimed, now }: DispatchState): number {
  return slots - claimed.taken - now.taken;
}

/** Whether no more tasks are ready than run: the next claim is due before the last of them is sent. */
export function isLineShort({ claimed }: DispatchState): boolean {
  return claimed.ready <= claimed.taken;
}

/**
 * Whether slots are free that the waiting tasks cannot take, and the line has room to claim fewer than these.
 */
export function isLineInTheWay(limits: DispatchLimits, state: DispatchState, limit: number): boolean {
  return limit < freeClaimedSlots(limits, state) && isLineShort(state);
}

/** How many to claim; 0: no free slot, or too few to be worth it. */
export function claimLimit(limits: DispatchLimits, state: DispatchState, now: number): number {
  if (!isLineShort(state) && now < state.nextClaimAt) return 0;
  const free = state.isAway ? freeClaimedSlots(limits, state) : limits.claimed.slots - state.claimed.taken;
  if (free <= 0 && (state.isAway || limits.slots === 0)) return 0;
  const { slow, queued } = state.claimed;
  const room = free + limits.claimed.queued - slow - queued - state.recording;
  return Math.max(0, Math.min(limits.atOnce, room));
}
