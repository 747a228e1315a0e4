import { posix } from 'node:path';
import type { Complaint } from './source-tree.ts';

export type Pages = ReadonlyMap<string, string>;

/** A block of code of a page: what it is for, and its text. */
export type Snippet = { readonly language: string; readonly isShownOnly: boolean; readonly text: string };

/** What stands behind the language of a block that only shows something. */
const SHOWN = 'shown';
/** Within so many lines from the top a page names itself in the other language. */
const HEAD_LINES = 5;

export function snippetsOf(page: string): Snippet[] {
  return [...page.matchAll(/^```(\w*)( \w+)?\n(.*?)^```$/gms)].map(
    ([, language = '', mark = '', text = '']) => ({
      language,
      isShownOnly: mark.trim() === SHOWN,
      text,
    }),
  );
}

/** The page that this one names as itself in the other language. */
export function counterpartOf(path: string, pages: Pages): string | null {
  const head = (pages.get(path) ?? '').split('\n').slice(0, HEAD_LINES).join('\n');
  const link = /^\[(?:Português|English)\]\(([^)\s]+)\)$/m.exec(head)?.[1];
  return link === undefined ? null : posix.join(posix.dirname(path), link);
}

/** Pages that are in one language only, and what of two pages is in one of them only. */
export function translationComplaints(pages: Pages): Complaint[] {
  return [...pages.keys()].flatMap((path) => {
    const other = counterpartOf(path, pages);
    if (other === null) return [`${path}: names no page in the other language within its first lines`];
    if (!pages.has(other)) return [`${path}: ${other} is not there, or is no page in two languages`];
    if (counterpartOf(other, pages) !== path) return [`${path}: ${other} does not name it`];
    // Each pair once.
    return path < other ? differences(path, other, pages) : [];
  });
}

function differences(one: string, other: string, pages: Pages): Complaint[] {
  return ASPECTS.flatMap(({ name, of }) => {
    const [first, second] = [of(pages.get(one) ?? ''), of(pages.get(other) ?? '')];
    const at = first.findIndex((part, index) => part !== second[index]);
    if (at === -1 && first.length === second.length) return [];
    const place = at === -1 ? first.length : at;
    const parts = [first[place], second[place]].map((part) => (part === undefined ? 'nothing' : `"${part}"`));
    return [`${one}, ${other}: ${name} ${place + 1} is ${parts.join(' in one and ')} in the other`];
  });
}

/** What both pages must have alike, in their order. */
const ASPECTS: readonly { readonly name: string; readonly of: (page: string) => string[] }[] = [
  { name: 'heading', of: (page) => [...proseOf(page).matchAll(/^(#+) /gm)].map(([, level = '']) => level) },
  { name: 'snippet', of: (page) => snippetsOf(page).map(commandsOf) },
  {
    name: 'item or row',
    of: (page) => [...proseOf(page).matchAll(/^ *(\||- \[ \]|-|\d+\.) /gm)].map(kindOfItem),
  },
];

const kindOfItem = ([, mark = '']: RegExpExecArray) => mark;

const proseOf = (page: string) => page.replaceAll(/^```.*?^```$/gms, '');

/**
 * Without its comments, which each language has in its own words, and without the language that it
 * asks for.
 */
function commandsOf({ language, text }: Snippet): string {
  const lines = text
    .replaceAll(" -H 'Accept-Language: en'", '')
    .split('\n')
    .filter((line) => !/^\s*(#|\/\/)/.test(line))
    .map((line) => line.replace(/\s+# .*$/, ''));
  return [language, ...lines].join('\n');
}
