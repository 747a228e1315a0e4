import { KeyAbsent } from '../../keys/open-keyring.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { CommitUnknown, DatabaseUnavailable } from '../../platform/postgres/database-errors.ts';
import { chargingLimits } from '../../platform/work/dispatch-policy.ts';
import type { Claimed } from '../../platform/work/dispatched.ts';
import { Dispatcher } from '../../platform/work/dispatcher.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { Overloaded } from '../../platform/work/fair-line.ts';
import type { OutageWatch } from '../../platform/work/outage-watch.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { secondsToWait } from '../../transactions/transaction.ts';
import type { Instant } from '../../values/instant.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import { AcquirerAway, BrandNotTaken, type CollectBillingTools, collectBilling } from './collect-billing.ts';
import { type ChargeWindow, dueInstant, TURNS } from './day-window.ts';
import {
  type DueBilling,
  type DuePlace,
  type DueRequest,
  FIRST_DUE_PLACE,
  findDueBillings,
  findDueOf,
  findDueOfMoved,
  findEarliestTurnOf,
  putOffBilling,
} from './due-billings.sql.ts';
import { BILLINGS_DUE, dueValues } from './due-places.sql.ts';
import { applyChargebacksOf } from './process-chargebacks.ts';

export type ChargeDueTools = CollectBillingTools & {
  readonly database: Database;
  readonly deliverer: Pick<Deliverer, 'notify'>;
  readonly window: ChargeWindow;
  /** In this process; 0 if other processes make the scheduled charges. */
  readonly chargesAtOnce: number;
  /** The time for the acquirer, and for a whole charge including its recording. */
  readonly patienceFor: (merchantId: string) => {
    readonly acquirerTimeoutMilliseconds: number;
    readonly chargeMilliseconds: number;
  };
  /** A stop waits no longer than this: resolving finds the outcomes of pending charges. */
  readonly stopMilliseconds: number;
  /** For each billing that waits for its card's key. `isToBeLogged`: the log should say it too. */
  readonly observeKeyAbsent: (dataKeyId: number, isToBeLogged: boolean) => void;
  /** For each billing that waits because the acquirer does not accept its card's brand. */
  readonly observeBrandNotTaken: () => void;
  /** While an acquirer does not answer, one charge at a time tests it. */
  readonly outage: OutageWatch;
  readonly hasMovedClocks: boolean;
  readonly collectByPix: (due: DueBilling, deadlineAt: number) => Promise<'pending' | 'notTaken'>;
  /** From 0 to 1: where reads begin in the turns of a day. */
  readonly chance: () => number;
};

export type DueCharger = {
  /** Charges what is due by real time, and by moved clocks that are not in a jump. */
  readonly work: Work;
  /** For a jump of one merchant's clock; waits until the charges end. */
  runDueOf(merchantId: string, signal: AbortSignal): Promise<number>;
  /**
   * The earliest due time up to `until`, in business time, charges under way included; null: nothing is due
   * by then.
   */
  earliestDueOf(merchantId: string, until: Instant): Promise<Instant | null>;
};

/** `isOver` false: the charge is made again, perhaps because of an error. */
type Charged = { readonly isOver: true } | { readonly isOver: false; readonly error?: unknown };

const READ_AT_ONCE = 256;
/** How long a billing rests after a failed charge (a lock, a lost connection). */
const REST_MILLISECONDS = 2_000;
/**
 * The acquirer's capabilities are read every few seconds: a mistake in them is corrected long before this
 * wait ends.
 */
const BRAND_WAIT_SECONDS = 600;
/**
 * The longest wait for an acquirer that is away while others answer: nothing brings its billings forward when
 * it is back.
 */
const LONGEST_AWAY_WAIT_SECONDS = 600;
const MOST_RESTING = 5_000;
/**
 * An empty round is followed by ten times its duration, so that crowds waiting for their window cost little.
 */
const REST_FACTOR = 10;

export function openCollector(tools: ChargeDueTools, wakeSignal: WakeSignal): DueCharger {
  const { database, window, chargesAtOnce, outage, stopMilliseconds } = tools;
  const absentKeys = openAbsentKeys();
  const rounds = new DueRounds(tools, () => billings.inHand());
  const billings: Dispatcher<DueBilling, Charged> = new Dispatcher<DueBilling, Charged>({
    name: 'chargeDueBillings',
    limits: chargingLimits(chargesAtOnce),
    wakeSignal,
    outage,
    stopMilliseconds,
    claim: (limit) => rounds.read(limit),
    send: (due) => charge(tools, due),
    about: ({ merchantId, billingId }) => ({
      attributes: { 'parcela.merchant.id': merchantId, 'parcela.billing.id': billingId },
      follows: null,
    }),
    async record(due, charged) {
      if (charged.isOver) return;
      rounds.rest(due);
      const { error } = charged;
      if (error instanceof KeyAbsent) await waitForKey(due, error.dataKeyId).catch(() => {});
      if (error instanceof BrandNotTaken) await waitForBrand(due).catch(() => {});
      if (error instanceof AcquirerAway) await waitForAcquirer(due, error.acquirer).catch(() => {});
      // The charge comes again; the next query to the database reports the fault.
      if (error !== undefined && !isOfDatabase(error)) throw error;
    },
    piece: BILLINGS_DUE,
    pieceValues: () => dueValues(window, rounds.inHand()),
  });

  /** The card exists but cannot be decrypted now: the billing stays open and is charged later. */
  async function waitForKey(due: DueBilling, dataKeyId: number): Promise<void> {
    const { waitSeconds, isToBeLogged } = absentKeys.note(dataKeyId, performance.now() / 1_000);
    tools.observeKeyAbsent(dataKeyId, isToBeLogged);
    await putOffBilling(database, due, waitSeconds);
  }

  async function waitForBrand(due: DueBilling): Promise<void> {
    tools.observeBrandNotTaken();
    await putOffBilling(database, due, BRAND_WAIT_SECONDS);
  }

  async function waitForAcquirer(due: DueBilling, acquirer: string): Promise<void> {
    const seconds = secondsToWait(outage.awaySeconds(acquirer), LONGEST_AWAY_WAIT_SECONDS);
    await putOffBilling(database, due, seconds);
  }

  return {
    work: billings,
    async runDueOf(merchantId, signal) {
      if (chargesAtOnce === 0) return 0;
      const applied = await applyChargebacksOf(tools, merchantId);
      const find = async () => ({
        tasks: await findDueOf(database, rounds.request(READ_AT_ONCE), merchantId),
      });
      const { tasks } = await billings.sendAside(find, chargesAtOnce, signal);
      return applied + tasks.length;
    },
    async earliestDueOf(merchantId, until) {
      if (chargesAtOnce === 0) return null;
      const found = await findEarliestTurnOf(database, merchantId, until);
      return found === null ? null : dueInstant(found.day, found.turn, window);
    },
  };
}

class DueRounds {
  readonly #tools: ChargeDueTools;
  readonly #inHand: () => readonly DueBilling[];
  readonly #resting = new Map<string, number>();
  #place: DuePlace = FIRST_DUE_PLACE;
  #movedPlace = '';
  #foundInRound = 0;
  #roundBeganAt = 0;
  #nextRoundAt = 0;

  constructor(tools: ChargeDueTools, inHand: () => readonly DueBilling[]) {
    this.#tools = tools;
    this.#inHand = inHand;
  }

  inHand(): readonly string[] {
    const now = performance.now();
    for (const [billingId, until] of this.#resting) if (until <= now) this.#resting.delete(billingId);
    return [...this.#inHand().map(({ billingId }) => billingId), ...this.#resting.keys()];
  }

  request(limit: number): DueRequest {
    // A random start: from a fixed one every read would walk over all charges since the last vacuum.
    const fromTurn = Math.floor(this.#tools.chance() * TURNS);
    return { window: this.#tools.window, inHand: this.inHand(), fromTurn, limit };
  }

  rest({ billingId }: DueBilling): void {
    if (this.#resting.size >= MOST_RESTING) this.#resting.delete(this.#resting.keys().next().value as string);
    this.#resting.set(billingId, performance.now() + REST_MILLISECONDS);
  }

  /**
   * Reads the next page of a round through all due billings. A round begins with a page of merchants with
   * moved clocks.
   */
  async read(limit: number): Promise<Claimed<DueBilling>> {
    const { database, hasMovedClocks } = this.#tools;
    const found: DueBilling[] = [];
    if (this.#place === FIRST_DUE_PLACE) {
      if (performance.now() < this.#nextRoundAt) return { tasks: [], isEnd: true };
      this.#roundBeganAt = performance.now();
      this.#foundInRound = 0;
      if (hasMovedClocks) {
        const page = await findDueOfMoved(database, this.request(limit), this.#movedPlace);
        this.#movedPlace = page.next ?? '';
        found.push(...page.billings);
      }
    }
    const page = await findDueBillings(database, this.request(limit), this.#place);
    found.push(...page.billings);
    this.#foundInRound += found.length;
    this.#place = page.next ?? FIRST_DUE_PLACE;
    if (page.next !== null) return { tasks: found, isEnd: false };
    const took = performance.now() - this.#roundBeganAt;
    this.#nextRoundAt = this.#foundInRound > 0 ? 0 : performance.now() + REST_FACTOR * took;
    return { tasks: found, isEnd: true };
  }
}

async function charge(tools: ChargeDueTools, due: DueBilling): Promise<Charged> {
  const order = { attemptNumber: due.chargesMade + 1, by: 'system', request: null };
  const { acquirerTimeoutMilliseconds, chargeMilliseconds } = tools.patienceFor(due.merchantId);
  const deadlineAt = performance.now() + chargeMilliseconds;
  try {
    if (due.vaultId === '') return { isOver: (await tools.collectByPix(due, deadlineAt)) === 'pending' };
    const { kind } = await collectBilling({ ...tools, acquirerTimeoutMilliseconds }, due, order, deadlineAt);
    return { isOver: kind === 'ended' || kind === 'pending' };
  } catch (error) {
    return { isOver: false, error };
  }
}

function isOfDatabase(error: unknown): boolean {
  return (
    error instanceof DatabaseUnavailable || error instanceof Overloaded || error instanceof CommitUnknown
  );
}

const SHORTEST_WAIT_SECONDS = 30;
const LONGEST_WAIT_SECONDS = 3_600;
const REMINDER_SECONDS = 60;

/**
 * Half the time for which the key has been missing: a quick repair is noticed soon, a long absence costs
 * little.
 */
export function secondsUntilKeyIsSought(missingSeconds: number): number {
  return Math.round(Math.min(LONGEST_WAIT_SECONDS, Math.max(SHORTEST_WAIT_SECONDS, missingSeconds / 2)));
}

export type AbsentKeys = {
  /** Returns how long the key's billings wait, and whether to warn the operator (again). */
  note(
    dataKeyId: number,
    nowSeconds: number,
  ): { readonly waitSeconds: number; readonly isToBeLogged: boolean };
};

type Missing = {
  readonly sinceSeconds: number;
  readonly seenAtSeconds: number;
  readonly loggedAtSeconds: number;
};

export function openAbsentKeys(): AbsentKeys {
  const missing = new Map<number, Missing>();
  return {
    note(dataKeyId, now) {
      const known = missing.get(dataKeyId);
      // A key that was last missed longer ago than any wait was there in between.
      const isKnown = known !== undefined && now - known.seenAtSeconds <= 2 * LONGEST_WAIT_SECONDS;
      const one = isKnown ? known : { sinceSeconds: now, seenAtSeconds: now, loggedAtSeconds: -Infinity };
      const isToBeLogged = now - one.loggedAtSeconds >= REMINDER_SECONDS;
      missing.set(dataKeyId, {
        ...one,
        seenAtSeconds: now,
        loggedAtSeconds: isToBeLogged ? now : one.loggedAtSeconds,
      });
      return { waitSeconds: secondsUntilKeyIsSought(now - one.sinceSeconds), isToBeLogged };
    },
  };
}
