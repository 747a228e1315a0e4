import type { CardBrand } from '../../values/card-number.ts';
import type { EntryKind, SettlementEntry } from '../settlement-entry.ts';
import { isRevealing } from './masked-line.ts';

/** Longest words of an adjustment that are kept. */
const LONGEST_DESCRIPTION = 60;

/** An entry of which nothing is known but what it is. */
export function bareEntry(lineNumber: number, kind: EntryKind, establishment: string): SettlementEntry {
  return {
    lineNumber,
    kind,
    establishment,
    orderReference: null,
    tid: null,
    nsu: null,
    authorizationCode: null,
    brand: null,
    cardLastFour: null,
    soldOn: null,
    installmentNumber: null,
    installmentCount: null,
    gross: 0,
    fee: null,
    net: null,
    anticipationFee: null,
    bankOn: null,
    batch: null,
    document: null,
    receivableUnit: null,
    description: null,
  };
}

/** A text that an entry keeps; null when it holds a card's number. */
export function keptText(text: string | null): string | null {
  if (text === null || isRevealing(text)) return null;
  return text.slice(0, LONGEST_DESCRIPTION);
}

/** In the place of a code that is blank. */
export const NO_CODE = '-';

/** What is kept of an entry whose code the layout does not know. */
export function unknownUnder(code: string | null, words: string | null = null): string | null {
  return keptText([code || NO_CODE, ...(words === null ? [] : [words])].join(' '));
}

/**
 * Number and count of installments, of which papers write 00 where a sale has but one. Null as number:
 * of all of them. Null as a whole: a number beyond the count.
 */
export function installmentOf(
  number: number,
  count: number,
): { installmentNumber: number | null; installmentCount: number } | null {
  const installmentCount = Math.max(count, 1);
  if (number > installmentCount) return null;
  if (number > 0) return { installmentNumber: number, installmentCount };
  return { installmentNumber: installmentCount === 1 ? 1 : null, installmentCount };
}

/** `03/12`; one of one where there is nothing, and null for anything else. */
export function installmentOfText(
  text: string | null,
): { installmentNumber: number | null; installmentCount: number } | null {
  if (text === null) return { installmentNumber: 1, installmentCount: 1 };
  const match = /^(\d{2})\/(\d{2})$/.exec(text);
  return match === null ? null : installmentOf(Number(match[1]), Number(match[2]));
}

/** Minus an amount, which is never minus zero. */
export function negative(amount: number): number {
  return amount === 0 ? 0 : -amount;
}

/** Counts of more digits than their field are compared by its last digits. */
export function agrees(stated: number, found: number, digits: number): boolean {
  return stated === found % 10 ** digits;
}

const CIELO_BRAND_NAMES: Readonly<Record<string, CardBrand>> = {
  '001': 'visa',
  '002': 'mastercard',
  '003': 'amex',
  '007': 'elo',
  '040': 'hipercard',
};

const REDE_BRAND_NAMES: Readonly<Record<string, CardBrand>> = {
  '1': 'mastercard',
  '3': 'visa',
  '5': 'hipercard',
  E: 'elo',
  X: 'amex',
};

export function cieloBrand(code: string | null): CardBrand | null {
  return CIELO_BRAND_NAMES[code ?? ''] ?? null;
}

export function redeBrand(code: string | null): CardBrand | null {
  return REDE_BRAND_NAMES[code ?? ''] ?? null;
}
