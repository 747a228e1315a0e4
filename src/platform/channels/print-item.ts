import { isCardNumber } from '../../values/card-number.ts';

const LONGEST_VALUE = 64;
const LONGEST_ITEM = 500;
const LONGEST_CARD_NUMBER = 19;
/** Digits in a row, with common separators. */
const MANY_DIGITS = /\d(?:[ .-]?\d){12,}/g;

/**
 * An unreadable change for a person: bounded, and without anything that could be of a card.
 * `fields`: those that have a name in the protocol; of all others the name alone is shown.
 */
export function printItem(item: unknown, fields: readonly string[]): string {
  return withoutCardNumbers(JSON.stringify(shownItem(item, fields))).slice(0, LONGEST_ITEM);
}

function shownItem(item: unknown, named: readonly string[]): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return shownValue(item);
  const fields = Object.entries(item);
  const known = fields.filter(([name]) => named.includes(name));
  const others = fields.filter(([name]) => !named.includes(name)).map(([name]) => shownValue(name));
  const shown = Object.fromEntries(known.map(([name, value]) => [name, shownValue(value)]));
  return others.length === 0 ? shown : { ...shown, otherFields: others.slice(0, named.length) };
}

function shownValue(value: unknown): unknown {
  if (typeof value === 'string') return withoutCardNumbers(value).slice(0, LONGEST_VALUE);
  return typeof value === 'object' && value !== null ? '{…}' : value;
}

function withoutCardNumbers(text: string): string {
  return text.replaceAll(MANY_DIGITS, (written) => {
    const digits = written.replaceAll(/\D/g, '');
    return digits.length > LONGEST_CARD_NUMBER || isCardNumber(digits) ? '…' : written;
  });
}
