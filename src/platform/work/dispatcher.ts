import { setTimeout as pause } from 'node:timers/promises';
import { tracedTask } from '../tracing/scope.ts';
import {
  claimLimit,
  type DispatchState,
  freeClaimedSlots,
  freeNowSlots,
  isLineInTheWay,
  isLineShort,
} from './dispatch-policy.ts';
import type { Asking, Claimed, Dispatched } from './dispatched.ts';
import type { Work } from './due-work.ts';
import { type FairClaim, fairClaim } from './fair-claim.ts';
import { type BusyPlace, BusyPlaces, countPlaces, FairQueue, type Place } from './fair-queue.ts';
import type { Look } from './looks.sql.ts';
import { forwardSignal, type WakeSignal } from './wake-signal.ts';

/**
 * How many postponed rows one statement pulls forward, and how many statements follow one return of the other
 * side. Other rows wait for their time.
 */
const PULLED_AT_ONCE = 1_000;
const MOST_PULLS = 100;
const WAIT_MILLISECONDS = 1_000;
/**
 * The parts of the `now` line that one endpoint and one merchant may fill. Tasks above them are handed back,
 * and claimed in their turn.
 */
const SHARE_OF_PLACE = 1 / 2;
const SHARE_OF_MERCHANT = 3 / 4;
/**
 * Once the `now` line is this many times `queued` long, tasks that may not begin included, a merchant may
 * have only one task in it.
 */
const LONG_LINE = 3;
const NOT_BEGUN = AbortSignal.abort();

/** Claims due work, queues it for slots, sends and records it. A slow task holds up no more than its slot. */
export class Dispatcher<Task extends Place, Sent> implements Work {
  readonly name: string;
  readonly wakeSignal: WakeSignal;
  readonly look: Look;
  readonly #of: Dispatched<Task, Sent>;
  readonly #claimed: FairQueue<Task>;
  readonly #now: FairQueue<Task>;
  /** Tasks of a clock jump, outside the slots. */
  readonly #aside = new FairQueue<Task>({ ofMerchant: 0, ofMerchantAlone: 0, slow: 0 });
  readonly #places: BusyPlaces;
  /** Tasks that hold a place at their endpoint. */
  readonly #holders = new Set<Task>();
  readonly #running = new Set<Promise<void>>();
  #stopping: AbortSignal = NOT_BEGUN;
  #recording = 0;
  #nextClaimAt = 0;
  #ranAt = 0;
  #isShortOfRoom = false;
  #isClaimingAside = false;
  #isFinished = false;
  #lastClaim: Promise<unknown> = Promise.resolve();
  #failure: { readonly error: unknown } | null = null;
  #pullsLeft = 0;

  constructor(of: Dispatched<Task, Sent>) {
    this.#of = of;
    this.name = of.name;
    this.wakeSignal = forwardSignal(of.wakeSignal);
    const free = () => of.limits.claimed.slots - this.#claimed.taken();
    const values = () => of.pieceValues?.(this.#shareOf(free()).passedOver) ?? [];
    this.look = { piece: of.piece, values };
    this.#claimed = new FairQueue(of.limits.claimed);
    this.#now = new FairQueue(of.limits.now);
    this.#places = new BusyPlaces(of.limits.ofEndpoint);
  }

  begin(signal: AbortSignal): void {
    this.#stopping = signal;
  }

  /** Claims until nothing is due or no slot is free. After an abort no waiting task begins. */
  async runDue(signal: AbortSignal): Promise<number> {
    this.#throwFailure();
    this.#ranAt = performance.now();
    this.#stopping = signal;
    this.#of.beginRun?.();
    let claimed = 0;
    for (let isEnd = false; !isEnd && !signal.aborted; ) {
      const page = await this.#inTurn(() => this.#claim());
      if (page === null) break;
      claimed += page.tasks.length;
      isEnd = page.isEnd;
    }
    return claimed;
  }

  millisecondsUntilDue(found: unknown): number | null {
    const { outage, pullForward } = this.#of;
    const untilProbe = outage?.millisecondsUntilProbe() ?? 0;
    if (untilProbe > 0 && this.#state().isAway) return untilProbe;
    const waiting = this.#claimed.length + this.#now.length;
    const untilLook = waiting > 0 ? this.#ranAt + WAIT_MILLISECONDS - performance.now() : null;
    if (this.#isShortOfRoom) return untilLook && Math.min(this.#nextClaimAt - performance.now(), untilLook);
    if (this.#failure !== null || this.#pullsLeft > 0) return 0;
    const untilReturn = pullForward === undefined ? null : outage?.millisecondsUntilReturn();
    const waits = [found, untilReturn, untilLook, untilProbe > 0 ? untilProbe : null];
    const known = waits.filter((wait) => typeof wait === 'number');
    return known.length === 0 ? null : Math.min(...known);
  }

  /** Hands back waiting tasks, and waits for those under way, for `stopMilliseconds` at most. */
  async finish(): Promise<void> {
    this.#isFinished = true;
    this.#handBack([...this.#now.empty(), ...this.#claimed.empty()]);
    const ending = new AbortController();
    const { stopMilliseconds } = this.#of;
    const ends = [this.#allEnded()];
    if (stopMilliseconds !== undefined)
      ends.push(pause(stopMilliseconds, undefined, { signal: ending.signal }).catch(() => {}));
    await Promise.race(ends);
    ending.abort();
    this.#throwFailure();
  }

  /** How many new tasks would find a slot at once. 0 if this work runs elsewhere. */
  capacityForNow(): number {
    if (this.#stopping === NOT_BEGUN || this.#isFinished) return 0;
    return Math.max(0, freeNowSlots(this.#of.limits, this.#state()) - this.#ready(this.#now));
  }

  /** Sends tasks just written under a lease. Returns at once and never throws. */
  sendNow(tasks: readonly Task[]): void {
    if (this.#isFinished) return;
    const { limits } = this.#of;
    const until = performance.now() + limits.longestWaitMilliseconds;
    const refused: Task[] = [];
    for (const task of tasks) {
      if (this.#hasRoomNow(task)) this.#now.add(task, until);
      else refused.push(task);
    }
    this.#handBack(refused);
    this.#serve();
  }

  /**
   * For a clock jump: sends what `claim` gives, outside the slots, and waits for it. While `claim` runs, no
   * other task begins.
   */
  async sendAside<Page extends { readonly tasks: readonly Task[] }>(
    claim: () => Promise<Page>,
    atOnce: number,
    signal?: AbortSignal,
  ): Promise<Page> {
    let ends: Promise<void>[] = [];
    const page = await this.#inTurn(async () => {
      this.#isClaimingAside = true;
      try {
        const claimed = await claim();
        const left = [...claimed.tasks];
        ends = Array.from({ length: Math.min(atOnce, left.length) }, () => this.#workOffAside(left, signal));
        return claimed;
      } finally {
        this.#isClaimingAside = false;
      }
    });
    // All ends are awaited before an error is thrown, so that no task is left under way.
    for (const end of await Promise.allSettled(ends)) if (end.status === 'rejected') throw end.reason;
    return page;
  }

  /** All tasks are tried; the first error is thrown at the end. */
  async #workOffAside(left: Task[], signal?: AbortSignal): Promise<void> {
    let failure: { readonly error: unknown } | null = null;
    while (!signal?.aborted) {
      const task = left.shift();
      if (task === undefined) break;
      this.#aside.begin(task);
      await this.#workOff(this.#aside, task).catch((error) => {
        failure ??= { error };
      });
    }
    if (failure !== null) throw (failure as { readonly error: unknown }).error;
  }

  underWay(): Task[] {
    return [this.#claimed, this.#now, this.#aside].flatMap(({ underWay }) => [...underWay]);
  }

  /** By merchant, the claimed tasks that are under way or wait. See `inHandOf`. */
  claimedOf(most: number): BusyPlace[] {
    return this.#claimed.inHandOf(most, this.#places.full());
  }

  inHand(): Task[] {
    return [...this.underWay(), ...this.#claimed.waiting()];
  }

  isBusyAt(place: Place): boolean {
    return this.#places.at(place) > 0;
  }

  /**
   * Whether the `now` line takes a task. An endpoint and a merchant have their share of the line, however
   * many tasks wait for others.
   */
  #hasRoomNow(task: Task): boolean {
    const { queued } = this.#of.limits.now;
    const { ofMerchant, atPlace } = this.#now.waitingOf(task);
    const hasShare = atPlace > queued * SHARE_OF_PLACE || ofMerchant > queued * SHARE_OF_MERCHANT;
    const isLong = this.#now.length >= queued * LONG_LINE && ofMerchant > 0;
    return !hasShare && !isLong && this.#ready(this.#now) < queued;
  }

  #ready(lane: FairQueue<Task>): number {
    return lane.ready(this.#places.full(), (merchantId) => this.#mayAsk(merchantId));
  }

  #state(): DispatchState {
    const { outage } = this.#of;
    return {
      claimed: {
        taken: this.#claimed.taken(),
        slow: this.#claimed.slow(),
        queued: this.#claimed.length,
        ready: this.#ready(this.#claimed),
      },
      now: { taken: this.#now.taken() },
      recording: this.#recording,
      isAway: outage?.isMute() === true && outage.onlySilentFor() === null,
      millisecondsUntilProbe: outage?.millisecondsUntilProbe() ?? 0,
      nextClaimAt: this.#nextClaimAt,
    };
  }

  #shareOf(free: number): FairClaim {
    const merchants = [...this.#claimed.underWay].map(({ merchantId }) => ({ merchantId }));
    const silent = this.#of.outage?.onlySilentFor() ?? null;
    const probe = silent === null ? null : { merchantId: silent, mayBegin: this.#mayAsk(silent) };
    return fairClaim(free, countPlaces(merchants), probe);
  }

  /** A merchant that alone gets no answers has one query at a time, as if all providers were away. */
  #mayAsk(merchantId: string): boolean {
    const { outage } = this.#of;
    if (outage === undefined || outage.onlySilentFor() !== merchantId) return true;
    return this.#claimed.underWayOf(merchantId) === 0 && outage.millisecondsUntilProbe() === 0;
  }

  /** One claim at a time, so that each counts the results of the one before. */
  #inTurn<T>(claim: () => Promise<T>): Promise<T> {
    const turn = this.#lastClaim.then(claim).finally(() => this.#serve());
    this.#lastClaim = turn.catch(() => {});
    return turn;
  }

  /** Null without a free slot, or with too few to be worth it. */
  async #claim(): Promise<Claimed<Task> | null> {
    await this.#pullAfterReturn();
    const { limits } = this.#of;
    let limit = claimLimit(limits, this.#state(), performance.now());
    if (isLineInTheWay(limits, this.#state(), limit) && this.#claimed.giveWay(this.#places.full())) {
      this.#handBack(this.#claimed.takeExpired());
      limit = claimLimit(limits, this.#state(), performance.now());
    }
    this.#isShortOfRoom = limit === 0;
    if (limit === 0) return null;
    this.#nextClaimAt = performance.now() + limits.longLineMilliseconds;
    const page = await this.#of.claim(limit, this.#shareOf(limit));
    const until = performance.now() + limits.longestWaitMilliseconds;
    for (const task of page.tasks) this.#take(task, until);
    return page;
  }

  /**
   * Claimed tasks are sent even if their endpoint has trouble: the database, which chose them, knows better.
   */
  #take(task: Task, until: number): void {
    const of = this.#of;
    if (of.limits.claimed.queued === 0) {
      this.#claimed.begin(task);
      this.#start(this.#workOff(this.#claimed, task));
    } else if (of.isProbe?.(task)) this.#claimed.addFirst(task, until);
    else this.#claimed.add(task, until, { isExempt: of.isUnwanted?.(task, 'claimed') ?? false });
  }

  async #pullAfterReturn(): Promise<void> {
    const { outage, pullForward } = this.#of;
    if (outage === undefined || pullForward === undefined) return;
    if (outage.takeReturn()) this.#pullsLeft = MOST_PULLS;
    if (this.#pullsLeft === 0) return;
    const pulled = await pullForward(PULLED_AT_ONCE);
    this.#pullsLeft = pulled < PULLED_AT_ONCE ? 0 : this.#pullsLeft - 1;
  }

  #serve(): void {
    if (this.#isClaimingAside || this.#isFinished) return;
    const { limits } = this.#of;
    if (!this.#stopping.aborted) this.#serveLane('claimed', () => freeClaimedSlots(limits, this.#state()));
    this.#serveLane('now', () => freeNowSlots(limits, this.#state()));
  }

  #serveLane(name: 'claimed' | 'now', free: () => number): void {
    const lane = name === 'claimed' ? this.#claimed : this.#now;
    const chooser = {
      now: performance.now(),
      hasCapacityAt: (task: Task) => this.#places.hasSlot(task) && this.#mayAsk(task.merchantId),
      isUnwanted: (task: Task) => this.#of.isUnwanted?.(task, name) ?? false,
    };
    lane.expire(chooser, name === 'now');
    while (lane.length > 0 && free() > 0) {
      const task = lane.take(chooser);
      if (task === null) break;
      this.#start(this.#workOff(lane, task));
    }
    this.#handBack(lane.takeExpired());
  }

  /**
   * Where `isFreeWhenSent`, a sent task frees its place at its endpoint, and in the claimed lane its slot,
   * before it is recorded.
   */
  async #workOff(lane: FairQueue<Task>, task: Task): Promise<void> {
    this.#holders.add(task);
    this.#places.add(task, 1);
    const { about } = this.#of;
    const subject = about === undefined ? null : () => about(task);
    try {
      await tracedTask(this.name, subject, () => this.#sendAndRecord(lane, task));
    } finally {
      this.#leave(lane, task);
    }
  }

  async #sendAndRecord(lane: FairQueue<Task>, task: Task): Promise<void> {
    const asking: Asking = (answer) => lane.whileAsking(task, answer, () => this.#passOn());
    const sent = await this.#of.send(task, this.#stopping, asking);
    const isFree = this.#of.isFreeWhenSent?.(task, sent) ?? false;
    if (isFree && lane === this.#claimed) return this.#recordBeside(task, sent);
    if (isFree) {
      this.#freePlace(task);
      this.#serve();
    }
    await this.#of.record(task, sent);
  }

  #freePlace(task: Task): void {
    if (this.#holders.delete(task)) this.#places.add(task, -1);
  }

  async #recordBeside(task: Task, sent: Sent): Promise<void> {
    this.#recording += 1;
    this.#leave(this.#claimed, task);
    try {
      await this.#of.record(task, sent);
    } finally {
      this.#recording -= 1;
    }
  }

  #leave(lane: FairQueue<Task>, task: Task): void {
    const hasFreed = lane.end(task);
    this.#freePlace(task);
    // A sent task may have made another one due.
    this.#passOn(hasFreed, hasFreed && lane === this.#claimed);
  }

  /**
   * Serves waiting tasks. The next run comes at once if one had to stop for lack of slots, or something may
   * be due.
   */
  #passOn(hasFreed = true, mayBeDue = false): void {
    if (hasFreed) this.#serve();
    if ((mayBeDue || this.#isShortOfRoom) && isLineShort(this.#state())) this.wakeSignal.notify();
  }

  #handBack(tasks: readonly Task[]): void {
    const { handBack } = this.#of;
    if (tasks.length === 0 || handBack === undefined) return;
    this.#start(handBack(tasks).finally(() => this.wakeSignal.notify()));
  }

  #start(task: Promise<void>): void {
    const running = task.catch((error) => {
      this.#failure ??= { error };
    });
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  async #allEnded(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #throwFailure(): void {
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null) throw failure.error;
  }
}
