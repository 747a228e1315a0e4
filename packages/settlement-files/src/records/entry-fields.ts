import type { CardBrand } from '../card-number.ts';
import type { EntryKind, SettlementEntry } from '../entry.ts';
import { isRevealing } from './record-lines.ts';

/** In characters. */
const LONGEST_DESCRIPTION = 60;

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

/** null: the text contains a card number. */
export function keptText(text: string | null): string | null {
  if (text === null || isRevealing(text)) return null;
  return text.slice(0, LONGEST_DESCRIPTION);
}

export const NO_CODE = '-';

export function unknownUnder(code: string | null, words: string | null = null): string | null {
  return keptText([code || NO_CODE, ...(words === null ? [] : [words])].join(' '));
}

/** Acquirers write 00 for a single installment. `installmentNumber` null: all. null: above the count. */
export function installmentOf(
  number: number,
  count: number,
): { installmentNumber: number | null; installmentCount: number } | null {
  const installmentCount = Math.max(count, 1);
  if (number > installmentCount) return null;
  if (number > 0) return { installmentNumber: number, installmentCount };
  return { installmentNumber: installmentCount === 1 ? 1 : null, installmentCount };
}

/** Reads `03/12`. null text: one of one. */
export function installmentOfText(
  text: string | null,
): { installmentNumber: number | null; installmentCount: number } | null {
  if (text === null) return { installmentNumber: 1, installmentCount: 1 };
  const match = /^(\d{2})\/(\d{2})$/.exec(text);
  return match === null ? null : installmentOf(Number(match[1]), Number(match[2]));
}

/** Never returns minus zero. */
export function negative(amount: number): number {
  return amount === 0 ? 0 : -amount;
}

/** A count with more digits than its field is compared by its last digits. */
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
