import { MERCHANT_UNKNOWN } from '../../merchants/refusals.ts';
import type { SpokenRefusal } from '../../platform/http/refusal.ts';
import { CARD_BRANDS, type CardBrand } from '../../values/card-number.ts';
import { MOST_INSTALLMENTS } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';

export type FeeRule = {
  /** `any`: all brands of cards. */
  readonly brand: CardBrand | 'any' | 'pix';
  readonly fromInstallments: number;
  readonly toInstallments: number;
  /** Hundredths of a percent. */
  readonly portion: number;
  readonly plan: PaymentPlan;
};

/** `firstDays`: from the sale to the first payout. `betweenDays`: from each payout to the next. */
export type PaymentPlan = { readonly firstDays: number; readonly betweenDays: number };

export type FeeTerms = Pick<FeeRule, 'portion' | 'plan'>;

export type FeeTable = readonly FeeRule[];

const MOST_RULES = 100;
const RULE =
  /^(?:(any|[a-z]+):(\d{1,2})(?:-(\d{1,2}))?|pix)=(\d{1,2})(?:\.(\d{1,2}))?(?:@(\d{1,3})(?:\/(\d{1,3}))?)?$/;

const USUAL_DAYS = 30;
const AT_ONCE: PaymentPlan = { firstDays: 0, betweenDays: 0 };
const USUAL_TERMS: FeeTerms = { portion: 0, plan: { firstDays: USUAL_DAYS, betweenDays: USUAL_DAYS } };

/**
 * Reads `visa:1=2.49@2, visa:2-6=3.10@31/30, any:1-99=3.5, pix=0.99`: brand, installments, percent, days to
 * the first payout, days between payouts; a Pix is settled at once. The first rule that fits counts. Returns
 * an error as a sentence.
 */
export function readFeeTable(text: string): FeeTable | string {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  if (parts.length > MOST_RULES) return `has ${parts.length} rules, at most ${MOST_RULES} fit`;
  const rules: FeeRule[] = [];
  for (const part of parts) {
    const rule = readRule(part);
    if (rule === null && /\d,\d/.test(text))
      return `must have a point in its percentages, as 2.49: a comma separates rules, and "${part}" is none`;
    if (rule === null) return `must be rules such as visa:2-6=3.10 or visa:1=2.49@30, not "${part}"`;
    rules.push(rule);
  }
  return rules;
}

function readRule(text: string): FeeRule | null {
  const match = RULE.exec(text);
  const isPix = text.startsWith('pix=');
  const [, brand = '', from = '', to = from, percent = '', decimals = '', first, between] = match ?? [];
  const isBrand = brand === 'any' || CARD_BRANDS.includes(brand as CardBrand);
  const fromInstallments = Number(from);
  const toInstallments = Number(to);
  const isRange =
    fromInstallments >= 1 && fromInstallments <= toInstallments && toInstallments <= MOST_INSTALLMENTS;
  if (match === null || (isPix ? first !== undefined : !isBrand || !isRange)) return null;
  const portion = Number(percent) * 100 + Number(decimals.padEnd(2, '0'));
  if (isPix) return { brand: 'pix', fromInstallments: 1, toInstallments: 1, portion, plan: AT_ONCE };
  const plan = { firstDays: daysOf(first), betweenDays: daysOf(between) };
  return { brand: brand as FeeRule['brand'], fromInstallments, toInstallments, portion, plan };
}

function daysOf(text: string | undefined): number {
  return text === undefined ? USUAL_DAYS : Number(text);
}

export function feeTerms(table: FeeTable, brand: CardBrand, installmentCount: number): FeeTerms {
  const rule = table.find(
    (each) =>
      (each.brand === 'any' || each.brand === brand) &&
      each.fromInstallments <= installmentCount &&
      installmentCount <= each.toInstallments,
  );
  return rule ?? USUAL_TERMS;
}

/** The fee of a card sale in hundredths of a percent; 0 if no rule fits. */
export function feePortion(table: FeeTable, brand: CardBrand, installmentCount: number): number {
  return feeTerms(table, brand, installmentCount).portion;
}

/** The fee of a Pix in hundredths of a percent; 0 without a rule. */
export function pixPortion(table: FeeTable): number {
  return table.find(({ brand }) => brand === 'pix')?.portion ?? 0;
}

export function daysToPayout({ firstDays, betweenDays }: PaymentPlan, installmentNumber: number): number {
  return firstDays + (installmentNumber - 1) * betweenDays;
}

/** The owner of the versions that are valid for merchants without one of their own. */
export const ALL_MERCHANTS = '';

export const FEE_SOURCES = ['setting', 'operator'] as const;
/** `setting`: PARCELA_FEES at a start. */
export type FeeSource = (typeof FEE_SOURCES)[number];

/**
 * A version begins at least this long after it was written: processes read new ones every two seconds, and a
 * sale of the first moment must find it in any process.
 */
export const FEE_LEAD_MILLISECONDS = 10_000;

/** Valid from `validFrom` until the next version of the same merchant, or of `ALL_MERCHANTS`. */
export type FeeVersion = {
  readonly merchantId: string;
  /** Business time. */
  readonly validFrom: Instant;
  /** An empty text in a merchant's own version returns the merchant to the table of all. */
  readonly rules: string;
  readonly source: FeeSource;
  readonly createdBy: string;
};

/** Why a new version is refused. */
export const FEE_REFUSALS = {
  rulesMalformed: { status: 400, text: 'The rules cannot be read: {value}' },
  dayMalformed: { status: 400, text: 'This is no day such as 2026-12-01: {value}' },
  merchantUnknown: MERCHANT_UNKNOWN,
  dayOver: { status: 409, text: 'The day {value} is over: what was sold keeps its fee. Choose a later day.' },
  saleAfter: { status: 409, text: 'A sale was made at {value}, and keeps its fee: begin after it.' },
  sameMoment: { status: 409, text: 'A version is valid from {value} already.' },
} as const satisfies Record<string, SpokenRefusal>;

export type FeeRefusal = keyof typeof FEE_REFUSALS;

export type FeeVersions = { readonly tableAt: (merchantId: string, soldAt: Instant) => FeeTable };

type OfMoment = Pick<FeeVersion, 'merchantId' | 'validFrom' | 'rules'>;

/** Of several versions with the same owner and moment one counts. */
export function feeVersions(versions: readonly OfMoment[]): FeeVersions {
  const byMerchant = Map.groupBy(versions, ({ merchantId }) => merchantId);
  for (const own of byMerchant.values()) own.sort((one, other) => other.validFrom - one.validFrom);
  const rulesAt = (merchantId: string, soldAt: Instant) =>
    byMerchant.get(merchantId)?.find(({ validFrom }) => validFrom <= soldAt)?.rules ?? '';
  const read = new Map<string, FeeTable>();
  return {
    tableAt(merchantId, soldAt) {
      const rules = rulesAt(merchantId, soldAt) || rulesAt(ALL_MERCHANTS, soldAt);
      const table = read.get(rules) ?? writtenTable(rules);
      read.set(rules, table);
      return table;
    },
  };
}

/** Every written version was readable when it was written. */
function writtenTable(rules: string): FeeTable {
  const table = readFeeTable(rules);
  if (typeof table === 'string') throw new RangeError(`a version of the fees ${table}`);
  return table;
}
