import { CLAIMED_DELIVERIES, DISPATCH } from '../../platform/work/dispatch-policy.ts';
import { Dispatcher } from '../../platform/work/dispatcher.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { countPlaces } from '../../platform/work/fair-queue.ts';
import type { Instant } from '../../values/instant.ts';
import {
  type ClaimedDelivery,
  type ClaimRequest,
  claimDueDeliveriesOf,
  EARLIEST_DELIVERY,
  earliestDeliveryValues,
  findEarliestDueOf,
  type Place,
} from './claims.sql.ts';
import { type Deliverer, deliveryId } from './delivery.ts';
import { openEndpointRounds } from './open-endpoint-rounds.ts';
import { releaseDeliveries } from './releases.sql.ts';
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
  /** Sends what is due, of all merchants. */
  readonly work: Work;
  readonly deliverer: Deliverer;
  /**
   * Sends what is due of one merchant until nothing is left to claim; returns how many tries that
   * were.
   */
  runDueOf(merchantId: string, signal: AbortSignal): Promise<number>;
  /**
   * The business instant at which something of that merchant falls due, or fell; null: nothing
   * waits where it may be sent.
   */
  earliestDueOf(merchantId: string): Promise<Instant | null>;
};

type Deliveries = Dispatcher<ClaimedDelivery, MadeTry>;

/** A try, its record, and a margin. */
const LEASE_MILLISECONDS = 30_000;
/** Of one merchant, in a jump of its clock. */
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
  const rounds = openEndpointRounds(database, (place) => deliveries.isBusyAt(place));
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
    send: (delivery) => tryDelivery(tools, delivery),
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
    // The database knows from tests and from other processes' probes that a breaker is closed; this
    // memory does not.
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
    busyMerchants: countPlaces(deliveries.claimed().map(({ merchantId }) => ({ merchantId }))),
    leaseMilliseconds: LEASE_MILLISECONDS,
  };
}

/**
 * In a jump of the merchant's clock: only what is due is sent, and a breaker is probed only with
 * that.
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
