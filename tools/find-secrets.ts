/**
 * What must never stand in a file of the repository: a secret, or the number of somebody's card.
 */
export type Leak = { readonly line: number; readonly what: string };

/**
 * Numbers that card networks, acquirers and payment services publish for tests; they cannot pay.
 */
const PUBLIC_TEST_CARDS = new Set(
  [
    '4111111111111111 4012001037141112 4242424242424242 4222222222222 4235647728025682 4551870000000183',
    '5555555555554444 5453010000066167 5155901222280001 5105105105105100 2223003122003222 55555555555544440',
    '378282246310005 371449635398431 376449047333005 341111111111111',
    '6062825624254001 6362970000457013 6370950000000005 6062826786276634',
  ].flatMap((numbers) => numbers.split(' ')),
);
/** Six zeros in a row: made up, such as the edges of a range of prefixes. */
const MADE_UP = /0{6}/;

/** 13 to 19 digits by themselves, or in groups as they are printed on a card. */
const CARD_NUMBERS =
  /(?<![\w.+/=-])(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{5})(?![\w+/=-]|\.\d)/g;
/** Cards begin with 2 to 6; other numbers of such length are moments, identifiers and amounts. */
const FIRST_DIGIT = /^[2-6]/;

/** By the forms that their makers gave them, so that scanners find them. */
const SECRETS: readonly (readonly [string, RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s*[\w+/=]/g],
  ['an access key of AWS', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g],
  ['a token of GitHub', /\b(?:gh[pousr]_\w{36,}|github_pat_\w{22,})/g],
  ['a token of GitLab', /\bglpat-[\w-]{20,}/g],
  ['a token of npm', /\bnpm_[A-Za-z0-9]{36}\b/g],
  ['a token of Slack', /\bxox[abeprs]-[\w-]{10,}/g],
  ['a key of Google', /\bAIza[\w-]{35}\b/g],
  ['a live key of Stripe', /\b[rs]k_live_\w{16,}/g],
  ['a signed token (JWT)', /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g],
  [
    'a password in an address',
    /\b[a-z][a-z0-9+]*:\/\/(?!user:|parcela:)[\w%.-]+:(?!password@|secret@|\$\{|…)[^\s:/@'"`$<>]{3,}@/g,
  ],
];

export function leaksIn(text: string): Leak[] {
  const leaks = SECRETS.flatMap(([what, pattern]) =>
    [...text.matchAll(pattern)].map(({ index }) => ({ line: lineAt(text, index), what })),
  );
  for (const { 0: written, index } of text.matchAll(CARD_NUMBERS)) {
    const digits = written.replace(/\D/g, '');
    const isKnown = PUBLIC_TEST_CARDS.has(digits) || MADE_UP.test(digits);
    if (isKnown || !FIRST_DIGIT.test(digits) || !hasCheckDigit(digits)) continue;
    leaks.push({
      line: lineAt(text, index),
      what: `a card number that is no public test card (…${digits.slice(-4)})`,
    });
  }
  return leaks;
}

function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let fromRight = 0; fromRight < digits.length; fromRight += 1) {
    const digit = Number(digits[digits.length - 1 - fromRight]);
    const doubled = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
    sum += fromRight % 2 === 1 ? doubled : digit;
  }
  return sum % 10 === 0;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
