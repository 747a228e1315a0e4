import { Tally } from '../work/fair-queue.ts';
import { divideCapacity, type NoPlaceReason, whyNoPlace } from './places.ts';

export type PlaceObserver = {
  taken(known: number, unknown: number): void;
  refused(reason: NoPlaceReason): void;
};

/** What `inPlace` gives when no place was free: the work was not begun. */
export const NO_PLACE = Symbol('no place');

/**
 * Limits handlers at work. Reading bodies and sending answers do not count: clients decide how long they
 * take.
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
