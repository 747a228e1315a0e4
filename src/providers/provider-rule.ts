import { CARD_BRANDS, type CardBrand } from '../values/card-number.ts';
import { isProviderName } from './provider.ts';

/** The merchant id of rules for all merchants. */
export const ALL_MERCHANTS = '';
/** Both ends included; null for any. */
type Range = readonly [from: number, to: number] | null;

/** A rule fits if all its conditions hold. */
export type ProviderRule = {
  readonly provider: string;
  /** null for any. */
  readonly brands: readonly CardBrand[] | null;
  readonly installments: Range;
  /** Cents. */
  readonly amount: Range;
  /** Percent of the sales that the other conditions fit. */
  readonly share: number;
};

/** The fields of a sale that rules read. A boleto has no brand, and one installment. */
export type RoutedSale = {
  readonly brand: CardBrand | null;
  readonly installmentCount: number;
  /** Cents. */
  readonly amount: number;
};

export const MOST_RULES = 50;
const LARGEST_NUMBER = 9_999_999_999;

/** null if no rule fits. The same id gets the same provider, as long as the rules are the same. */
export function chooseProvider(
  rules: readonly ProviderRule[],
  sale: RoutedSale,
  transactionId: string,
  takes: (provider: string) => boolean,
): string | null {
  const chosen = rules.find(
    (rule, position) =>
      fits(rule, sale) && takes(rule.provider) && isOfShare(rule.share, transactionId, position),
  );
  return chosen?.provider ?? null;
}

/** The next provider that the rules name for a sale that was not made at the first, whatever their shares. */
export function nextProvider(
  rules: readonly ProviderRule[],
  sale: RoutedSale,
  first: string,
  takes: (provider: string) => boolean,
): string | null {
  const next = rules.find((rule) => rule.provider !== first && fits(rule, sale) && takes(rule.provider));
  return next?.provider ?? null;
}

function fits({ brands, installments, amount }: ProviderRule, sale: RoutedSale): boolean {
  if (brands !== null && (sale.brand === null || !brands.includes(sale.brand))) return false;
  return isWithin(installments, sale.installmentCount) && isWithin(amount, sale.amount);
}

function isWithin(range: Range, value: number): boolean {
  return range === null || (value >= range[0] && value <= range[1]);
}

/** The position is part of the text, so that the shares of two rules are independent. */
function isOfShare(share: number, transactionId: string, position: number): boolean {
  return share >= 100 || (drawOf(`${transactionId.toLowerCase()}|${position}`) / 2 ** 32) * 100 < share;
}

/** 32-bit FNV-1a with MurmurHash3's final mixing: even for texts that differ in one character. */
function drawOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Reads `brand=visa,elo installments=2-12 amount=10000-500000 share=30 provider`, or says what is wrong. */
export function readRule(text: string): ProviderRule | string {
  const words = text.trim().split(/\s+/);
  const provider = words.pop() ?? '';
  if (!isProviderName(provider))
    return `must end with the name of a provider, not ${JSON.stringify(provider)}`;
  const condition = readCondition(words.join(' '));
  return typeof condition === 'string' ? condition : { ...condition, provider };
}

/** The stored text: everything except the provider. */
export function conditionText({ brands, installments, amount, share }: ProviderRule): string {
  return [
    ...(brands === null ? [] : [`brand=${brands.join(',')}`]),
    ...(installments === null ? [] : [`installments=${installments.join('-')}`]),
    ...(amount === null ? [] : [`amount=${amount.join('-')}`]),
    ...(share === 100 ? [] : [`share=${share}`]),
  ].join(' ');
}

/** In the format of `readRule`. */
export function ruleText(rule: ProviderRule): string {
  return `${conditionText(rule)} ${rule.provider}`.trim();
}

export function readCondition(text: string): Omit<ProviderRule, 'provider'> | string {
  let read: Omit<ProviderRule, 'provider'> = { brands: null, installments: null, amount: null, share: 100 };
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [name = '', value = ''] = word.split('=');
    if (name === 'brand') {
      const brands = CARD_BRANDS.filter((brand) => value.split(',').includes(brand));
      if (brands.length !== value.split(',').length)
        return `names a brand that is none of ${CARD_BRANDS.join(', ')}`;
      read = { ...read, brands };
    } else if (name === 'installments' || name === 'amount') {
      const range = readRange(value);
      if (range === null) return `${name}=${value} is no range such as ${name}=2-12`;
      read = { ...read, [name]: range };
    } else if (name === 'share') {
      const share = Number(value);
      if (!/^\d{1,3}$/.test(value) || share < 1 || share > 100)
        return `share=${value} is no percentage from 1 to 100`;
      read = { ...read, share };
    } else return `${JSON.stringify(word)} is none of brand=, installments=, amount= and share=`;
  }
  return read;
}

function readRange(text: string): Range {
  const found = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(text);
  if (found === null) return null;
  const from = Number(found[1]);
  const to = Number(found[2] ?? found[1]);
  return from > to || to > LARGEST_NUMBER ? null : [from, to];
}
