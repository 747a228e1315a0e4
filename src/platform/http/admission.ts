import { Tally } from '../work/fair-queue.ts';
import { dividePlaces, type NoPlaceReason, whyNoPlace } from './places.ts';

/** For metrics and the log. */
export type PlaceObserver = {
  taken(known: number, unknown: number): void;
  refused(reason: NoPlaceReason): void;
};

/** Nothing was begun: there was no place. */
export const NO_PLACE = Symbol('no place');

/**
 * The places of the process. A place is taken while a handler works: neither while a body comes in nor
 * while an answer goes out, for how long these take is for strangers to decide.
 */
export class Admission {
  readonly #places: ReturnType<typeof dividePlaces>;
  readonly #observer: PlaceObserver;
  readonly #ofMerchant = new Tally();
  #known = 0;
  #unknown = 0;

  constructor(places: number, observer: PlaceObserver) {
    this.#places = dividePlaces(places);
    this.#observer = observer;
  }

  /**
   * Works in a place of the merchant, or in one for callers who are not known. It is given back whatever
   * comes of the work.
   */
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
