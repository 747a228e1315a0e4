import { Tally } from './fair-queue.ts';
import { mayTake, mayTakeOfKind } from './fair-share.ts';

export type FairLineLimits = {
  readonly name: string;
  readonly slots: number;
  /** The most slots of one caller, in place of its share. */
  readonly ofEach?: number;
  /** A merchant may have as many waiting callers as it leaves free. */
  readonly waiting: number;
  readonly longestWaitMilliseconds: number;
};

/** `kind`: for slots where one kind may become slow by itself. */
export type Wanted = { readonly merchantId: string; readonly kind?: string };

export type Patience = {
  readonly milliseconds?: number;
  /** Aborted when the caller has gone. */
  readonly signal?: AbortSignal;
};

type Waiter = { readonly admit: () => void };

/** Runs work in the caller's turn. Throws `Overloaded` before the work begins. */
export type InLine = <T>(caller: string, work: () => Promise<T>) => Promise<T>;

export function fairLine(limits: FairLineLimits): InLine {
  const line = new FairLine(limits);
  return (caller, work) => line.run({ merchantId: caller }, work);
}

/**
 * Slots that merchants share (`fair-share.ts`), such as connections. Waiting merchants take turns, and so do
 * the kinds of a merchant. For callers in this process; `fair-queue.ts` is for tasks from the database. A
 * free slot needs no promise or timer.
 */
export class FairLine {
  readonly #limits: FairLineLimits;
  #inAll = 0;
  readonly #ofMerchant = new Tally();
  readonly #ofKind = new Tally();
  readonly #ofBoth = new Tally();
  /** In the order of turns: merchants, then their kinds. The one served goes to the end. */
  readonly #waiting = new Map<string, Map<string, Set<Waiter>>>();
  #waitingInAll = 0;
  readonly #waitingOfMerchant = new Tally();

  constructor(limits: FairLineLimits) {
    this.#limits = limits;
  }

  get taken(): number {
    return this.#inAll;
  }

  get waiting(): number {
    return this.#waitingInAll;
  }

  async run<T>(wanted: Wanted, work: () => Promise<T>, patience?: Patience): Promise<T> {
    if (!this.take(wanted)) await this.wait(wanted, patience);
    try {
      return await work();
    } finally {
      this.giveBack(wanted);
    }
  }

  /** False: no slot is free for it. A free slot is never taken before a waiter's turn. */
  take(wanted: Wanted): boolean {
    if (!this.#mayTake(wanted.merchantId, wanted.kind ?? '')) return false;
    this.#count(wanted, 1);
    return true;
  }

  /**
   * Resolves with the slot taken. Rejects with `Overloaded`: the line is full, or the wait was too long or
   * ended.
   */
  wait(wanted: Wanted, { milliseconds = Infinity, signal }: Patience = {}): Promise<void> {
    const { name, waiting, longestWaitMilliseconds } = this.#limits;
    const ofMerchant = this.#waitingOfMerchant.at(wanted.merchantId);
    if (!mayTake(waiting, { inAll: this.#waitingInAll, ofMerchant }))
      return Promise.reject(new Overloaded(`${name}: the line is full`));
    if (signal?.aborted) return Promise.reject(new Overloaded(`${name}: the wait was ended`));
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.#remove(wanted, waiter);
      };
      const giveUp = (reason: string) => {
        leave();
        reject(new Overloaded(`${name}: ${reason}`));
      };
      const onAbort = () => giveUp('the wait was ended');
      const waiter: Waiter = {
        admit() {
          leave();
          resolve();
        },
      };
      const timer = setTimeout(
        () => giveUp('the wait took too long'),
        // A caller that came too late gives up at once.
        Math.max(0, Math.min(milliseconds, longestWaitMilliseconds)),
      );
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#add(wanted, waiter);
    });
  }

  giveBack(wanted: Wanted): void {
    this.#count(wanted, -1);
    while (this.#waitingInAll > 0 && this.#serveNext());
  }

  #mayTake(merchantId: string, kind: string): boolean {
    const { slots, ofEach } = this.#limits;
    const inAll = this.#inAll;
    const ofMerchant = this.#ofMerchant.at(merchantId);
    if (ofEach !== undefined) return inAll < slots && ofMerchant < ofEach;
    if (kind === '') return mayTake(slots, { inAll, ofMerchant });
    const ofBoth = this.#ofBoth.at(`${merchantId}\n${kind}`);
    return mayTakeOfKind(slots, { inAll, ofMerchant, ofKind: this.#ofKind.at(kind), ofBoth });
  }

  #count({ merchantId, kind = '' }: Wanted, change: 1 | -1): void {
    this.#inAll += change;
    this.#ofMerchant.add(merchantId, change);
    if (kind === '') return;
    this.#ofKind.add(kind, change);
    this.#ofBoth.add(`${merchantId}\n${kind}`, change);
  }

  #add({ merchantId, kind = '' }: Wanted, waiter: Waiter): void {
    const kinds = this.#waiting.get(merchantId) ?? new Map<string, Set<Waiter>>();
    const waiters = kinds.get(kind) ?? new Set();
    this.#waiting.set(merchantId, kinds.set(kind, waiters.add(waiter)));
    this.#waitingInAll += 1;
    this.#waitingOfMerchant.add(merchantId, 1);
  }

  #remove({ merchantId, kind = '' }: Wanted, waiter: Waiter): void {
    const kinds = this.#waiting.get(merchantId);
    const waiters = kinds?.get(kind);
    if (kinds === undefined || !waiters?.delete(waiter)) return;
    if (waiters.size === 0) kinds.delete(kind);
    if (kinds.size === 0) this.#waiting.delete(merchantId);
    this.#waitingInAll -= 1;
    this.#waitingOfMerchant.add(merchantId, -1);
  }

  /** False: no waiter may have a slot. */
  #serveNext(): boolean {
    for (const [merchantId, kinds] of this.#waiting) {
      for (const [kind, waiters] of kinds) {
        if (!this.#mayTake(merchantId, kind)) continue;
        const [waiter] = waiters as Set<Waiter>;
        this.#waiting.delete(merchantId);
        this.#waiting.set(merchantId, kinds);
        kinds.delete(kind);
        kinds.set(kind, waiters);
        this.#count({ merchantId, kind }, 1);
        waiter?.admit();
        return true;
      }
    }
    return false;
  }
}

/** Answered 503: too many wait, no turn came in time, or a row was locked. Nothing was begun or written. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}
