import type { Chance } from '../chance.ts';
import { dayAfter } from './days.ts';

/** One call of a merchant, and what came of it. Times in real milliseconds since 1970. */
export type ShopCall = {
  readonly what:
    | 'subscribe'
    | 'cancel'
    | 'activate'
    | 'changeVault'
    | 'cancelBilling'
    | 'chargeManually'
    | 'cancelPlan'
    | 'movePlan'
    | 'chargeback'
    | 'event'
    | 'jump';
  /** Of the subscription, billing or plan that it names; empty when it names none. */
  readonly id: string;
  /** A request to subscribe has one order, however often it is sent. */
  readonly order?: string;
  /** Of a chargeback of a part, in cents. */
  readonly amount?: number;
  readonly sentAt: number;
  answeredAt: number;
  /** Null: the connection was lost before the whole answer was there. */
  status: number | null;
};

/** A stored card, and how the simulator answers its charges. */
export type ShopCard = {
  readonly vaultId: string;
  readonly number: string;
  readonly brand: 'visa' | 'mastercard' | 'amex' | 'elo';
  /** It approves whatever it is asked. */
  readonly isPlain: boolean;
};

/** Somebody enrolled before the round begins. */
export type Enrolled = {
  readonly subscriptionId: string;
  readonly planId: string;
  readonly billingId: string;
  readonly card: ShopCard;
  /** Cents. */
  readonly amount: number;
  readonly planType: 'monthly' | 'custom';
  readonly intervalDays: number;
  readonly installments: number;
  readonly maxRetries: number;
  readonly firstDueOn: string;
};

/** A merchant of its own for one round: what the judge looks at is all that the merchant has. */
export type ChargingShop = {
  /** The name of findings: `steps.17`. */
  readonly round: string;
  readonly merchantId: string;
  readonly token: string;
  readonly enrolled: readonly Enrolled[];
  /** Cards that approve, to change to. */
  readonly spares: readonly ShopCard[];
  /** A plan without trial, for those who enrol meanwhile: charged within seconds. */
  readonly planOfNow: string;
  /** Where its clock goes, as São Paulo's wall clock shows it, one after the other; none: it is not moved. */
  readonly targets: readonly string[];
  readonly calls: ShopCall[];
  /** Nothing but slowness was done to its charges. */
  readonly isAcquirerWell: boolean;
  /** Judged only when these are over: somebody still sleeps who may do harm when he wakes. */
  readonly sleepers: Promise<void>[];
};

/** What a round asks of its merchant. */
export type ShopSettings = {
  readonly subscriptions: number;
  /** How far the clock goes; 0: not at all. */
  readonly days: number;
  /** Everything falls due tomorrow, and all cards are good: many at once, when that is made today. */
  readonly isOneNight: boolean;
  /** How many things its merchant does meanwhile, where that is not drawn. */
  readonly things?: number;
  /** The acquirer is slow to charge, and does nothing worse. */
  readonly isAcquirerWell?: boolean;
  /** All cards and amounts are approved, unless a script says otherwise. */
  readonly isPlain?: boolean;
  /** Everything is due at once, by real time. */
  readonly isDueNow?: boolean;
  /** Most cards are such that say never again. */
  readonly hasFinalNoes?: boolean;
};

/** The simulator's cards of which a merchant has each once: they count what they are asked. */
const TRIGGER_CARDS = [
  ['visa', '4000050000000114'],
  ['visa', '4000050000000122'],
  ['visa', '4000050000000130'],
  ['visa', '4000050000000148'],
  ['visa', '4000050000000155'],
  ['mastercard', '5200050000000168'],
  ['mastercard', '5200050000000176'],
  ['amex', '370005000000217'],
  ['elo', '6363680000000221'],
  ['visa', '4000050000000239'],
  ['mastercard', '5200059000000953'],
  ['amex', '370005000000258'],
] as const;
/**
 * Cards for which the limits of networks hold in homologation too, and an amount at which they are
 * lost: never to be sent again.
 */
const TRIAL_PREFIX = '5200059000000';
const LOST_AMOUNT = 1_041;
const SHARE_OF_FINAL_NOES = 0.6;

export function isTrialCard({ number }: ShopCard): boolean {
  return number.startsWith(TRIAL_PREFIX);
}

/**
 * Lacks funds, lost, not permitted, issuer down; booked without an answer, answered late, answered
 * with garbage.
 */
const TRIGGER_AMOUNTS = [1_051, 1_051, 1_041, 1_057, 1_091, 1_002, 1_003, 1_004] as const;
const SHARE_OF_TRIGGER_CARDS = 0.45;
const SHARE_OF_TRIGGER_AMOUNTS = 0.25;
/** Due while nobody was there: a service that comes back after a long time. */
const SHARE_LEFT_BEHIND = 0.12;
const SHARE_CUSTOM = 0.5;
/** Of those who are in the plan of the one before; each has terms of its own, as after edits of it. */
const SHARE_OF_SAME_PLAN = 0.6;
/** The first days of a round: a clock that goes a month meets them all, retries too. */
const FIRST_DAYS = 12;

export type DrawTools = {
  readonly chance: Chance;
  readonly newId: () => string;
  /** An ordinary card number, never the same twice. */
  readonly newNumber: () => string;
  readonly today: string;
};

/**
 * The subscriptions of a new merchant: cards and amounts of every behaviour, due days close to each
 * other.
 */
export function drawEnrolled(
  tools: DrawTools,
  settings: ShopSettings,
): { enrolled: Enrolled[]; spares: ShopCard[] } {
  const { chance, newId } = tools;
  const plain = (): ShopCard => ({
    vaultId: newId(),
    number: tools.newNumber(),
    brand: 'mastercard',
    isPlain: true,
  });
  const spares = [plain(), plain()];
  const left = [...TRIGGER_CARDS];
  const drawCard = (): ShopCard => {
    if (settings.isOneNight) return chance.pick(spares);
    if (settings.isPlain === true) return plain();
    if (left.length === 0 || !chance.isIn(SHARE_OF_TRIGGER_CARDS)) return plain();
    const [[brand, number] = ['visa', ''] as const] = left.splice(chance.whole(0, left.length - 1), 1);
    return { vaultId: newId(), number, brand, isPlain: false };
  };
  let planId = newId();
  const enrolled = Array.from({ length: settings.subscriptions }, (_, index) => {
    if (!chance.isIn(SHARE_OF_SAME_PLAN)) planId = newId();
    const isFinal = settings.hasFinalNoes === true && chance.isIn(SHARE_OF_FINAL_NOES);
    const card = isFinal ? { ...plain(), number: withCheckDigit(trialSerial(index)) } : drawCard();
    const isTrigger =
      card.isPlain &&
      !settings.isOneNight &&
      settings.isPlain !== true &&
      chance.isIn(SHARE_OF_TRIGGER_AMOUNTS);
    return {
      ...{ subscriptionId: newId(), planId, billingId: newId(), card },
      amount: isFinal ? LOST_AMOUNT : isTrigger ? chance.pick(TRIGGER_AMOUNTS) : chance.whole(2_000, 9_999),
      ...drawTerms(chance),
      firstDueOn: dayAfter(
        tools.today,
        settings.isOneNight ? 1 : settings.isDueNow ? 0 : drawFirstDay(chance),
      ),
    };
  });
  return { enrolled, spares };
}

function trialSerial(index: number): string {
  return `${TRIAL_PREFIX}${String(index).padStart(2, '0')}`;
}

/** A card number from its first fifteen digits. */
export function withCheckDigit(serial: string): string {
  const digits = [...serial].map(Number);
  const sum = digits.reverse().reduce((total, digit, place) => {
    const doubled = place % 2 === 0 ? 2 * digit : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${serial}${(10 - (sum % 10)) % 10}`;
}

function drawFirstDay(chance: Chance): number {
  return chance.isIn(SHARE_LEFT_BEHIND) ? -chance.whole(1, 70) : chance.whole(0, FIRST_DAYS);
}

function drawTerms(chance: Chance) {
  const isCustom = chance.isIn(SHARE_CUSTOM);
  return {
    planType: isCustom ? ('custom' as const) : ('monthly' as const),
    intervalDays: isCustom ? chance.whole(20, 25) : 30,
    installments: isCustom ? chance.whole(1, 4) : 0,
    maxRetries: chance.whole(0, 4),
  };
}
