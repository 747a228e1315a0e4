import { MERCHANT_UNKNOWN } from '../../merchants/refusals.ts';
import type { SpokenRefusal } from '../../platform/http/refusal.ts';
import { CARD_BRANDS, type CardBrand } from '../../values/card-number.ts';
import { MOST_INSTALLMENTS } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';

/** The operator's fee, by brand and number of installments, and when the acquirer pays. */
export type FeeRule = {
  readonly brand: CardBrand | 'any';
  readonly fromInstallments: number;
  readonly toInstallments: number;
  /** Hundredths of a percent. */
  readonly portion: number;
  readonly plan: PaymentPlan;
};

/** Days from the sale to the first installment's payout, and from each to the next. */
export type PaymentPlan = { readonly firstDays: number; readonly betweenDays: number };

/** What a sale is charged and paid at. */
export type FeeTerms = Pick<FeeRule, 'portion' | 'plan'>;

export type FeeTable = readonly FeeRule[];

const MOST_RULES = 100;
const RULE =
  /^(any|[a-z]+):(\d{1,2})(?:-(\d{1,2}))?=(\d{1,2})(?:\.(\d{1,2}))?(?:@(\d{1,3})(?:\/(\d{1,3}))?)?$/;

const USUAL_DAYS = 30;
/** Of a sale that no rule fits. */
const USUAL_TERMS: FeeTerms = { portion: 0, plan: { firstDays: USUAL_DAYS, betweenDays: USUAL_DAYS } };

/**
 * Reads `visa:1=2.49@2, visa:2-6=3.10@31/30, any:1-99=3.5`: brand, installments, percent, and days to
 * the first payout and between installments. The first rule that fits counts, so the particular ones
 * stand first. Returns an error as a sentence.
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
    if (rule === null) return `must be rules such as visa:2-6=3.10 or visa:1=2.49@30, not "${part}"`;
    rules.push(rule);
  }
  return rules;
}

function readRule(text: string): FeeRule | null {
  const match = RULE.exec(text);
  const [, brand = '', from = '', to = from, percent = '', decimals = '', first, between] = match ?? [];
  const isBrand = brand === 'any' || CARD_BRANDS.includes(brand as CardBrand);
  const fromInstallments = Number(from);
  const toInstallments = Number(to);
  const isRange =
    fromInstallments >= 1 && fromInstallments <= toInstallments && toInstallments <= MOST_INSTALLMENTS;
  if (match === null || !isBrand || !isRange) return null;
  const portion = Number(percent) * 100 + Number(decimals.padEnd(2, '0'));
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

/** The fee of a sale in hundredths of a percent; 0 where the operator named none. */
export function feePortion(table: FeeTable, brand: CardBrand, installmentCount: number): number {
  return feeTerms(table, brand, installmentCount).portion;
}

/** Days from the sale to the payout of an installment. */
export function daysToPayout({ firstDays, betweenDays }: PaymentPlan, installmentNumber: number): number {
  return firstDays + (installmentNumber - 1) * betweenDays;
}

/** The owner of a version for all merchants that have none of their own. */
export const ALL_MERCHANTS = '';

export const FEE_SOURCES = ['setting', 'operator'] as const;
/** `setting`: PARCELA_FEES, as a start found it. */
export type FeeSource = (typeof FEE_SOURCES)[number];

/**
 * How long after it was written a version begins, at the least: every process reads new ones every two
 * seconds, and a sale of its first moment must find it, whichever process makes it.
 */
export const FEE_LEAD_MILLISECONDS = 10_000;

/** The table of fees from a moment on, until its next version. */
export type FeeVersion = {
  /** `ALL_MERCHANTS`, or one. */
  readonly merchantId: string;
  /** Business time. */
  readonly validFrom: Instant;
  /** As it was written. Of a merchant's own version an empty text gives it the table of all again. */
  readonly rules: string;
  readonly source: FeeSource;
  readonly createdBy: string;
};

/** Why a version is not put beside the others. */
export const FEE_REFUSALS = {
  rulesMalformed: { status: 400, text: 'The rules cannot be read: {value}' },
  dayMalformed: { status: 400, text: 'This is no day such as 2026-12-01: {value}' },
  merchantUnknown: MERCHANT_UNKNOWN,
  dayOver: { status: 409, text: 'The day {value} is over: what was sold keeps its fee. Choose a later day.' },
  saleAfter: { status: 409, text: 'A sale was made at {value}, and keeps its fee: begin after it.' },
  sameMoment: { status: 409, text: 'A version is valid from {value} already.' },
} as const satisfies Record<string, SpokenRefusal>;

export type FeeRefusal = keyof typeof FEE_REFUSALS;

/** What a process has of all versions, to find those of a sale's moment. */
export type FeeVersions = { readonly tableAt: (merchantId: string, soldAt: Instant) => FeeTable };

type OfMoment = Pick<FeeVersion, 'merchantId' | 'validFrom' | 'rules'>;

/** Of several versions those with the same owner and moment are one. */
export function feeVersions(versions: readonly OfMoment[]): FeeVersions {
  const byMerchant = Map.groupBy(versions, ({ merchantId }) => merchantId);
  // The newest first.
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

/** Only what could be read was ever written. */
function writtenTable(rules: string): FeeTable {
  const table = readFeeTable(rules);
  if (typeof table === 'string') throw new RangeError(`a version of the fees ${table}`);
  return table;
}
