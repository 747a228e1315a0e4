/** Where a task belongs: an endpoint of a merchant; without `endpoint`, the whole merchant. */
export type Place = { readonly merchantId: string; readonly endpoint?: string };

export type BusyPlace = { readonly merchantId: string; readonly endpoint: string; readonly underWay: number };

export function placeKey({ merchantId, endpoint = '' }: Place): string {
  return `${merchantId}\n${endpoint}`;
}

export function countPlaces(places: Iterable<Place>): BusyPlace[] {
  const counts = new Map<string, BusyPlace>();
  for (const { merchantId, endpoint = '' } of places) {
    const key = placeKey({ merchantId, endpoint });
    counts.set(key, { merchantId, endpoint, underWay: (counts.get(key)?.underWay ?? 0) + 1 });
  }
  return [...counts.values()];
}

export class Tally {
  readonly #counts = new Map<string, number>();

  at(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string, change: 1 | -1): void {
    const count = this.at(key) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }

  get size(): number {
    return this.#counts.size;
  }

  clear(): void {
    this.#counts.clear();
  }
}

/** Places with tasks under way; each place has `slots`. */
export class BusyPlaces {
  readonly #slots: number;
  readonly #counts = new Tally();
  readonly #full = new Map<string, Place>();

  constructor(slots: number) {
    this.#slots = slots;
  }

  at(place: Place): number {
    return this.#counts.at(placeKey(place));
  }

  hasSlot(place: Place): boolean {
    return this.at(place) < this.#slots;
  }

  full(): Iterable<Place> {
    return this.#full.values();
  }

  add(place: Place, change: 1 | -1): void {
    const key = placeKey(place);
    this.#counts.add(key, change);
    if (this.#counts.at(key) >= this.#slots) this.#full.set(key, place);
    else this.#full.delete(key);
  }
}

/**
 * The most tasks under way for one merchant: `ofMerchant` while others wait, `ofMerchantAlone` while no other
 * can be served.
 */
export type MerchantShare = {
  readonly ofMerchant: number;
  readonly ofMerchantAlone: number;
  /**
   * The most tasks waiting long for an answer that hold no slot. They still count for their place and
   * merchant.
   */
  readonly slow: number;
};

/**
 * A task that waits for an answer for so long is slow: far longer than a healthy system takes, and short
 * beside one that hangs.
 */
const LONG_WAIT_MILLISECONDS = 250;
/** How many tasks of a merchant stay in line behind full places, when the line has no room for others. */
const WAITING_IN_VAIN = 8;

type Waiting<Task> = { readonly task: Task; readonly until: number; readonly isExempt: boolean };

export type Chooser<Task> = {
  readonly now: number;
  readonly hasCapacityAt: (task: Task) => boolean;
  /** The task's endpoint has begun to fail. */
  readonly isUnwanted: (task: Task) => boolean;
};

/**
 * Tasks of this process: waiting and under way. Merchants take turns, each first come, first served. A
 * merchant with its share, or an endpoint without a free slot, is passed over and keeps its turn.
 */
export class FairQueue<Task extends Place> {
  readonly underWay = new Set<Task>();
  /** Tasks under way that wait long for an answer. */
  readonly #late = new Set<Task>();
  /** Some tasks for full places had to give way, and others still wait. */
  #isCrowded = false;
  readonly #share: MerchantShare;
  readonly #ofMerchant = new Tally();
  /** In the order of turns: the merchant served goes to the end. */
  #lines = new Map<string, Waiting<Task>[]>();
  #length = 0;
  readonly #atPlace = new Tally();
  #expired: Task[] = [];

  constructor(share: MerchantShare) {
    this.#share = share;
  }

  get length(): number {
    return this.#length;
  }

  waiting(): Task[] {
    return [...this.#lines.values()].flatMap((line) => line.map(({ task }) => task));
  }

  /** `until`: the task does not begin after this moment. `isExempt`: it begins even if unwanted. */
  add(task: Task, until: number, { isExempt = false } = {}): void {
    const line = this.#lines.get(task.merchantId);
    if (line === undefined) this.#lines.set(task.merchantId, [{ task, until, isExempt }]);
    else line.push({ task, until, isExempt });
    this.#count(task);
  }

  addFirst(task: Task, until: number): void {
    const line = this.#lines.get(task.merchantId) ?? [];
    this.#lines.delete(task.merchantId);
    line.unshift({ task, until, isExempt: true });
    this.#lines = new Map([[task.merchantId, line], ...this.#lines]);
    this.#count(task);
  }

  #count(task: Task): void {
    this.#length += 1;
    this.#atPlace.add(placeKey(task), 1);
  }

  waitingOf(place: Place): { readonly ofMerchant: number; readonly atPlace: number } {
    const ofMerchant = this.#lines.get(place.merchantId)?.length ?? 0;
    return { ofMerchant, atPlace: this.#atPlace.at(placeKey(place)) };
  }

  /**
   * How many waiting tasks would take a free slot. Excludes merchants that have their share or may not be
   * asked, and full places: these are in nobody's way.
   */
  ready(fullPlaces: Iterable<Place>, mayAsk: (merchantId: string) => boolean): number {
    let blocked = 0;
    const mayBegin = (merchantId: string) =>
      this.underWayOf(merchantId) < this.#share.ofMerchantAlone && mayAsk(merchantId);
    for (const [merchantId, line] of this.#lines) if (!mayBegin(merchantId)) blocked += line.length;
    for (const place of fullPlaces)
      if (mayBegin(place.merchantId)) blocked += this.#atPlace.at(placeKey(place));
    return this.#length - blocked;
  }

  /** Begins the next allowed task in turn; null: none. */
  take(chooser: Chooser<Task>): Task | null {
    const { ofMerchant, ofMerchantAlone } = this.#share;
    const task = this.#next(chooser, ofMerchant);
    return task === null && ofMerchantAlone > ofMerchant ? this.#next(chooser, ofMerchantAlone) : task;
  }

  begin(task: Task): void {
    this.underWay.add(task);
    this.#ofMerchant.add(task.merchantId, 1);
  }

  slow(): number {
    return Math.min(this.#late.size, this.#share.slow);
  }

  /** Can exceed the number of slots, when slow tasks were answered meanwhile. */
  taken(): number {
    return this.underWay.size - this.slow();
  }

  /** Waits for an answer to a task under way. A long wait holds no slot; the work after the answer does. */
  async whileAsking<Answer>(task: Task, answer: Promise<Answer>, onLate: () => void): Promise<Answer> {
    if (this.#share.slow === 0) return answer;
    let isAsking = true;
    const late = () => {
      if (!isAsking || !this.underWay.has(task)) return;
      this.#late.add(task);
      onLate();
    };
    // An answer that came while this process stood still is read first.
    const timer = setTimeout(() => setImmediate(late), LONG_WAIT_MILLISECONDS);
    try {
      return await answer;
    } finally {
      isAsking = false;
      clearTimeout(timer);
      this.#late.delete(task);
    }
  }

  /** False: it had already ended. */
  end(task: Task): boolean {
    if (!this.underWay.delete(task)) return false;
    this.#late.delete(task);
    this.#ofMerchant.add(task.merchantId, -1);
    return true;
  }

  underWayOf(merchantId: string): number {
    return this.#ofMerchant.at(merchantId);
  }

  /**
   * Tasks under way and waiting, by merchant, which may have `most` each. While `#isCrowded`, a merchant with
   * tasks waiting for full places counts as having all except the few that may wait for them.
   */
  inHandOf(most: number, fullPlaces: Iterable<Place>): BusyPlace[] {
    const inHand = [...this.underWay, ...this.waiting()];
    const all = countPlaces(inHand.map(({ merchantId }) => ({ merchantId })));
    if (!this.#isCrowded) return all;
    const isBlocked = this.#blockedBy(fullPlaces);
    const blockedOf = new Tally();
    for (const task of this.waiting()) if (isBlocked(task)) blockedOf.add(task.merchantId, 1);
    this.#isCrowded = blockedOf.size > 0;
    return all.map((busy) => {
      const blocked = blockedOf.at(busy.merchantId);
      if (blocked === 0) return busy;
      return { ...busy, underWay: Math.max(busy.underWay, most - Math.max(0, WAITING_IN_VAIN - blocked)) };
    });
  }

  /** Leaves to each merchant only a few in line for full places. Gives whether any were removed. */
  giveWay(fullPlaces: Iterable<Place>): boolean {
    const isBlocked = this.#blockedBy(fullPlaces);
    let hasGivenWay = false;
    for (const [merchantId, line] of this.#lines) {
      let kept = 0;
      for (let at = 0; at < line.length; ) {
        const { task } = line[at] as Waiting<Task>;
        if (isBlocked(task)) kept += 1;
        if (!isBlocked(task) || kept <= WAITING_IN_VAIN) at += 1;
        else {
          this.#expired.push(this.#remove(merchantId, line, at));
          hasGivenWay = true;
        }
      }
    }
    this.#isCrowded ||= hasGivenWay;
    return hasGivenWay;
  }

  /** Tasks that could not begin in a free slot: their place is full, or their merchant has its share. */
  #blockedBy(fullPlaces: Iterable<Place>): (task: Task) => boolean {
    const full = new Set([...fullPlaces].map(placeKey));
    return (task) =>
      full.has(placeKey(task)) || this.underWayOf(task.merchantId) >= this.#share.ofMerchantAlone;
  }

  /** Removes tasks that waited too long and, if asked, unwanted ones, with or without a free slot. */
  expire({ now, isUnwanted }: Chooser<Task>, isUnwantedToo: boolean): void {
    for (const [merchantId, line] of this.#lines) {
      for (let at = 0; at < line.length; ) {
        const { task, until, isExempt } = line[at] as Waiting<Task>;
        const isOver = until <= now || (isUnwantedToo && !isExempt && isUnwanted(task));
        if (isOver) this.#expired.push(this.#remove(merchantId, line, at));
        else at += 1;
      }
    }
  }

  takeExpired(): Task[] {
    const expired = this.#expired;
    this.#expired = [];
    return expired;
  }

  empty(): Task[] {
    const all = [...this.takeExpired(), ...this.waiting()];
    this.#lines.clear();
    this.#length = 0;
    this.#atPlace.clear();
    return all;
  }

  #next({ now, hasCapacityAt, isUnwanted }: Chooser<Task>, ofMerchant: number): Task | null {
    const fullPlaces = new Set<string>();
    for (const [merchantId, line] of this.#lines) {
      if (this.#ofMerchant.at(merchantId) >= ofMerchant) continue;
      for (let at = 0; at < line.length; ) {
        const { task, until, isExempt } = line[at] as Waiting<Task>;
        const key = placeKey(task);
        const isPassedOver = fullPlaces.has(key);
        const isExpired = !isPassedOver && (until <= now || (!isExempt && isUnwanted(task)));
        if (!isPassedOver && !isExpired && hasCapacityAt(task)) return this.#serve(merchantId, line, at);
        if (isExpired) this.#expired.push(this.#remove(merchantId, line, at));
        else {
          fullPlaces.add(key);
          at += 1;
        }
      }
    }
    return null;
  }

  #serve(merchantId: string, line: Waiting<Task>[], at: number): Task {
    const task = this.#remove(merchantId, line, at);
    if (this.#lines.delete(merchantId)) this.#lines.set(merchantId, line);
    this.begin(task);
    return task;
  }

  #remove(merchantId: string, line: Waiting<Task>[], at: number): Task {
    const [{ task }] = line.splice(at, 1) as [Waiting<Task>];
    this.#length -= 1;
    this.#atPlace.add(placeKey(task), -1);
    if (line.length === 0) this.#lines.delete(merchantId);
    return task;
  }
}
