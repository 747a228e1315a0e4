import { mayTake } from '../work/fair-share.ts';
import { divideCapacity } from './places.ts';

/** A thousand bodies of the largest size. */
export const MOST_BODY_BYTES = 64 * 1024 * 1024;

/** Why a body is refused: its caller has its share, or all is taken. */
export const BODY_REFUSALS = ['full', 'share'] as const;
export type BodyRefusal = (typeof BODY_REFUSALS)[number];

/** For metrics and the log. */
export type BodyObserver = {
  held(bytes: number): void;
  refused(reason: BodyRefusal): void;
};

/** A merchant, or the address of an unknown caller. */
export type BodyOwner = { readonly isKnown: boolean; readonly name: string };

/** What one request holds of the memory for bodies. */
export type BodyHold = {
  /** Takes so many more bytes; false when there are none for this caller. */
  add(bytes: number): boolean;
  release(): void;
};

/** The bytes of a part of the memory, and who holds them. */
class Part {
  readonly #bytes: number;
  readonly #byName = new Map<string, number>();
  held = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  whyNot(name: string, bytes: number): BodyRefusal | null {
    if (this.held + bytes > this.#bytes) return 'full';
    const ofMerchant = (this.#byName.get(name) ?? 0) + bytes - 1;
    return mayTake(this.#bytes, { inAll: this.held, ofMerchant }) ? null : 'share';
  }

  count(name: string, change: number): void {
    this.held += change;
    const held = (this.#byName.get(name) ?? 0) + change;
    if (held === 0) this.#byName.delete(name);
    else this.#byName.set(name, held);
  }
}

/**
 * The memory of the process for bodies of requests, from their first byte until they are answered.
 * Unknown callers have a part of their own, as they have of the places; in each part a caller may
 * hold as much as it leaves free.
 */
export class BodyMemory {
  readonly #known: Part;
  readonly #unknown: Part;
  readonly #observer: BodyObserver;

  constructor(bytes: number, observer: BodyObserver) {
    const parts = divideCapacity(bytes);
    this.#known = new Part(parts.known);
    this.#unknown = new Part(parts.unknown);
    this.#observer = observer;
  }

  open({ isKnown, name }: BodyOwner): BodyHold {
    const part = isKnown ? this.#known : this.#unknown;
    let held = 0;
    let isOver = false;
    const count = (change: number) => {
      held += change;
      part.count(name, change);
      this.#observer.held(this.#known.held + this.#unknown.held);
    };
    return {
      add: (bytes) => {
        if (isOver) return false;
        const reason = part.whyNot(name, bytes);
        if (reason === null) count(bytes);
        else this.#observer.refused(reason);
        return reason === null;
      },
      release() {
        isOver = true;
        count(-held);
      },
    };
  }
}
