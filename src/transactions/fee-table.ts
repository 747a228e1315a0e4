import { CARD_BRANDS, type CardBrand } from '../values/card-number.ts';
import { MOST_INSTALLMENTS } from '../values/cents.ts';

/** The operator's fee, by brand and number of installments. */
export type FeeRule = {
  readonly brand: CardBrand | 'any';
  readonly fromInstallments: number;
  readonly toInstallments: number;
  /** Hundredths of a percent. */
  readonly portion: number;
};

export type FeeTable = readonly FeeRule[];

const MOST_RULES = 100;
const RULE = /^(any|[a-z]+):(\d{1,2})(?:-(\d{1,2}))?=(\d{1,2})(?:\.(\d{1,2}))?$/;

/**
 * Reads `visa:1=2.49, visa:2-6=3.10, any:1-99=3.5`: brand, installments and percent. The first rule
 * that fits counts, so the particular ones stand first. Returns an error as a sentence.
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
    if (rule === null) return `must be rules such as visa:2-6=3.10, not "${part}"`;
    rules.push(rule);
  }
  return rules;
}

function readRule(text: string): FeeRule | null {
  const [, brand = '', from = '', to = from, percent = '', decimals = ''] = RULE.exec(text) ?? [];
  const isBrand = brand === 'any' || CARD_BRANDS.includes(brand as CardBrand);
  const fromInstallments = Number(from);
  const toInstallments = Number(to);
  const isRange =
    fromInstallments >= 1 && fromInstallments <= toInstallments && toInstallments <= MOST_INSTALLMENTS;
  if (!isBrand || !isRange) return null;
  const portion = Number(percent) * 100 + Number(decimals.padEnd(2, '0'));
  return { brand: brand as FeeRule['brand'], fromInstallments, toInstallments, portion };
}

/** The fee of a sale in hundredths of a percent; 0 where the operator named none. */
export function feePortion(table: FeeTable, brand: CardBrand, installmentCount: number): number {
  const rule = table.find(
    (each) =>
      (each.brand === 'any' || each.brand === brand) &&
      each.fromInstallments <= installmentCount &&
      installmentCount <= each.toInstallments,
  );
  return rule?.portion ?? 0;
}
