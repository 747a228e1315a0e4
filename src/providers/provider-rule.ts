import type { SpokenRefusal } from '../platform/http/refusal.ts';
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

/** Only what its provider does not take, or surely did not make, goes on to a rule behind it. */
function fitsAll({ brands, installments, amount, share }: ProviderRule): boolean {
  return brands === null && installments === null && amount === null && share >= 100;
}

/** Whom new charges go to. `later`: only what those before do not take, or surely did not make. */
export type Reached = Readonly<Record<'first' | 'later', readonly string[]>>;

/** `others`: those that take what no rule fits. */
export function reachedBy(rules: readonly ProviderRule[], others: readonly string[]): Reached {
  const last = rules.findIndex(fitsAll);
  const isCut = last !== -1;
  const named = rules.map(({ provider }) => provider);
  const first = new Set(isCut ? named.slice(0, last + 1) : [...named, ...others.slice(0, 1)]);
  const later = new Set([...named, ...others]).difference(first);
  return { first: [...first], later: [...later] };
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

/** What is wrong with a rule. `{value}`: the part that is. */
export const RULE_FAULTS = {
  providerMissing: { status: 400, text: 'A rule ends with the name of a provider, not with {value}.' },
  brandMalformed: {
    status: 400,
    text: '{value} names a brand twice, or one that is none of visa, mastercard, amex, elo and hipercard.',
  },
  rangeMalformed: { status: 400, text: '{value} is no range such as installments=2-12 or amount=1000-5000.' },
  shareMalformed: { status: 400, text: '{value} is no percentage such as share=30, from 1 to 100.' },
  conditionUnknown: {
    status: 400,
    text: '{value} is none of brand=, installments=, amount= and share=, each with one value.',
  },
  conditionTwice: { status: 400, text: '{value} comes a second time in one rule.' },
} as const satisfies Record<string, SpokenRefusal>;

export const isRuleFault = (name: string): name is RuleFault['fault'] => Object.hasOwn(RULE_FAULTS, name);

export type RuleFault = { readonly fault: keyof typeof RULE_FAULTS; readonly value: string };

/** Reads `brand=visa,elo installments=2-12 amount=10000-500000 share=30 provider`, or says what is wrong. */
export function readRule(text: string): ProviderRule | RuleFault {
  const words = text.trim().split(/\s+/);
  const provider = words.pop() ?? '';
  if (!isProviderName(provider)) return { fault: 'providerMissing', value: provider };
  const condition = readCondition(words.join(' '));
  return 'fault' in condition ? condition : { ...condition, provider };
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

type Condition = Omit<ProviderRule, 'provider'>;

const ANY: Condition = { brands: null, installments: null, amount: null, share: 100 };
const CONDITION = /^(brand|installments|amount|share)=([^=]+)$/;

export function readCondition(text: string): Condition | RuleFault {
  let read = ANY;
  const seen = new Set<string>();
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [, name = '', value = ''] = CONDITION.exec(word) ?? [];
    if (name === '') return { fault: 'conditionUnknown', value: word };
    if (seen.has(name)) return { fault: 'conditionTwice', value: word };
    seen.add(name);
    const one = readOne(name, value);
    if (typeof one === 'string') return { fault: one, value: word };
    read = { ...read, ...one };
  }
  return read;
}

function readOne(name: string, value: string): Partial<Condition> | RuleFault['fault'] {
  if (name === 'brand') {
    const named = value.split(',');
    const brands = CARD_BRANDS.filter((brand) => named.includes(brand));
    return brands.length === named.length ? { brands } : 'brandMalformed';
  }
  if (name === 'share') {
    const share = Number(value);
    return /^\d{1,3}$/.test(value) && share >= 1 && share <= 100 ? { share } : 'shareMalformed';
  }
  const range = readRange(value);
  return range === null ? 'rangeMalformed' : { [name]: range };
}

function readRange(text: string): Range {
  const found = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(text);
  if (found === null) return null;
  const from = Number(found[1]);
  const to = Number(found[2] ?? found[1]);
  return from > to || to > LARGEST_NUMBER ? null : [from, to];
}
