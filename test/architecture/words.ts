import type { Complaint, SourceTree } from './source-tree.ts';

type Rule = { readonly name: string; readonly pattern: RegExp; readonly allowed: number };

/** No sentence begins with them: a comment says who does what. */
const BEGINNINGS = ['Whoever', 'Nobody', 'Who'];
const MOST_COLUMNS = 110;

/** What is left from before there was this fence. The numbers only shrink: a change that takes one away lowers its number. */
const ALLOWED: Readonly<Record<string, number>> = {
  columns: 439,
};

const rule = (name: string, pattern: RegExp): Rule => ({ name, pattern, allowed: ALLOWED[name] ?? 0 });

export const WORD_RULES: readonly Rule[] = [
  ...BEGINNINGS.map((word) => rule(word, new RegExp(`(^|[.;:] +)${word}\\b`, 'g'))),
  ...['told', 'tells', 'hears', 'wish', 'house', 'room', 'undo', 'tombstone'].map((word) =>
    rule(word, new RegExp(`\\b${word}(s|es)?\\b`, 'gi')),
  ),
];

/** The comments of the sources that say what they do not say any more, and more often than is left. */
export function wordComplaints(tree: SourceTree, rules: readonly Rule[] = WORD_RULES): Complaint[] {
  const comments = commentsOf(tree);
  return rules.flatMap(({ name, pattern, allowed }) => {
    const found = comments.flatMap(({ place, text }) => [...text.matchAll(pattern)].map(() => place));
    return beyond(found, allowed, `says ${name}`);
  });
}

/** Comments that are wider than a reader's window. */
export function widthComplaints(tree: SourceTree, allowed = ALLOWED.columns ?? 0): Complaint[] {
  const wide = commentsOf(tree).filter(({ columns }) => columns > MOST_COLUMNS);
  return beyond(
    wide.map(({ place }) => place),
    allowed,
    `has more than ${MOST_COLUMNS} columns`,
  );
}

function beyond(places: readonly string[], allowed: number, what: string): Complaint[] {
  if (places.length <= allowed) return [];
  return [`${what}: ${places.length} times, ${allowed} are left from before: ${places.join(', ')}`];
}

type CommentLine = { readonly place: string; readonly text: string; readonly columns: number };

/** The fence itself names the words. */
const FENCE = /^test\/architecture\/words(\.test)?\.ts$/;

/** A line of a comment by itself, or the comment behind code. */
const COMMENT = /^\s*(?:\/\/|\/\*\*?|\*)\s?(.*?)(?:\*\/)?$|\s\/\/ (.*)$/;

function commentsOf(tree: SourceTree): CommentLine[] {
  const lines: CommentLine[] = [];
  for (const [path, source] of tree) {
    if (!/\.ts$/.test(path) || FENCE.test(path)) continue;
    for (const [index, line] of source.split('\n').entries()) {
      const text = COMMENT.exec(line);
      if (text === null) continue;
      lines.push({
        place: `${path}:${index + 1}`,
        text: text[1] ?? text[2] ?? '',
        columns: line.length,
      });
    }
  }
  return lines;
}
