import { Tally } from '../work/fair-queue.ts';
import { divideCapacity, type NoPlaceReason, whyNoPlace } from './places.ts';

/** For metrics and the log. */
export type PlaceObserver = {
  taken(known: number, unknown: number): void;
  refused(reason: NoPlaceReason): void;
};

/** There was no place, and nothing was begun. */
export const NO_PLACE = Symbol('no place');

/**
 * The places of the process. A place is taken while a handler works, and not while a body comes in
 * or an answer goes out: their duration is decided by the client.
 */
export class Admission {
  readonly #places: ReturnType<typeof divideCapacity>;
  readonly #observer: PlaceObserver;
  readonly #ofMerchant = new Tally();
  #known = 0;
  #unknown = 0;

  constructor(places: number, observer: PlaceObserver) {
    this.#places = divideCapacity(places);
    this.#observer = observer;
  }

  /** Works in a place of the merchant, or in one for unknown callers, and frees it in any case. */
  async inPlace<T>(merchantId: string | null, work: () => Promise<T>): Promise<T | typeof NO_PLACE> {
    const reason = this.#whyNot(merchantId);
    if (reason !== null) {
      this.#observer.refused(reason);
      return NO_PLACE;
    }
    this.#count(merchantId, 1);
    try {
      return await work();
    } finally {
      this.#count(merchantId, -1);
    }
  }

  #whyNot(merchantId: string | null): NoPlaceReason | null {
    if (merchantId === null) return this.#unknown < this.#places.unknown ? null : 'unknown';
    const taken = { inAll: this.#known, ofMerchant: this.#ofMerchant.at(merchantId) };
    return whyNoPlace(this.#places.known, taken);
  }

  #count(merchantId: string | null, change: 1 | -1): void {
    if (merchantId === null) this.#unknown += change;
    else {
      this.#known += change;
      this.#ofMerchant.add(merchantId, change);
    }
    this.#observer.taken(this.#known, this.#unknown);
  }
}
