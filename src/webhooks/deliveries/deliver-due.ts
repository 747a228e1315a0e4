import type { Database } from '../../platform/postgres/database.ts';
import { openClaimedLine } from '../../platform/work/claimed-line.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { openSlots } from '../../platform/work/slots.ts';
import { countUnderWay } from '../../platform/work/under-way.ts';
import { forwardSignal } from '../../platform/work/wake-signal.ts';
import type { Instant } from '../../values/instant.ts';
import {
  type ClaimedDelivery,
  type ClaimedPage,
  type ClaimRequest,
  claimDueDeliveries,
  claimDueDeliveriesAt,
  claimDueDeliveriesOf,
  ENDPOINTS_A_PAGE,
  findEarliestDueOf,
  millisecondsUntilDueDelivery,
  type Place,
  ROUND_START,
  releaseDeliveries,
} from './claims.sql.ts';
import type { Deliverer, DeliveryToSend } from './delivery.ts';
import { isOpenHere, openEndpointWatch, type TryTools, tryDelivery } from './try-delivery.ts';

/** The sending of deliveries in this process. */
export type Delivering = {
  /** Sends what is due, of all merchants. */
  readonly work: Work;
  readonly deliverer: Deliverer;
  /** Sends whatever is due of one merchant until nothing is left to claim; gives how many tries that were. */
  runDueOf(merchantId: string, signal: AbortSignal): Promise<number>;
  /** The business instant at which something of that merchant falls due, or fell; null: nothing waits where it may be sent. */
  earliestDueOf(merchantId: string): Promise<Instant | null>;
};

/** Tries under way at the same time in a process, those of what was written just now and those of what waited. */
const SLOTS = 64;
/** What waited gets half of them: a backlog must not delay what happens now. And always a quarter: nor may the present stop it. */
const SLOTS_FOR_WAITING = SLOTS / 2;
const SLOTS_FOR_NOW = SLOTS - SLOTS / 4;
const SLOTS_OF_ENDPOINT = 8;
/** Of either kind one merchant, who may have thousands of servers that hang, leaves a quarter to the others. */
const WAITING_SLOTS_OF_MERCHANT = SLOTS_FOR_WAITING - SLOTS_FOR_WAITING / 4;
/** Claimed and not yet recorded, slots included: a claim of many costs little more than one of few. In all, of a merchant, of a target. */
const MOST_CLAIMED = 256;
const CLAIMED_OF_MERCHANT = MOST_CLAIMED - MOST_CLAIMED / 4;
const CLAIMED_OF_ENDPOINT = 32;
/** While more wait for a slot than are under way, others' turn comes as often as this. */
const LONG_LINE_MILLISECONDS = 50;
const NOW_SLOTS_OF_MERCHANT = SLOTS_FOR_NOW - SLOTS_FOR_NOW / 4;
/** Most of the probes go where nothing answers, and take long to find that out. */
const SLOTS_FOR_PROBES = 8;
/** A try, its record, and room to spare. */
const LEASE_MILLISECONDS = 30_000;
/** What was just written and finds no slot: so many wait for one, and no longer than leaves a try its time within the lease. */
const MOST_QUEUED = 256;
const LONGEST_QUEUED_MILLISECONDS = 8_000;
/** A run looks at so many pages of targets, and the next one goes on behind them; one that comes soon after looks at a single one. */
const PAGES_A_RUN = 10;
const LONG_RUN_MILLISECONDS = 200;
/** A loop that was told "now" and could claim nothing looks again after a while, not at once. */
const SHORTEST_SLEEP_MILLISECONDS = 100;
/** Of one merchant, in a jump of its clock. */
const TRIES_AT_ONCE_OF_MERCHANT = 16;
const MOST_ROUNDS_OF_MERCHANT = 100_000;

type Queued = { readonly delivery: DeliveryToSend; readonly until: number };

export function deliverDue(tools: TryTools): Delivering {
  const wakeSignal = forwardSignal(tools.wakeSignal);
  const watch = openEndpointWatch();
  const underWay = countUnderWay();
  const waitingOf = countUnderWay();
  const nowOf = countUnderWay();
  let isShort = false;
  let nextClaimAt = 0;
  const waitingSlots = openSlots(() => {
    sendQueued();
    if (isLineShort()) wakeSignal.notify();
  });
  const nowSlots = openSlots(() => {
    sendQueued();
    notifyIfShort();
  });
  const records = openSlots(notifyIfShort);
  const handBacks = openSlots(() => wakeSignal.notify());
  const allSlots = [waitingSlots, nowSlots, records, handBacks];
  let queue: Queued[] = [];
  const claimedLine = openClaimedLine<ClaimedDelivery>(
    (delivery) =>
      watch.of(delivery).isMarked || isOpenHere(watch, delivery, tools.clock.now(delivery.merchantId)),
  );
  let isStopped = false;
  let probes = 0;
  let isJumpClaiming = false;
  let lastClaim: Promise<unknown> = Promise.resolve();

  function free() {
    return SLOTS - waitingSlots.taken() - nowSlots.taken();
  }
  /** Most ends leave nothing to be done: the work is woken only where it had to stop for lack of room. */
  function notifyIfShort() {
    if (isShort && isLineShort()) wakeSignal.notify();
  }

  /** Another claim is due before the last of them goes. */
  function isLineShort() {
    return claimedLine.length() <= waitingSlots.taken();
  }
  function freeNow() {
    return Math.min(SLOTS_FOR_NOW - nowSlots.taken(), free());
  }
  function wish(): Omit<ClaimRequest, 'after' | 'limit' | 'probes' | 'probesAhead'> {
    return {
      perEndpoint: CLAIMED_OF_ENDPOINT,
      busy: underWay.listWith(claimedLine.places()),
      perMerchant: CLAIMED_OF_MERCHANT,
      busyMerchants: waitingOf.listWith(claimedLine.places().map(merchantOf)),
      leaseMilliseconds: LEASE_MILLISECONDS,
    };
  }

  /** A slot is free once the message is taken: what is still to be recorded keeps nobody from being told. */
  async function tryClaimed(delivery: ClaimedDelivery): Promise<void> {
    const end = waitingOf.begin(merchantOf(delivery));
    const { promise: taken, resolve } = Promise.withResolvers<void>();
    const recorded = tryOne(delivery, resolve);
    try {
      await Promise.race([recorded, taken]);
    } finally {
      end();
    }
    records.start(() => recorded);
  }

  async function tryOne(delivery: ClaimedDelivery, onTaken = () => {}): Promise<void> {
    const end = underWay.begin(delivery);
    if (delivery.isProbe) probes += 1;
    try {
      await tryDelivery(tools, watch, delivery, () => {
        end();
        onTaken();
      });
    } finally {
      end();
      if (delivery.isProbe) probes -= 1;
    }
  }

  async function tryNow(delivery: ClaimedDelivery): Promise<void> {
    const end = nowOf.begin(merchantOf(delivery));
    try {
      await tryOne(delivery);
    } finally {
      end();
    }
  }

  function hasRoomNow(delivery: DeliveryToSend): boolean {
    const isEndpointFree = underWay.at(delivery) < SLOTS_OF_ENDPOINT;
    return isEndpointFree && nowOf.at(merchantOf(delivery)) < NOW_SLOTS_OF_MERCHANT && freeNow() > 0;
  }

  /** First come, first served, but for those whose target or merchant has no slot free. */
  function sendQueued(): void {
    if (isJumpClaiming) return;
    const now = performance.now();
    if (claimedLine.length() > 0) sendClaimed(now);
    if (queue.length === 0) return;
    const kept: Queued[] = [];
    const unsent: DeliveryToSend[] = [];
    for (const queued of queue) {
      const { delivery, until } = queued;
      const claimed = { ...delivery, isProbe: false, isAhead: false };
      if (until <= now || isOpenHere(watch, delivery, tools.clock.now(delivery.merchantId)))
        unsent.push(delivery);
      else if (hasRoomNow(delivery)) nowSlots.start(() => tryNow(claimed));
      else kept.push(queued);
    }
    queue = kept;
    handBack(unsent);
  }

  function sendClaimed(now: number): void {
    const unsent = claimedLine.serve({
      now,
      hasSlot: () => waitingSlots.taken() < SLOTS_FOR_WAITING && free() > 0,
      hasSlotOfMerchant: (delivery) => waitingOf.at(merchantOf(delivery)) < WAITING_SLOTS_OF_MERCHANT,
      hasSlotOfEndpoint: (delivery) => underWay.at(delivery) < SLOTS_OF_ENDPOINT,
      begin: (delivery) => waitingSlots.start(() => tryClaimed(delivery)),
    });
    handBack(unsent);
  }

  /** For the work: the database knows of tests and of others' probes that a breaker is closed, and this memory does not. */
  function handBack(deliveries: readonly DeliveryToSend[]): void {
    if (deliveries.length > 0) handBacks.start(() => releaseDeliveries(tools.database, deliveries));
  }

  function delivererHere(): Deliverer {
    return {
      leaseForNow: () => (!isStopped && freeNow() > queue.length ? LEASE_MILLISECONDS : 0),
      sendNow(deliveries) {
        if (isStopped) return;
        const until = performance.now() + LONGEST_QUEUED_MILLISECONDS;
        const room = Math.max(0, MOST_QUEUED - queue.length);
        queue.push(...deliveries.slice(0, room).map((delivery) => ({ delivery, until })));
        handBack(deliveries.slice(room));
        sendQueued();
      },
      notify: () => tools.wakeSignal.notify(),
    };
  }

  /** One claim at a time: what the one before it gave is counted. */
  function claimInTurn(
    ask: () => Promise<ClaimedPage> | null,
    begin: (delivery: ClaimedDelivery) => void,
  ): Promise<ClaimedPage | null> {
    const claim = lastClaim.then(async () => {
      try {
        const page = await ask();
        page?.deliveries.forEach(begin);
        return page;
      } finally {
        isJumpClaiming = false;
        sendQueued();
      }
    });
    lastClaim = claim.catch(() => {});
    return claim;
  }

  /** Claims as much as there is room for; null: there is none, or too little to be worth it. */
  function claimForSlots(
    claim: (wish: Omit<ClaimRequest, 'after'>) => Promise<ClaimedPage>,
  ): Promise<ClaimedPage | null> {
    return claimInTurn(
      () => {
        const limit = MOST_CLAIMED - waitingSlots.taken() - claimedLine.length() - records.taken();
        isShort = limit <= 0 || (!isLineShort() && performance.now() < nextClaimAt);
        nextClaimAt = isShort ? nextClaimAt : performance.now() + LONG_LINE_MILLISECONDS;
        const probesLeft = Math.max(0, SLOTS_FOR_PROBES - probes);
        return isShort ? null : claim({ ...wish(), limit, probes: probesLeft, probesAhead: true });
      },
      (delivery) => claimedLine.add(delivery, performance.now() + LONGEST_QUEUED_MILLISECONDS),
    );
  }

  const round = goRound(tools.database, claimForSlots, (at) => underWay.at(at) > 0);
  function workHere(): Work {
    return {
      name: 'deliverDue',
      wakeSignal,
      async runDue(signal) {
        for (const { throwFailure } of allSlots) throwFailure();
        return round.run(signal);
      },
      millisecondsUntilDue,
      finish,
    };
  }

  async function millisecondsUntilDue(): Promise<number | null> {
    if (isShort) return claimedLine.length() > 0 ? LONG_LINE_MILLISECONDS : null;
    const milliseconds = await millisecondsUntilDueDelivery(tools.database, wish());
    return milliseconds === null ? null : Math.max(milliseconds, SHORTEST_SLEEP_MILLISECONDS);
  }

  async function finish(): Promise<void> {
    isStopped = true;
    handBack([...queue.map(({ delivery }) => delivery), ...claimedLine.empty()]);
    queue = [];
    // Those that end leave something to be recorded, or to be handed back.
    await Promise.all([waitingSlots.allEnded(), nowSlots.allEnded()]);
    await Promise.all([records.allEnded(), handBacks.allEnded()]);
    for (const { throwFailure } of allSlots) throwFailure();
  }

  async function runDueOf(merchantId: string, signal: AbortSignal): Promise<number> {
    let tried = 0;
    let after: Place = { merchantId, endpoint: '' };
    let claimedInRound = 0;
    for (let round = 0; round < MOST_ROUNDS_OF_MERCHANT && !signal.aborted; round += 1) {
      const tries: Promise<void>[] = [];
      const page = await claimInTurn(
        () => {
          // What this gives is begun at once, and the slots were counted before: none of them may be taken meanwhile.
          isJumpClaiming = true;
          return claimDueDeliveriesOf(tools.database, {
            ...wish(),
            after,
            perEndpoint: SLOTS_OF_ENDPOINT,
            busy: underWay.list(),
            busyMerchants: [],
            limit: TRIES_AT_ONCE_OF_MERCHANT,
            probes: TRIES_AT_ONCE_OF_MERCHANT,
            probesAhead: false,
          });
        },
        (delivery) => tries.push(tryOne(delivery)),
      );
      await allOrError(tries);
      if (page === null) break;
      tried += tries.length;
      claimedInRound += tries.length;
      if (page.isEnd && claimedInRound === 0) break;
      if (page.isEnd) claimedInRound = 0;
      after = page.isEnd ? { merchantId, endpoint: '' } : page.next;
    }
    return tried;
  }

  return {
    work: workHere(),
    deliverer: delivererHere(),
    runDueOf,
    earliestDueOf: (merchantId) => findEarliestDueOf(tools.database, merchantId),
  };
}

/**
 * Goes round over the targets that have something waiting, a page at a time. Where something was claimed there may be more: while the
 * round is longer than a page, those targets are asked first, so that a backlog flows as fast as its target takes it.
 */
function goRound(
  database: Database,
  claim: (ask: (wish: Omit<ClaimRequest, 'after'>) => Promise<ClaimedPage>) => Promise<ClaimedPage | null>,
  isBusy: (place: Place) => boolean,
) {
  const flowing = new Map<string, Place>();
  let place: Place = ROUND_START;
  let isOnePage = true;
  let longRunAt = 0;

  /** Those served last are asked last. */
  function remember({ deliveries }: ClaimedPage): number {
    for (const { merchantId, endpoint } of deliveries) {
      const key = `${merchantId}\n${endpoint}`;
      flowing.delete(key);
      if (flowing.size < ENDPOINTS_A_PAGE) flowing.set(key, { merchantId, endpoint });
    }
    return deliveries.length;
  }

  async function claimFlowing(): Promise<number> {
    if (isOnePage || flowing.size === 0) return 0;
    const places = [...flowing.values()];
    const page = await claim((wish) => claimDueDeliveriesAt(database, places, wish));
    if (page === null) return 0;
    if (page.isEnd) for (const [key, asked] of flowing) if (!isBusy(asked)) flowing.delete(key);
    return remember(page);
  }

  return {
    async run(signal: AbortSignal): Promise<number> {
      let claimed = await claimFlowing();
      const isLong = performance.now() >= longRunAt;
      if (isLong) longRunAt = performance.now() + LONG_RUN_MILLISECONDS;
      let roundsLeft = place === ROUND_START ? 1 : 2;
      for (let pages = isLong ? PAGES_A_RUN : 1; pages > 0 && roundsLeft > 0 && !signal.aborted; pages -= 1) {
        const after = place;
        const page = await claim((wish) => claimDueDeliveries(database, { ...wish, after }));
        if (page === null) break;
        claimed += remember(page);
        place = page.isEnd ? ROUND_START : page.next;
        if (page.isEnd) isOnePage = after === ROUND_START;
        if (page.isEnd) roundsLeft -= 1;
      }
      return claimed;
    },
  };
}

/** Waits for all, then throws the first error: none is left behind under way. */
async function allOrError(tries: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(tries)) if (result.status === 'rejected') throw result.reason;
}

/** Where all tries of one merchant are counted together. */
function merchantOf({ merchantId }: Place): Place {
  return { merchantId, endpoint: '' };
}
