import { isCrowded, type NoPlaceReason, whyNoPlace, whyNoPlaceForUnknown } from './places.ts';

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
  readonly #places: number;
  readonly #observer: PlaceObserver;
  readonly #byMerchant = new Map<string, number>();
  #known = 0;
  #unknown = 0;
  #fullAt: number | null = null;

  constructor(places: number, observer: PlaceObserver) {
    this.#places = places;
    this.#observer = observer;
  }

  /**
   * Works in a place of the merchant, or in one for callers who are not known. It is given back whatever
   * comes of the work.
   */
  async inPlace<T>(merchantId: string | null, work: () => Promise<T>): Promise<T | typeof NO_PLACE> {
    const reason = this.#whyNot(merchantId, performance.now());
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

  #whyNot(merchantId: string | null, now: number): NoPlaceReason | null {
    const taken = {
      inAll: this.#known + this.#unknown,
      unknown: this.#unknown,
      byMerchant: merchantId === null ? 0 : (this.#byMerchant.get(merchantId) ?? 0),
    };
    if (merchantId === null) return whyNoPlaceForUnknown(this.#places, taken);
    const reason = whyNoPlace(this.#places, taken, isCrowded(this.#places, taken, this.#fullAt, now));
    if (reason === 'full') this.#fullAt = now;
    return reason;
  }

  #count(merchantId: string | null, change: 1 | -1): void {
    if (merchantId === null) this.#unknown += change;
    else {
      this.#known += change;
      const ofMerchant = (this.#byMerchant.get(merchantId) ?? 0) + change;
      if (ofMerchant === 0) this.#byMerchant.delete(merchantId);
      else this.#byMerchant.set(merchantId, ofMerchant);
    }
    this.#observer.taken(this.#known, this.#unknown);
  }
}
