import { brandOf, isCardNumber } from '../../values/card-number.ts';
import { holdsCardNumber } from '../../values/card-number-in-text.ts';
import type { RecordLayout } from '../layouts/fixed-width.ts';

const HIDDEN = '*';
const SHORTEST_CARD = 13;
/** The first six and last four digits are shown. */
const MOST_SHOWN = 10;

/** Keeps at most six first and four last card digits. Removes CPF, CNPJ, bank accounts and unnamed fields. */
export function lineMasker({ fields }: RecordLayout): (line: string) => string {
  const parts = fields.map(([, from, to, kind]) => {
    const mask = maskOf(kind, to - from + 1);
    return { from: from - 1, to, mask };
  });
  const joined: { from: number; to: number; mask: ((text: string) => string) | null }[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last !== undefined && last.mask === null && part.mask === null) last.to = part.to;
    else joined.push({ ...part });
  }
  return (line) => {
    let masked = '';
    for (const { from, to, mask } of joined) {
      const text = line.slice(from, to);
      masked += mask === null ? text : mask(text);
    }
    return masked.trimEnd();
  };
}

function maskOf(kind: string, length: number): ((text: string) => string) | null {
  if (kind === 'card?') return maskedCardField;
  if (kind === 'document?' || kind === 'any') return blanksFor;
  return kind.startsWith('text') && length >= SHORTEST_CARD ? maskedText : null;
}

function blanksFor(text: string): string {
  return ' '.repeat(text.length);
}

/** Padding stays, so that positions do not move. */
function maskedCardField(text: string): string {
  const [, before = '', number = '', behind = ''] = /^([ 0]*)(.*?)( *)$/.exec(text) ?? [];
  const places = [...number.matchAll(/\d/g)].map(({ index }) => index);
  if (places.length <= MOST_SHOWN) return text;
  const shown = new Set([...places.slice(0, 6), ...places.slice(-4)]);
  const masked = [...number].map((sign, index) => (isDigit(sign) && !shown.has(index) ? HIDDEN : sign));
  return before + masked.join('') + behind;
}

/** A text with a card number loses all its digits. */
function maskedText(text: string): string {
  return isRevealing(text) ? text.replaceAll(/\d/g, HIDDEN) : text;
}

export function isRevealing(text: string): boolean {
  const plain = text.trim();
  if (plain.length < SHORTEST_CARD) return false;
  if (/^\d+$/.test(plain)) return isCardNumber(plain) && brandOf(plain) !== null;
  return plain.includes(' ') && holdsCardNumber(plain);
}

function isDigit(sign: string): boolean {
  return sign >= '0' && sign <= '9';
}
