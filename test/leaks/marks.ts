import { readFileSync } from 'node:fs';
import { isCardNumber } from '../../src/values/card-number.ts';
import { printOpenApi } from '../../tools/print.ts';

/** What a run marks: it is used nowhere else, so that wherever it is found again it has leaked. */
export type Marks = {
  /** Card numbers by what is done with them. */
  readonly numbers: Readonly<Record<NumberUse, string>>;
  /** A number that a merchant types into texts that would be kept. */
  readonly typedNumber: string;
  /** Security codes of three digits, and of four (Amex). */
  readonly codes: readonly string[];
  readonly longCodes: readonly string[];
  /** The proof of an authentication. */
  readonly cavv: string;
};

/** First digits by use: of every brand, and of none of the simulator's trigger cards. */
const PREFIXES = {
  visa: '453211',
  mastercard: '542418',
  mastercardOfTwo: '222300',
  amex: '378282',
  elo: '509012',
  hipercard: '606282',
  visaOf13: '448562',
  visaOf19: '491687',
  encrypted: '545454',
  encryptedToken: '402400',
  declined: '550209',
  silent: '453922',
  booksButSilent: '471688',
  late: '531062',
  garbage: '402944',
  acquirerAway: '515599',
  killed: '411773',
  vault: '516292',
  encryptedVault: '448512',
  webhook: '498407',
  wrongField: '455673',
  wrongPlace: '534710',
  malformed: '492912',
} as const;
export type NumberUse = keyof typeof PREFIXES;

const LENGTHS: Partial<Record<NumberUse, number>> = { amex: 15, visaOf13: 13, visaOf19: 19 };
const CODES = 10;
const LONG_CODES = 2;

export function makeMarks(chance: () => number): Marks {
  const uses = Object.keys(PREFIXES) as NumberUse[];
  const numbers = Object.fromEntries(
    uses.map((use) => [use, cardNumber(PREFIXES[use], LENGTHS[use] ?? 16, chance)]),
  ) as Record<NumberUse, string>;
  const common = commonTokens();
  for (const number of Object.values(numbers)) common.add(number.slice(-4));
  return {
    numbers,
    typedNumber: cardNumber('400551', 16, chance),
    // From 600: below stand the statuses of HTTP. Four digits from 3000: below stand years.
    codes: rareCodes(CODES, 600, 999, common, chance),
    longCodes: rareCodes(LONG_CODES, 3_000, 9_999, common, chance),
    cavv: Buffer.from(Array.from({ length: 20 }, () => Math.floor(chance() * 256))).toString('base64'),
  };
}

function cardNumber(prefix: string, length: number, chance: () => number): string {
  let digits = prefix;
  while (digits.length < length - 1) digits += Math.floor(chance() * 10);
  for (let check = 0; check < 10; check += 1) if (isCardNumber(digits + check)) return digits + check;
  throw new Error('one of ten check digits is right');
}

/** Numbers that stand by themselves in what everybody is answered, such as limits in the reference. */
function commonTokens(): Set<string> {
  const files = [
    'docs/errors.md',
    'src/platform/reference/page-style.ts',
    'src/platform/reference/reference-page.ts',
    'homologation/trials.ts',
    'simulators/bank/trigger-amounts.json',
  ];
  const text = [
    printOpenApi(),
    ...files.map((file) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')),
  ].join('\n');
  return new Set([...text.matchAll(/(?<![A-Za-z0-9])\d{3,4}(?![A-Za-z0-9])/g)].map(([token]) => token));
}

function rareCodes(
  count: number,
  least: number,
  most: number,
  common: ReadonlySet<string>,
  chance: () => number,
): string[] {
  const codes = new Set<string>();
  while (codes.size < count) {
    const code = least + Math.floor(chance() * (most - least + 1));
    // Round numbers are limits and sizes.
    if (code % 10 !== 0 && !common.has(String(code))) codes.add(String(code));
  }
  return [...codes];
}

export function random(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * What has digits of its own by right: ids, numbers of movements, counts, times, amounts with a fraction,
 * sizes, long random texts, where a stack was, values of metrics.
 */
const RIGHTFUL = [
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi,
  /\d{2}:\d{2}:\d{2}[.,]\d+/g,
  /(?:content-length|retry-after|keep-alive): [^\r\n]*/gi,
  /"milliseconds":[\d.]+/g,
  /"(?:amount|value)":\d+\.\d+/g,
  /"(?:movementId|next|deliveries|openings)":\d+/g,
  /^(?:http|nodejs|process|parcela)_\w+(?:\{[^\n]*\})? [\d.e+-]+$/gm,
  /:\d+:\d+\)?/g,
  /[A-Za-z0-9_+/=-]{20,}/g,
];

/** The security codes that stand in a text by themselves. */
export function codesIn(text: string, codes: ReadonlySet<string>): string[] {
  const bare = RIGHTFUL.reduce((rest, pattern) => rest.replace(pattern, ' '), text);
  return [...bare.matchAll(/(?<![A-Za-z0-9])\d{3,4}(?![A-Za-z0-9])/g)]
    .map(([token]) => token)
    .filter((token) => codes.has(token));
}
