import type { Chance } from '../chance.ts';
import type { Gateway } from '../gateways.ts';
import type { CardSource, Till, WantedPayment } from '../merchant-client.ts';

/**
 * What an operation needs that must be had before a fault strikes: cards, drawn amounts. `gateway`
 * is undisturbed.
 */
export type Preparation = {
  readonly till: Till;
  readonly gateway: Gateway;
  readonly round: string;
  readonly chance: Chance;
};

/** Where an operation sends its calls. */
export type Calls = {
  /** A gateway for each call; it may be the one that the fault strikes. */
  to(): Gateway;
  /** One that lives, for whoever was left without an answer and asks again. */
  again(): Promise<Gateway>;
  /**
   * Asking and repeating take their time: they are waited for before the books are compared, not by
   * the next fault.
   */
  later(after: () => Promise<void>): void;
};

/** Sends what was prepared. */
export type Prepared = (calls: Calls) => Promise<void>;

/**
 * Something that a merchant does. A new one is an entry in the list and, where it has a new
 * promise, an invariant.
 */
export type Operation = {
  readonly name: string;
  /** How often it is drawn, beside the others. */
  readonly weight: number;
  prepare(preparation: Preparation): Promise<Prepared>;
};

/** A payment of one installment with a carrier of its own. */
export async function wantPayment(
  { till, gateway, round, chance }: Preparation,
  operation: string,
  change: { readonly kind?: CardSource['kind']; readonly amount?: number } = {},
): Promise<WantedPayment> {
  const shop = chance.pick(till.bench.shops);
  const amount = change.amount ?? drawAmount(chance);
  const kind = change.kind ?? 'token';
  const text = await {
    token: () => till.cardToken(shop, gateway),
    encrypted: () => till.encryptedCard(shop, gateway),
    vault: () => till.vaultId(shop, gateway, chance),
  }[kind]();
  return { round, operation, shop, cardSource: { kind, text }, amount, installments: 1 };
}

/** Approved, mostly; some declines, and some of the amounts with which the simulator spoils its answer. */
const SPECIAL_AMOUNTS = [1_051, 1_054, 1_001, 1_002, 1_003, 1_004] as const;
const SPECIAL_SHARE = 0.2;

export function drawAmount(chance: Chance): number {
  return chance.isIn(SPECIAL_SHARE) ? chance.pick(SPECIAL_AMOUNTS) : drawPlainAmount(chance);
}

/** Approved, unless the acquirer's script says otherwise. */
export function drawPlainAmount(chance: Chance): number {
  // Of its own for nearly every payment, so that a mix-up shows; the last four digits keep clear of
  // the special ones.
  return chance.whole(1, 99_000) * 10_000 + chance.whole(2_000, 9_999);
}

const ASKING_MILLISECONDS = 60_000;
const PAUSE_MILLISECONDS = 150;

/** Asks a living gateway again and again until it answers something; null when it never does. */
export async function askUntilAnswered<T>(
  calls: Calls,
  ask: (gateway: Gateway) => Promise<T | null>,
): Promise<T | null> {
  const endsAt = performance.now() + ASKING_MILLISECONDS;
  while (performance.now() < endsAt) {
    const reported = await ask(await calls.again()).catch(() => null);
    if (reported !== null) return reported;
    await wait(PAUSE_MILLISECONDS);
  }
  return null;
}

export function wait(milliseconds: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, milliseconds));
}
