import { type Complaint, isTest, type SourceTree } from './source-tree.ts';

type Rule = { readonly name: string; readonly pattern: RegExp };

/** No sentence begins with them: a comment says who does what. */
const BEGINNINGS = ['Whoever', 'Nobody', 'Who'];
const MOST_COLUMNS = 110;

const rule = (name: string, pattern: RegExp): Rule => ({ name, pattern });

const WORD_RULES: readonly Rule[] = [
  ...BEGINNINGS.map((word) => rule(word, new RegExp(`(^|[.;:] +)${word}\\b`, 'g'))),
  ...['told', 'tells', 'hear', 'hearing', 'wish', 'house', 'room', 'undo', 'tombstone'].map((word) =>
    rule(word, new RegExp(`\\b${word}(s|es)?\\b`, 'gi')),
  ),
];

/** Comments of the sources and titles of tests that say words which are not the trade's. */
export function wordComplaints(tree: SourceTree): Complaint[] {
  const texts = [...commentsOf(tree), ...titlesOf(tree)];
  return WORD_RULES.flatMap(({ name, pattern }) => {
    const found = texts.flatMap(({ place, text }) => [...text.matchAll(pattern)].map(() => place));
    return complaintOf(found, `says ${name}`);
  });
}

/** Comments that are wider than a reader's window. */
export function widthComplaints(tree: SourceTree): Complaint[] {
  const wide = commentsOf(tree).filter(({ columns }) => columns > MOST_COLUMNS);
  return complaintOf(
    wide.map(({ place }) => place),
    `has more than ${MOST_COLUMNS} columns`,
  );
}

/** In Portuguese an acquirer is a company: `a adquirente`. */
const OTHER_GENDER = /\b(?:o|do|ao|no|pelo|um|seu|próprio) adquirentes?\b/gi;

/** Portuguese texts and pages that give a word another gender than all others do. */
export function genderComplaints(tree: SourceTree): Complaint[] {
  const found = [...tree].flatMap(([path, source]) =>
    /^(src|docs\/pt)\/|^README\.pt/.test(path)
      ? source
          .split('\n')
          .flatMap((line, index) => [...line.matchAll(OTHER_GENDER)].map(() => `${path}:${index + 1}`))
      : [],
  );
  return complaintOf(found, 'says o adquirente');
}

function complaintOf(places: readonly string[], what: string): Complaint[] {
  return places.length === 0 ? [] : [`${what}: ${places.length} times: ${places.join(', ')}`];
}

/** What stands between the quotes, also on the line below. */
const TITLE = /(?<!\.)\b(?:test|describe)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;

function titlesOf(tree: SourceTree): { readonly place: string; readonly text: string }[] {
  return [...tree].flatMap(([path, source]) =>
    !isTest(path) || FENCE.test(path)
      ? []
      : [...source.matchAll(TITLE)].map(({ index, 2: text = '' }) => ({
          place: `${path}:${source.slice(0, index).split('\n').length}`,
          text,
        })),
  );
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
