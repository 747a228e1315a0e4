import type { Database } from '../../platform/postgres/database.ts';
import type { Claimed } from '../../platform/work/dispatcher.ts';
import { placeKey } from '../../platform/work/fair-queue.ts';
import {
  type ClaimedDelivery,
  type ClaimRequest,
  claimDueDeliveries,
  claimDueDeliveriesAt,
  ENDPOINTS_A_PAGE,
  type Place,
  ROUND_START,
} from './claims.sql.ts';

/**
 * The pages of endpoints of a run; the next run goes on behind them, and one that follows soon
 * reads a single page.
 */
const PAGES_A_RUN = 10;
const LONG_RUN_MILLISECONDS = 200;

export function openEndpointRounds(database: Database, isBusy: (place: Place) => boolean): EndpointRounds {
  return new EndpointRounds(database, isBusy);
}

/**
 * Goes round over the endpoints with waiting deliveries, a page at a time. Where something was
 * claimed there may be more: while the round is longer than a page, those endpoints are read first,
 * so that a backlog flows as fast as its endpoint accepts it.
 */
export class EndpointRounds {
  readonly #database: Database;
  readonly #isBusy: (place: Place) => boolean;
  readonly #flowing = new Map<string, Place>();
  #place: Place = ROUND_START;
  #isOnePage = true;
  #longRunAt = 0;
  /** Of the current run. */
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

  /** The endpoints that were served last are read last. */
  #remember(deliveries: readonly ClaimedDelivery[]): void {
    for (const { merchantId, endpoint } of deliveries) {
      const key = placeKey({ merchantId, endpoint });
      this.#flowing.delete(key);
      if (this.#flowing.size < ENDPOINTS_A_PAGE) this.#flowing.set(key, { merchantId, endpoint });
    }
  }
}
