/** Of a name; longer ones are searched by their first words. */
const MOST_WORDS = 10;
const LONGEST_WORD = 60;
const LONGEST_EMAIL = 255;
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
    .filter((word) => word.length > 1)
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
  return [...new Set(email === null ? words : [...words, plain(email).slice(0, LONGEST_EMAIL)])];
}

/** Null: it is no part of a name or address. The longest word comes first: the fewest have it. */
export function searchedWords(text: string): WordRange[] | null {
  const words = text.includes('@') ? [plain(text)] : wordsIn(text);
  if (!words.some((word) => /\p{L}{3}/u.test(word)) || words.length > MOST_WORDS) return null;
  return words
    .toSorted((one, other) => other.length - one.length)
    .map((from) => ({ from, before: from + LAST }));
}
