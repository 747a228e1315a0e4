import { posix } from 'node:path';
import type { Complaint } from './source-tree.ts';

/** Relative links of Markdown pages that lead to no file, and anchors that lead to no heading. */
export function linkComplaints(
  pages: ReadonlyMap<string, string>,
  isThere: (path: string) => boolean,
): Complaint[] {
  return [...pages].flatMap(([page, text]) =>
    linksOf(text).flatMap(({ line, link }) => {
      const [file = '', anchor] = link.split('#');
      const path = file === '' ? page : posix.join(posix.dirname(page), file);
      if (!pages.has(path) && !isThere(path)) return [`${page}:${line}: ${link} leads to no file`];
      const target = pages.get(path);
      if (anchor === undefined || target === undefined || anchorsOf(target).has(anchor)) return [];
      return [`${page}:${line}: ${link} leads to no heading`];
    }),
  );
}

/**
 * The page with its blocks of code emptied and its lines kept. What is code within a line stays:
 * headings have it.
 */
function proseOf(text: string): string {
  return text.replace(/^(```|~~~)[^\n]*\n[\s\S]*?^\1/gm, (block) => block.replace(/[^\n]/g, ''));
}

function linksOf(text: string): { line: number; link: string }[] {
  const prose = proseOf(text).replace(/`[^`\n]*`/g, (code) => ' '.repeat(code.length));
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)]
    .map(({ 1: link = '', index }) => ({ line: prose.slice(0, index).split('\n').length, link }))
    .filter(({ link }) => !/^[a-z]+:/.test(link));
}

/**
 * Anchors as GitHub makes them: small letters, no punctuation, hyphens for blanks, a number from
 * the second on.
 */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(text).matchAll(/^#{1,6} +(.*)$/gm)) {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').trim();
    const anchor = words
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}
