/** Of a name; longer ones are searched by their first words. */
const MOST_WORDS = 10;
const LONGEST_WORD = 60;
const LONGEST_EMAIL = 255;
/** Ends the legal name of who trades alone (MEI). */
const CPF = /^\d{11}$/;
/** In the collation of bytes nothing that begins with a word comes after the word and this. */
const LAST = '\u{10ffff}';

/** What begins with a word. */
export type WordRange = { readonly from: string; readonly before: string };

function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

function wordsIn(text: string): string[] {
  return plain(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1 && !CPF.test(word))
    .map((word) => word.slice(0, LONGEST_WORD));
}

/** Under which a customer is found: each word of his name, and his e-mail address whole. */
export function buyerWords({
  name,
  email,
}: {
  readonly name: string | null;
  readonly email: string | null;
}): string[] {
  const words = wordsIn(name ?? '').slice(0, MOST_WORDS);
  // Of marks alone nothing is left.
  return [...new Set([...words, plain(email ?? '').slice(0, LONGEST_EMAIL)])].filter(Boolean);
}

function isOfLetters(word: string): boolean {
  return /^\p{L}+$/u.test(word);
}

/** Null: it is no part of a name or address. The longest word comes first: the fewest have it. */
export function searchedWords(text: string): WordRange[] | null {
  const isEmail = text.includes('@');
  const words = isEmail ? [plain(text)] : wordsIn(text);
  const isName = words.some((word) => /\p{L}{3}/u.test(word)) || words.filter(isOfLetters).length > 1;
  if (!(isName || isEmail) || words.length > MOST_WORDS) return null;
  return words
    .toSorted((one, other) => other.length - one.length)
    .map((from) => ({ from, before: from + LAST }));
}
