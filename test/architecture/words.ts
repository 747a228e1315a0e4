import type { Complaint, SourceTree } from './source-tree.ts';

const MOST_COLUMNS = 110;

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
    /^(src|homologation|docs\/pt)\/|^README\.pt/.test(path)
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

type CommentLine = { readonly place: string; readonly columns: number };

/** A line of a comment by itself, or the comment behind code. */
const COMMENT = /^\s*(?:\/\/|\/\*|\*)|\s\/\/ /;

function commentsOf(tree: SourceTree): CommentLine[] {
  const lines: CommentLine[] = [];
  for (const [path, source] of tree) {
    if (!/\.ts$/.test(path)) continue;
    for (const [index, line] of source.split('\n').entries()) {
      if (COMMENT.test(line)) lines.push({ place: `${path}:${index + 1}`, columns: line.length });
    }
  }
  return lines;
}
