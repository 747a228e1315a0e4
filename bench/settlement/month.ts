import { type Charge, Charges, stateAfterChange } from '../../simulators/acquirer/charges.ts';
import { coversAnticipation, restOf } from '../../simulators/acquirer/pending.ts';
import type { Brand } from '../../simulators/kit/cards/decline-codes.ts';
import type { ChangeType } from '../../simulators/kit/cards/installments.ts';
import { saoPauloDayOf } from '../../simulators/kit/days.ts';

export type WantedMonth = {
  readonly merchants: readonly string[];
  /** Paid by batch: of it an acquirer pays a whole batch ahead of its day, or nothing. */
  readonly batchedMerchant: string;
  readonly payments: number;
  /** Milliseconds since 1970: the first sale. The last is thirty days later. */
  readonly from: number;
  /** From here on sales have the second fee. */
  readonly feesChangeAt: number;
  readonly seed: number;
};

/** What makes a movement or a cancel, in the order in which it happened. */
export type Happening =
  | { readonly kind: 'sold'; readonly charge: Charge }
  | {
      readonly kind: 'paid';
      readonly charge: Charge;
      readonly installmentNumber: number;
      readonly at: number;
    }
  | {
      readonly kind: 'canceled';
      readonly charge: Charge;
      readonly amount: number;
      readonly at: number;
      /** Installments of which nothing is left. */
      readonly ended: readonly number[];
    }
  | {
      readonly kind: 'chargedBack';
      readonly charge: Charge;
      readonly installmentNumber: number;
      readonly at: number;
      readonly ended: readonly number[];
    };

export type Month = {
  readonly charges: Charges;
  readonly happenings: readonly Happening[];
  /** When the last installment was paid. */
  readonly until: number;
};

const DAY = 86_400_000;
const MOST_INSTALLMENTS = 6;
const BRANDS: readonly Brand[] = ['visa', 'mastercard', 'elo', 'amex', 'hipercard'];
const BINS: Readonly<Record<Brand, string>> = {
  visa: '411111',
  mastercard: '515590',
  elo: '636297',
  amex: '378282',
  hipercard: '606282',
};

/** The fees of both halves: percent by number of installments, as `PARCELA_FEES` says it. */
export const FEES = [
  { rules: 'any:1=2.49, any:2-6=3.49', atOnce: 249, inInstallments: 349 },
  { rules: 'any:1=2.19, any:2-6=3.79', atOnce: 219, inInstallments: 379 },
] as const;

type Event = { readonly at: number; readonly merchantId: string; readonly reference: string } & (
  | { readonly kind: 'sell'; readonly amount: number; readonly installments: number; readonly brand: Brand }
  | { readonly kind: 'cancel'; readonly portion: number }
  | { readonly kind: 'chargeback'; readonly portion: number; readonly part: number }
  | { readonly kind: 'anticipate'; readonly part: number; readonly portion: number }
);

/**
 * A month of sales and all that became of them, in the acquirer's own ledger: of a hundred sales four
 * are canceled in part or as a whole, of two hundred one is charged back, of twenty one has an
 * installment paid ahead of its day.
 */
export function playMonth(wanted: WantedMonth): Month {
  const played = new PlayedMonth(wanted);
  for (const event of eventsOf(wanted)) played.play(event);
  return played.end(wanted.from + (30 + MOST_INSTALLMENTS * 30 + 15) * DAY);
}

function eventsOf(wanted: WantedMonth): Event[] {
  const { merchants, batchedMerchant, payments, from, seed } = wanted;
  const chance = chanceOf(seed);
  const below = (count: number): number => Math.floor(chance() * count);
  const events: Event[] = [];
  for (let index = 0; index < payments; index += 1) {
    const at = from + Math.floor((index * 30 * DAY) / payments);
    const merchantId = merchants[index % merchants.length] ?? '';
    const of = { merchantId, reference: referenceOf(at, index) };
    const installments = chance() < 0.5 ? 1 : 2 + below(MOST_INSTALLMENTS - 1);
    const brand = BRANDS[below(BRANDS.length)] ?? 'visa';
    events.push({ kind: 'sell', at, ...of, amount: 1_000 + below(200_000), installments, brand });
    if (chance() < 0.04) {
      const portion = chance() < 0.5 ? 1 : chance();
      events.push({ kind: 'cancel', at: at + DAY + below(80 * DAY), ...of, portion });
    }
    if (chance() < 0.005) {
      const portion = chance() < 0.5 ? 1 : chance();
      const part = 1 + below(installments);
      events.push({ kind: 'chargeback', at: at + DAY + below(150 * DAY), ...of, portion, part });
    }
    if (merchantId !== batchedMerchant && chance() < 0.05) {
      const part = 1 + below(installments);
      const earlier = DAY + below(part * 30 * DAY - 2 * DAY);
      events.push({ kind: 'anticipate', at: at + earlier, ...of, part, portion: chance() * 0.05 });
    }
  }
  events.push(...batchesAhead(events, batchedMerchant, chance));
  return events.sort((one, other) => one.at - other.at);
}

/** Of twenty batches one is paid ahead of its day, in one of its installments. */
function batchesAhead(events: readonly Event[], batchedMerchant: string, chance: () => number): Event[] {
  const sales = events.filter((event) => event.kind === 'sell');
  const batches = Map.groupBy(
    sales.filter(({ merchantId }) => merchantId === batchedMerchant),
    ({ at, brand, installments }) => [saoPauloDayOf(at), brand, installments].join(' '),
  );
  return [...batches.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined || chance() > 0.05) return [];
    const part = 1 + Math.floor(chance() * first.installments);
    const at = first.at + DAY + Math.floor(chance() * (part * 30 - 3) * DAY);
    const portion = chance() * 0.05;
    return members.map(({ merchantId, reference }): Event => {
      return { kind: 'anticipate', at, merchantId, reference, part, portion };
    });
  });
}

class PlayedMonth {
  readonly #charges = new Charges();
  readonly #happenings: Happening[] = [];
  readonly #feesChangeAt: number;
  #serial = 0;

  constructor({ feesChangeAt }: WantedMonth) {
    this.#feesChangeAt = feesChangeAt;
  }

  play(event: Event): void {
    this.#settle(event.at);
    if (event.kind === 'sell') {
      this.#sell(event);
      return;
    }
    const charge = this.#charges.charge(event.merchantId, event.reference);
    if (charge?.status !== 'approved') return;
    if (event.kind === 'cancel') this.#cancel(charge, event);
    else this.#change(charge, event);
  }

  end(until: number): Month {
    this.#settle(until);
    return { charges: this.#charges, happenings: this.#happenings, until };
  }

  #settle(until: number): void {
    for (;;) {
      const due = this.#charges.nextDue(null, until);
      if (due === null || 'cancellationReference' in due) return;
      const { charge, number, at } = due;
      this.#book(charge, number, 'settled', at, null, null);
      this.#happenings.push({ kind: 'paid', charge, installmentNumber: number, at });
    }
  }

  #sell(event: Extract<Event, { kind: 'sell' }>): void {
    const { at, merchantId, reference, amount, installments, brand } = event;
    const [before, after] = FEES;
    const fee = at < this.#feesChangeAt ? before : after;
    this.#serial += 1;
    const nsu = this.#serial;
    this.#charges.apply({
      type: 'authorization',
      at,
      merchantId,
      reference,
      merchantReference: `PEDIDO-${nsu}`,
      amount,
      installments,
      initiator: 'cardholder',
      capture: 'atOnce',
      soldAt: at,
      feePortion: installments === 1 ? fee.atOnce : fee.inInstallments,
      card: {
        brand,
        firstSix: BINS[brand],
        lastFour: String(nsu % 10_000).padStart(4, '0'),
        expiration: '12/39',
        triggerCard: null,
      },
      decision: {
        outcome: 'approved',
        authorizationCode: ((nsu * 3_999_971) % 36 ** 6).toString(36).toUpperCase().padStart(6, '0'),
        nsu,
        networkTransactionId: String(300_000_000_000_000 + nsu),
      },
    });
    const charge = this.#charges.charge(merchantId, reference);
    if (charge !== undefined) this.#happenings.push({ kind: 'sold', charge });
  }

  #cancel(charge: Charge, { at, portion }: Extract<Event, { kind: 'cancel' }>): void {
    const { merchantId, reference } = charge;
    const amount = Math.max(1, Math.floor(restOf(charge) * portion));
    if (amount > restOf(charge)) return;
    const before = endedOf(charge);
    this.#serial += 1;
    const cancellationReference = cancelIdOf(at, this.#serial);
    const asked = { merchantId, cancellationReference, reference, amount };
    const done = { refusal: null, pending: null, requestedAt: at } as const;
    this.#charges.apply({ type: 'cancellation', at, ...asked, ...done });
    const ended = endedOf(charge).filter((number) => !before.includes(number));
    this.#happenings.push({ kind: 'canceled', charge, amount, at, ended });
  }

  #change(charge: Charge, event: Extract<Event, { kind: 'chargeback' | 'anticipate' }>): void {
    const { kind, at, part, portion } = event;
    const size = Math.floor(charge.amount / charge.installments);
    const some = Math.max(1, Math.floor(size * portion));
    if (kind === 'anticipate') {
      if (stateAfterChange(charge, part, 'settled', null) === null) return;
      if (!coversAnticipation(charge, part, some)) return;
      this.#book(charge, part, 'settled', at, null, some);
      this.#happenings.push({ kind: 'paid', charge, installmentNumber: part, at });
      return;
    }
    const amount = portion === 1 ? null : some;
    if (stateAfterChange(charge, part, 'chargeback', amount) === null) return;
    const before = endedOf(charge);
    this.#book(charge, part, 'chargeback', at, amount, null);
    const ended = endedOf(charge).filter((number) => !before.includes(number));
    this.#happenings.push({ kind: 'chargedBack', charge, installmentNumber: part, at, ended });
  }

  #book(
    { merchantId, reference }: Charge,
    installmentNumber: number,
    change: ChangeType,
    at: number,
    amount: number | null,
    anticipationFee: number | null,
  ): void {
    const what = { change, amount, anticipationFee, happenedAt: at };
    this.#charges.apply({ type: 'change', at, merchantId, reference, installmentNumber, ...what });
  }
}

/** The installments of which nothing is left. */
function endedOf({ parts }: Charge): number[] {
  return (parts ?? []).flatMap(({ rest }, index) => (rest === 0 ? [index + 1] : []));
}

/** Ids rise with time, as those of the service do. */
function referenceOf(at: number, index: number): string {
  return idOf(at, `8${index.toString(16).padStart(15, '0')}`);
}

function cancelIdOf(at: number, serial: number): string {
  return idOf(at, `9${serial.toString(16).padStart(15, '0')}`);
}

function idOf(at: number, tail: string): string {
  const time = at.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

/** The same numbers from 0 to 1 for the same seed. */
function chanceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
