import { type FeeVersion, feeTerms, readFeeTable } from '../../transactions/fees/fee-table.ts';
import { CARD_BRANDS, type CardBrand } from '../../values/card-number.ts';

export type SeenFee = {
  readonly brand: CardBrand;
  readonly installmentCount: number;
  /** Hundredths of a percent. */
  readonly portion: number;
};

/** The fee from files that a link to the page brings; null: it brings none. */
export function readSeenFee(query: Readonly<Record<string, string>>): SeenFee | null {
  const { brand, installments = '', portion = '' } = query;
  const known = CARD_BRANDS.find((one) => one === brand);
  if (known === undefined || !/^[1-9]\d?$/.test(installments) || !/^\d{1,4}$/.test(portion)) return null;
  return { brand: known, installmentCount: Number(installments), portion: Number(portion) };
}

/**
 * A rule with the fee from files, and behind it the rules in force for the merchant: the first that fits
 * counts.
 */
export function suggestedRules(
  {
    ofMerchant,
    ofAll,
  }: { readonly ofMerchant: readonly FeeVersion[]; readonly ofAll: readonly FeeVersion[] },
  { brand, installmentCount, portion }: SeenFee,
  now: number,
): string {
  const rules = rulesAt(ofMerchant, now) || rulesAt(ofAll, now);
  const table = readFeeTable(rules);
  const { firstDays, betweenDays } = feeTerms(
    typeof table === 'string' ? [] : table,
    brand,
    installmentCount,
  ).plan;
  const name = `${brand}:${installmentCount}=`;
  const others = rules
    .split(',')
    .map((rule) => rule.trim())
    .filter((rule) => rule !== '' && !rule.startsWith(name));
  const days = `@${firstDays}${installmentCount > 1 ? `/${betweenDays}` : ''}`;
  return [`${name}${(portion / 100).toFixed(2)}${days}`, ...others].join(', ');
}

function rulesAt(versions: readonly FeeVersion[], now: number): string {
  const begun = versions.filter(({ validFrom }) => validFrom <= now);
  return begun.toSorted((one, other) => other.validFrom - one.validFrom)[0]?.rules ?? '';
}
