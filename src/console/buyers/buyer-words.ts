/** The most words kept of a name. A longer name is found by its first words only. */
const MOST_WORDS = 10;
const LONGEST_WORD = 60;
const LONGEST_EMAIL = 255;
/** A CPF, with which the legal name of a sole trader (MEI) ends. It is no word to search by. */
const CPF = /^\d{11}$/;
/** In byte collation nothing that begins with a word sorts after the word followed by this. */
const LAST = '\u{10ffff}';

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

/** Each word of the name, and the whole e-mail address. */
export function buyerWords({
  name,
  email,
}: {
  readonly name: string | null;
  readonly email: string | null;
}): string[] {
  const words = wordsIn(name ?? '').slice(0, MOST_WORDS);
  // A text of nothing but combining marks leaves an empty word.
  return [...new Set([...words, plain(email ?? '').slice(0, LONGEST_EMAIL)])].filter(Boolean);
}

function isOfLetters(word: string): boolean {
  return /^\p{L}+$/u.test(word);
}

/** Null: the text is no part of a name or address. The longest word comes first: the fewest have it. */
export function searchedWords(text: string): WordRange[] | null {
  const isEmail = text.includes('@');
  const words = isEmail ? [plain(text)] : wordsIn(text);
  const isName = words.some((word) => /\p{L}{3}/u.test(word)) || words.filter(isOfLetters).length > 1;
  if (!(isName || isEmail) || words.length > MOST_WORDS) return null;
  return words
    .toSorted((one, other) => other.length - one.length)
    .map((from) => ({ from, before: from + LAST }));
}
