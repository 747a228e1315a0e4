import { KeyAbsent } from '../../keys/open-keyring.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { CommitUnknown, DatabaseUnavailable } from '../../platform/postgres/database-errors.ts';
import { chargingLimits } from '../../platform/work/dispatch-policy.ts';
import { type Claimed, Dispatcher } from '../../platform/work/dispatcher.ts';
import type { Work } from '../../platform/work/due-work.ts';
import type { OutageWatch } from '../../platform/work/outage-watch.ts';
import { Overloaded } from '../../platform/work/overloaded.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import type { Instant } from '../../values/instant.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import { BrandNotTaken, type CollectBillingTools, collectBilling } from './collect-billing.ts';
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
  /** Woken when the block of a subscription is notified. */
  readonly deliverer: Pick<Deliverer, 'notify'>;
  readonly window: ChargeWindow;
  /**
   * Charges of this process under way at the same time; 0: it charges nothing on schedule, others
   * do.
   */
  readonly chargesAtOnce: number;
  /**
   * The acquirer's time, and that of a charge from its beginning to its end: with what is kept for
   * recording.
   */
  readonly patienceFor: (merchantId: string) => {
    readonly acquirerTimeoutMilliseconds: number;
    readonly chargeMilliseconds: number;
  };
  /**
   * A stop waits no longer; the process that resolves a charge which is still pending then finds
   * its outcome.
   */
  readonly stopMilliseconds: number;
  /**
   * Called for each billing that waits for the key of its card; `isToBeLogged`: for the log too.
   */
  readonly observeKeyAbsent: (dataKeyId: number, isToBeLogged: boolean) => void;
  /** Called for each billing that waits because the acquirer does not take the brand of its card. */
  readonly observeBrandNotTaken: () => void;
  /**
   * Whether the acquirer answers any charge. While it does not, one at a time finds out whether it
   * is back.
   */
  readonly outage: OutageWatch;
  /** Whether clocks can be moved. */
  readonly hasMovedClocks: boolean;
  /** Between 0 and 1: where a read begins in the turns of a day. */
  readonly chance: () => number;
};

/** Charges what is due. */
export type DueCharger = {
  /** What is due by the real time, and by moved clocks that stand. */
  readonly work: Work;
  /**
   * Charges what is due by the clock of one merchant, in a jump of it, and waits for the end of it.
   */
  runDueOf(merchantId: string, signal: AbortSignal): Promise<number>;
  /**
   * The business instant at which something of this merchant falls due, or fell; a charge under way
   * counts. Null: nothing until then.
   */
  earliestDueOf(merchantId: string, until: Instant): Promise<Instant | null>;
};

/**
 * What came of a charge: it is over with, or is looked for again, because of an error where there
 * was one.
 */
type Charged = { readonly isOver: true } | { readonly isOver: false; readonly error?: unknown };

/** What a jump of a merchant's clock reads at once. */
const READ_AT_ONCE = 256;
/**
 * One that could not be charged now (a lock, a lost connection) rests for so long; then its claim
 * is tried again.
 */
const REST_MILLISECONDS = 2_000;
/** What the acquirer can do is read every few seconds: a mistake of its own is over long before. */
const BRAND_WAIT_SECONDS = 600;
const MOST_RESTING = 5_000;
/**
 * After a round that found nothing the next one waits for ten times as long as it took: crowds that
 * wait for their window cost little.
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
      // Of a charge this says nothing more than that it comes again; the next one that asks the
      // database says it.
      if (error !== undefined && !isOfDatabase(error)) throw error;
    },
    piece: BILLINGS_DUE,
    pieceValues: () => dueValues(window, rounds.inHand()),
  });

  /**
   * Its card is there and does not open now: that says nothing of the billing, which stays open and
   * comes again.
   */
  async function waitForKey(due: DueBilling, dataKeyId: number): Promise<void> {
    const { waitSeconds, isToBeLogged } = absentKeys.note(dataKeyId, performance.now() / 1_000);
    tools.observeKeyAbsent(dataKeyId, isToBeLogged);
    await putOffBilling(database, due, waitSeconds);
  }

  async function waitForBrand(due: DueBilling): Promise<void> {
    tools.observeBrandNotTaken();
    await putOffBilling(database, due, BRAND_WAIT_SECONDS);
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

/** Goes round over the days and merchants with something due, a page at a time. */
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
    // Elsewhere each time: from one place on, every read would walk over all that was charged since
    // the last vacuum.
    const fromTurn = Math.floor(this.#tools.chance() * TURNS);
    return { window: this.#tools.window, inHand: this.inHand(), fromTurn, limit };
  }

  rest({ billingId }: DueBilling): void {
    if (this.#resting.size >= MOST_RESTING) this.#resting.delete(this.#resting.keys().next().value as string);
    this.#resting.set(billingId, performance.now() + REST_MILLISECONDS);
  }

  /** The next page; at the beginning of a round one of merchants with moved clocks too. */
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

/** How long billings wait whose card's key is not there, before they are looked at again. */
const SHORTEST_WAIT_SECONDS = 30;
const LONGEST_WAIT_SECONDS = 3_600;
/** The operator is reminded so often. */
const REMINDER_SECONDS = 60;

/**
 * Half the time for which the key is missing: what is put back soon is found soon, and a night
 * without it costs few looks.
 */
export function secondsUntilKeyIsSought(missingSeconds: number): number {
  return Math.round(Math.min(LONGEST_WAIT_SECONDS, Math.max(SHORTEST_WAIT_SECONDS, missingSeconds / 2)));
}

/** Data keys that this process has missed. */
export type AbsentKeys = {
  /**
   * Notes that a key is missing: how long what it sealed waits, and whether its operator is to be
   * warned (again).
   */
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
      // Not missed for longer than anything waits: it was there in between.
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
