import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  CLAIMED_DELIVERIES,
  chargingLimits,
  claimLimit,
  DISPATCH,
  type DispatchLimits,
  type DispatchState,
  freeClaimedSlots,
  freeNowSlots,
} from './dispatch-policy.ts';

const { deliveries, unresolvedCharges } = DISPATCH;

type Given = Partial<Omit<DispatchState, 'claimed' | 'now'>> & {
  readonly taken?: number;
  readonly slow?: number;
  readonly queued?: number;
  readonly takenNow?: number;
};

function state({ taken = 0, slow = 0, queued = 0, takenNow = 0, ...given }: Given = {}): DispatchState {
  return {
    claimed: { taken, slow, queued, ready: queued },
    now: { taken: takenNow },
    recording: 0,
    isAway: false,
    millisecondsUntilProbe: 0,
    nextClaimAt: 0,
    ...given,
  };
}

test('the table of what a process does at the same time', () => {
  const { claimed, now } = deliveries;
  assert.deepEqual([deliveries.slots, claimed.slots, now.slots], [64, 32, 48]);
  assert.deepEqual([claimed.ofMerchant, claimed.ofMerchantAlone, claimed.queued], [24, 24, 224]);
  assert.deepEqual([now.ofMerchant, now.ofMerchantAlone, now.queued], [36, 36, 256]);
  assert.deepEqual(CLAIMED_DELIVERIES, { ofMerchant: 192, ofEndpoint: 32, probes: 8 });
  const { claimed: billings } = chargingLimits(64);
  assert.deepEqual([billings.slots, billings.ofMerchant, billings.ofMerchantAlone], [64, 48, 64]);
  assert.equal(chargingLimits(1).claimed.ofMerchant, 1);
  assert.deepEqual([unresolvedCharges.slots, DISPATCH.unresolvedCancels.slots], [32, 16]);
});

test('work that holds nothing claims for its free slots', () => {
  assert.equal(claimLimit(unresolvedCharges, state(), 0), 32);
  assert.equal(claimLimit(unresolvedCharges, state({ taken: 30 }), 0), 2);
  assert.equal(claimLimit(unresolvedCharges, state({ taken: 32 }), 0), 0);
});

test('while the other side is away one task is claimed at a time, after the pause', () => {
  const away = { isAway: true };
  assert.equal(claimLimit(unresolvedCharges, state({ ...away, millisecondsUntilProbe: 500 }), 0), 0);
  assert.equal(claimLimit(unresolvedCharges, state(away), 0), 1);
  assert.equal(claimLimit(unresolvedCharges, state({ ...away, taken: 1 }), 0), 0);
  const charging = chargingLimits(64);
  assert.equal(freeClaimedSlots(charging, state({ ...away, queued: 100 })), 1);
  assert.equal(freeClaimedSlots(charging, state({ ...away, queued: 100, taken: 1 })), 0);
  assert.equal(freeClaimedSlots(charging, state({ ...away, millisecondsUntilProbe: 1 })), 0);
  assert.equal(freeClaimedSlots(deliveries, state({ ...away, slow: 1 })), 0);
});

test('billings are read ahead, many at once, and no more before those in hand run short', () => {
  const charging = chargingLimits(64);
  assert.equal(claimLimit(charging, state({ taken: 64, queued: 64, nextClaimAt: Infinity }), 0), 256);
  assert.equal(claimLimit(charging, state({ taken: 64, queued: 65, nextClaimAt: Infinity }), 0), 0);
  assert.equal(claimLimit(chargingLimits(0), state(), 0), 0, 'a process without slots charges nothing');
});

test('deliveries in hand are at most 256, those that are still recorded included', () => {
  assert.equal(claimLimit(deliveries, state(), 0), 256);
  assert.equal(claimLimit(deliveries, state({ taken: 32, queued: 20, recording: 4 }), 0), 200);
  assert.equal(claimLimit(deliveries, state({ taken: 32, queued: 220, recording: 4 }), 0), 0);
  assert.equal(claimLimit(deliveries, state({ taken: 32, slow: 128, queued: 20, recording: 4 }), 0), 72);
});

test('while the line of deliveries is long others have their turn once the pause is over', () => {
  const long = state({ taken: 20, queued: 100, nextClaimAt: 50 });
  assert.equal(claimLimit(deliveries, long, 49), 0);
  assert.equal(claimLimit(deliveries, long, 50), 136);
  const short = state({ taken: 20, queued: 20, nextClaimAt: 50 });
  assert.equal(claimLimit(deliveries, short, 49), 216, 'a short line does not wait for it');
});

test('what waited leaves half of the slots to what happens now, and keeps a quarter', () => {
  assert.equal(freeClaimedSlots(deliveries, state({ taken: 32 })), 0);
  assert.equal(freeNowSlots(deliveries, state({ taken: 32 })), 32);
  assert.equal(freeNowSlots(deliveries, state({ takenNow: 48 })), 0);
  assert.equal(freeClaimedSlots(deliveries, state({ takenNow: 48 })), 16);
});

const LIMITS: fc.Arbitrary<DispatchLimits> = fc.oneof(
  fc.constantFrom(...Object.values(DISPATCH)),
  fc.integer({ min: 0, max: 200 }).map(chargingLimits),
);

test('whatever is under way: no lane and no process fills more slots than it has, nor claims without a free one', () => {
  const small = fc.integer({ min: 0, max: 300 });
  fc.assert(
    fc.property(
      LIMITS,
      fc.array(small, { minLength: 4, maxLength: 4 }),
      fc.boolean(),
      (limits, counts, isAway) => {
        const [taken = 0, takenNow = 0, queued = 0, slow = 0] = counts;
        const now = state({ taken, takenNow, queued, slow, isAway });
        const ofClaimed = freeClaimedSlots(limits, now);
        const ofNow = freeNowSlots(limits, now);
        assert.ok(ofClaimed === 0 || taken + ofClaimed <= limits.claimed.slots);
        assert.ok(ofNow === 0 || takenNow + ofNow <= limits.now.slots);
        assert.ok(isAway || ofClaimed === 0 || taken + takenNow + ofClaimed <= limits.slots);
        const limit = claimLimit(limits, now, 0);
        const held = taken + slow + queued + limit;
        assert.ok(limit === 0 || held <= limits.claimed.slots + limits.claimed.queued);
        assert.ok(limit <= limits.atOnce);
      },
    ),
    // A process that charges nothing also does not probe a silent peer.
    { examples: [[chargingLimits(0), [0, 0, 1, 0], true]] },
  );
});
