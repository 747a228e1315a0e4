import { setTimeout as pause } from 'node:timers/promises';
import { KeyAbsent } from '../../keys/open-keyring.ts';
import { Overloaded } from '../../platform/postgres/batched-writes.ts';
import { CommitUnknown, type Database, DatabaseUnavailable } from '../../platform/postgres/database.ts';
import type { OutageWatch } from '../../platform/work/outage-watch.ts';
import { openSlots, type Slots } from '../../platform/work/slots.ts';
import type { Instant } from '../../values/instant.ts';
import { openAbsentKeys } from './absent-keys.ts';
import { type CollectBillingTools, collectBilling } from './collect-billing.ts';
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
} from './due-billings.sql.ts';
import { openChargeLine } from './due-line.ts';
import { applyChargebacksOf } from './process-chargebacks.ts';
import { putOffBilling } from './put-off.sql.ts';

export type ChargeDueTools = CollectBillingTools & {
  readonly database: Database;
  readonly window: ChargeWindow;
  /** Charges of this process under way at the same time; 0: it charges nothing on schedule, others do. */
  readonly chargesAtOnce: number;
  /** The acquirer's time, and that of a charge from its beginning to its end: with what is kept for recording. */
  readonly patienceFor: (merchantId: string) => {
    readonly acquirerTimeoutMilliseconds: number;
    readonly chargeMilliseconds: number;
  };
  /** Who stops waits for no longer; a charge that is still under way then is found out by whoever comes next. */
  readonly stopMilliseconds: number;
  /** Hears of each billing that waits for the key of its card; `isToBeTold`: for the log too. */
  readonly observeKeyAbsent: (dataKeyId: number, isToBeTold: boolean) => void;
  /** Whether the acquirer answers any charge. While it does not, one at a time finds out whether it is back. */
  readonly outage: OutageWatch;
  /** Whether clocks can be moved. */
  readonly hasMovedClocks: boolean;
  /** Between 0 and 1: where a read begins in the turns of a day. */
  readonly chance: () => number;
};

/** Charges what is due. */
export type DueCharger = {
  /** Begins what is due by the real time, and by moved clocks that stand; goes on until nothing is, or all slots are taken. */
  runDue(signal: AbortSignal): Promise<number>;
  /** Charges what is due by the clock of one merchant, in a jump of it, and waits for the end of it. */
  runDueOf(merchantId: string, signal: AbortSignal): Promise<number>;
  /** The business instant at which something of this merchant falls due, or fell; a charge under way counts. Null: nothing until then. */
  earliestDueOf(merchantId: string, until: Instant): Promise<Instant | null>;
  finish(): Promise<void>;
};

/** A read costs little more for many: a process has more in hand than it has slots. */
const READ_AT_ONCE = 256;
/** One that could not be charged now (a lock, a lost connection) rests for so long; its claim is tried by whoever finds it. */
const REST_MILLISECONDS = 2_000;
const MOST_RESTING = 5_000;
/** After a round that found nothing the next one waits for ten times as long as it took: crowds that wait for their window cost little. */
const REST_FACTOR = 10;
/** A merchant's charges leave a quarter of the slots to others, while others wait. */
const SHARE_OF_MERCHANT = 0.75;

export function openCollector(tools: ChargeDueTools, wake: () => void): DueCharger {
  const { database, window, chargesAtOnce } = tools;
  const slots = openSlots(wake);
  const line = openChargeLine();
  const underWay = new Map<string, string>();
  const resting = new Map<string, number>();
  const absentKeys = openAbsentKeys();
  let place: DuePlace = FIRST_DUE_PLACE;
  let movedPlace = '';
  let foundInRound = 0;
  let roundBeganAt = 0;
  let nextRoundAt = 0;

  function wish(): DueRequest {
    const now = performance.now();
    for (const [billingId, until] of resting) if (until <= now) resting.delete(billingId);
    const inHand = [...underWay.keys(), ...line.ids(), ...resting.keys()];
    // Elsewhere each time: from one place on, every read would walk over all that was charged since the last vacuum.
    const fromTurn = Math.floor(tools.chance() * TURNS);
    return { window, inHand, fromTurn, limit: READ_AT_ONCE };
  }

  function begin(slotsOfIts: Slots, due: DueBilling): void {
    underWay.set(due.billingId, due.merchantId);
    slotsOfIts.start(async () => {
      try {
        if (!(await charge(tools, due))) rest(due);
      } catch (error) {
        rest(due);
        if (error instanceof KeyAbsent) await waitForKey(due, error.dataKeyId).catch(() => {});
        // Told by whoever asks the database next; of a charge it says nothing more than that it comes again.
        if (!isOfDatabase(error)) throw error;
      } finally {
        underWay.delete(due.billingId);
      }
    });
  }

  /** Its card is there and does not open now: that says nothing of the billing, which stays open and comes again. */
  async function waitForKey(due: DueBilling, dataKeyId: number): Promise<void> {
    const { waitSeconds, isToBeTold } = absentKeys.note(dataKeyId, performance.now() / 1_000);
    tools.observeKeyAbsent(dataKeyId, isToBeTold);
    await putOffBilling(database, due, waitSeconds);
  }

  function rest({ billingId }: DueBilling): void {
    if (resting.size >= MOST_RESTING) resting.delete(resting.keys().next().value as string);
    resting.set(billingId, performance.now() + REST_MILLISECONDS);
  }

  /** Reads the next page of the round. */
  async function refill(): Promise<void> {
    const now = performance.now();
    if (place === FIRST_DUE_PLACE) {
      if (now < nextRoundAt) return;
      roundBeganAt = now;
      foundInRound = 0;
      if (tools.hasMovedClocks) await refillFromMoved();
    }
    const page = await findDueBillings(database, wish(), place);
    add(page.billings);
    place = page.next ?? FIRST_DUE_PLACE;
    if (page.next !== null) return;
    const took = performance.now() - roundBeganAt;
    nextRoundAt = foundInRound > 0 ? 0 : performance.now() + REST_FACTOR * took;
  }

  /** Each round looks at a page of them. */
  async function refillFromMoved(): Promise<void> {
    const page = await findDueOfMoved(database, wish(), movedPlace);
    add(page.billings);
    movedPlace = page.next ?? '';
  }

  function add(billings: readonly DueBilling[]): void {
    foundInRound += billings.length;
    for (const billing of billings) line.add(billing);
  }

  /** Alone a merchant has all slots. */
  function isBusy(merchantId: string): boolean {
    let ofMerchant = 0;
    for (const one of underWay.values()) if (one === merchantId) ofMerchant += 1;
    return ofMerchant >= Math.ceil(chargesAtOnce * SHARE_OF_MERCHANT);
  }

  /** As many as there are slots for. */
  function beginFromLine(): number {
    let begun = 0;
    while (slots.taken() < chargesAtOnce) {
      const due = line.take(isBusy) ?? line.take(() => false);
      if (due === null) break;
      begin(slots, due);
      begun += 1;
    }
    return begun;
  }

  /** What is begun while the acquirer is away would only stay unknown, and have to be settled. */
  async function probe(): Promise<number> {
    if (slots.taken() > 0 || tools.outage.millisecondsUntilProbe() > 0) return 0;
    if (line.length() === 0) await refill();
    const due = line.take(() => false);
    if (due === null) return 0;
    begin(slots, due);
    return 1;
  }

  return {
    async runDue(signal) {
      if (chargesAtOnce === 0) return 0;
      slots.throwFailure();
      let begun = 0;
      while (!signal.aborted) {
        if (tools.outage.isAway()) return begun + (await probe());
        if (line.length() < chargesAtOnce) {
          await refill();
          if (line.length() === 0 && place === FIRST_DUE_PLACE) break;
        }
        begun += beginFromLine();
        if (slots.taken() >= chargesAtOnce) await slots.oneEnded(signal);
      }
      return begun;
    },
    async runDueOf(merchantId, signal) {
      if (chargesAtOnce === 0) return 0;
      const heard = await applyChargebacksOf(tools, merchantId);
      const found = await findDueOf(database, wish(), merchantId);
      const own = openSlots(() => {});
      const waiting = [...found];
      while (waiting.length > 0 && !signal.aborted) {
        if (own.taken() >= chargesAtOnce) await own.oneEnded(signal);
        else begin(own, waiting.shift() as DueBilling);
      }
      await own.allEnded();
      own.throwFailure();
      return heard + found.length;
    },
    async earliestDueOf(merchantId, until) {
      if (chargesAtOnce === 0) return null;
      const found = await findEarliestTurnOf(database, merchantId, until);
      return found === null ? null : dueInstant(found.day, found.turn, window);
    },
    async finish() {
      await allEndedWithin(slots, tools.stopMilliseconds);
      slots.throwFailure();
    },
  };
}

/** False: it was not taken or not sent, and is looked for again. */
async function charge(tools: ChargeDueTools, due: DueBilling): Promise<boolean> {
  const order = { attemptNumber: due.chargesMade + 1, by: 'system', request: null };
  const { acquirerTimeoutMilliseconds, chargeMilliseconds } = tools.patienceFor(due.merchantId);
  const deadlineAt = performance.now() + chargeMilliseconds;
  const { kind } = await collectBilling({ ...tools, acquirerTimeoutMilliseconds }, due, order, deadlineAt);
  return kind === 'ended' || kind === 'pending';
}

async function allEndedWithin(slots: Slots, milliseconds: number): Promise<void> {
  const ending = new AbortController();
  const tooLong = pause(milliseconds, undefined, { signal: ending.signal }).catch(() => {});
  await Promise.race([slots.allEnded(), tooLong]);
  ending.abort();
}

function isOfDatabase(error: unknown): boolean {
  return (
    error instanceof DatabaseUnavailable || error instanceof Overloaded || error instanceof CommitUnknown
  );
}
