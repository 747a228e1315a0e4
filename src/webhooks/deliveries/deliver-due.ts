import type { Database } from '../../platform/postgres/database.ts';
import { CLAIMED_DELIVERIES, DISPATCH } from '../../platform/work/dispatch-policy.ts';
import type { Claimed } from '../../platform/work/dispatched.ts';
import { Dispatcher } from '../../platform/work/dispatcher.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { countPlaces, placeKey } from '../../platform/work/fair-queue.ts';
import type { Instant } from '../../values/instant.ts';
import {
  type ClaimedDelivery,
  type ClaimRequest,
  claimDueDeliveries,
  claimDueDeliveriesAt,
  claimDueDeliveriesOf,
  EARLIEST_DELIVERY,
  ENDPOINTS_A_PAGE,
  earliestDeliveryValues,
  findEarliestDueOf,
  type Place,
  ROUND_START,
} from './claims.sql.ts';
import { type Deliverer, deliveryId } from './delivery.ts';
import { releaseDeliveries } from './endpoint-changes.sql.ts';
import {
  isOpenHere,
  isTakenByWell,
  type MadeTry,
  openEndpointWatch,
  recordTry,
  type TryTools,
  tryDelivery,
} from './try-delivery.ts';

export type Delivering = {
  readonly work: Work;
  readonly deliverer: Deliverer;
  /** Sends what is due for a merchant until nothing is left. Returns the number of tries. */
  runDueOf(merchantId: string, signal: AbortSignal): Promise<number>;
  /** When the next delivery is due in business time; null: no active endpoint has one waiting. */
  earliestDueOf(merchantId: string): Promise<Instant | null>;
};

type Deliveries = Dispatcher<ClaimedDelivery, MadeTry>;

/** Covers a try, its recording, and a margin. */
const LEASE_MILLISECONDS = 30_000;
const TRIES_AT_ONCE_OF_MERCHANT = 16;
const TRIES_AT_ONCE_OF_ENDPOINT = 8;
const MOST_ROUNDS_OF_MERCHANT = 100_000;

export function deliverDue(tools: TryTools): Delivering {
  const { database } = tools;
  const deliveries = openDeliveries(tools);
  return {
    work: deliveries,
    deliverer: {
      leaseForNow: () => (deliveries.capacityForNow() > 0 ? LEASE_MILLISECONDS : 0),
      sendNow: (written) =>
        deliveries.sendNow(written.map((one) => ({ ...one, isProbe: false, isAhead: false }))),
      notify: () => tools.wakeSignal.notify(),
    },
    runDueOf: (merchantId, signal) => deliverDueOf(tools, deliveries, merchantId, signal),
    earliestDueOf: (merchantId) => findEarliestDueOf(database, merchantId),
  };
}

function openDeliveries(tools: TryTools): Deliveries {
  const { database } = tools;
  const watch = openEndpointWatch();
  const rounds = new EndpointRounds(database, (place) => deliveries.isBusyAt(place));
  const deliveries: Deliveries = new Dispatcher<ClaimedDelivery, MadeTry>({
    name: 'deliverDue',
    limits: DISPATCH.deliveries,
    wakeSignal: tools.wakeSignal,
    beginRun: () => rounds.beginRun(),
    claim(limit) {
      const inHand = deliveries.inHand();
      const probesLeft = CLAIMED_DELIVERIES.probes - inHand.filter(({ isProbe }) => isProbe).length;
      return rounds.claim({
        ...boundsOf(deliveries),
        limit,
        probes: Math.max(0, probesLeft),
        probesAhead: true,
      });
    },
    send: (delivery, _, asking) => tryDelivery(tools, delivery, asking),
    record: (delivery, tried) => recordTry(tools, watch, delivery, tried),
    isFreeWhenSent: (delivery, tried) => isTakenByWell(watch, delivery, tried),
    about: (delivery) => ({
      attributes: {
        'parcela.merchant.id': delivery.merchantId,
        'parcela.delivery.id': deliveryId(delivery),
        'parcela.delivery.kind': delivery.kind,
      },
      follows: delivery.aboutId,
    }),
    isProbe: ({ isProbe }) => isProbe,
    isUnwanted: (delivery, lane) =>
      (lane === 'claimed' && watch.of(delivery).isMarked) ||
      isOpenHere(watch, delivery, tools.clock.now(delivery.merchantId)),
    // Another process may send them: its test or probe may have closed the breaker in the database.
    handBack: (unsent) => releaseDeliveries(database, unsent),
    piece: EARLIEST_DELIVERY,
    pieceValues: () => earliestDeliveryValues(boundsOf(deliveries)),
  });
  return deliveries;
}

function boundsOf(deliveries: Deliveries): Omit<ClaimRequest, 'after' | 'limit' | 'probes' | 'probesAhead'> {
  return {
    perEndpoint: CLAIMED_DELIVERIES.ofEndpoint,
    busy: countPlaces(deliveries.inHand()),
    perMerchant: CLAIMED_DELIVERIES.ofMerchant,
    busyMerchants: deliveries.claimedOf(CLAIMED_DELIVERIES.ofMerchant),
    leaseMilliseconds: LEASE_MILLISECONDS,
  };
}

/**
 * For a jump of the test clock: sends only what is due, and takes a due delivery as the probe of a breaker.
 */
async function deliverDueOf(
  { database }: TryTools,
  deliveries: Deliveries,
  merchantId: string,
  signal: AbortSignal,
): Promise<number> {
  const start: Place = { merchantId, endpoint: '' };
  let tried = 0;
  let after = start;
  let claimedInRound = 0;
  for (let page = 0; page < MOST_ROUNDS_OF_MERCHANT && !signal.aborted; page += 1) {
    const claim = async () => {
      const request = {
        ...boundsOf(deliveries),
        after,
        perEndpoint: TRIES_AT_ONCE_OF_ENDPOINT,
        busy: countPlaces(deliveries.underWay()),
        busyMerchants: [],
        limit: TRIES_AT_ONCE_OF_MERCHANT,
        probes: TRIES_AT_ONCE_OF_MERCHANT,
        probesAhead: false,
      };
      const claimed = await claimDueDeliveriesOf(database, request);
      return { ...claimed, tasks: claimed.deliveries };
    };
    const { tasks, next, isEnd } = await deliveries.sendAside(claim, TRIES_AT_ONCE_OF_MERCHANT);
    tried += tasks.length;
    claimedInRound += tasks.length;
    if (isEnd && claimedInRound === 0) break;
    if (isEnd) claimedInRound = 0;
    after = isEnd ? start : next;
  }
  return tried;
}

/**
 * Pages in one long run; the next run continues behind them. A run within `LONG_RUN_MILLISECONDS` of a long
 * one reads one page.
 */
const PAGES_A_RUN = 10;
const LONG_RUN_MILLISECONDS = 200;

/**
 * Goes through all endpoints, page by page, over several runs. If that takes several pages, endpoints that
 * gave deliveries are read first in each run, so that their backlogs keep flowing.
 */
class EndpointRounds {
  readonly #database: Database;
  readonly #isBusy: (place: Place) => boolean;
  readonly #flowing = new Map<string, Place>();
  #place: Place = ROUND_START;
  #isOnePage = true;
  #longRunAt = 0;
  #asksFlowing = false;
  #pagesLeft = 0;
  #roundsLeft = 0;

  constructor(database: Database, isBusy: (place: Place) => boolean) {
    this.#database = database;
    this.#isBusy = isBusy;
  }

  beginRun(): void {
    const now = performance.now();
    const isLong = now >= this.#longRunAt;
    if (isLong) this.#longRunAt = now + LONG_RUN_MILLISECONDS;
    this.#asksFlowing = !this.#isOnePage && this.#flowing.size > 0;
    this.#pagesLeft = isLong ? PAGES_A_RUN : 1;
    this.#roundsLeft = this.#place === ROUND_START ? 1 : 2;
  }

  async claim(request: Omit<ClaimRequest, 'after'>): Promise<Claimed<ClaimedDelivery>> {
    if (this.#asksFlowing) {
      this.#asksFlowing = false;
      return { tasks: await this.#claimFlowing(request), isEnd: false };
    }
    const after = this.#place;
    const page = await claimDueDeliveries(this.#database, { ...request, after });
    this.#remember(page.deliveries);
    this.#pagesLeft -= 1;
    this.#place = page.isEnd ? ROUND_START : page.next;
    if (page.isEnd) {
      this.#isOnePage = after === ROUND_START;
      this.#roundsLeft -= 1;
    }
    return { tasks: page.deliveries, isEnd: this.#pagesLeft === 0 || this.#roundsLeft === 0 };
  }

  async #claimFlowing(request: Omit<ClaimRequest, 'after'>): Promise<readonly ClaimedDelivery[]> {
    const places = [...this.#flowing.values()];
    const page = await claimDueDeliveriesAt(this.#database, places, request);
    if (page.isEnd)
      for (const [key, asked] of this.#flowing) if (!this.#isBusy(asked)) this.#flowing.delete(key);
    this.#remember(page.deliveries);
    return page.deliveries;
  }

  #remember(deliveries: readonly ClaimedDelivery[]): void {
    for (const { merchantId, endpoint } of deliveries) {
      const key = placeKey({ merchantId, endpoint });
      this.#flowing.delete(key);
      if (this.#flowing.size < ENDPOINTS_A_PAGE) this.#flowing.set(key, { merchantId, endpoint });
    }
  }
}
