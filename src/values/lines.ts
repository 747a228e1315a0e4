/** Lines of a text. `false`: there is no line. */
export type Lines = readonly (string | false | Lines)[];

export function linesOf(lines: Lines): string[] {
  return lines.flatMap((line) => {
    if (line === false) return [];
    return typeof line === 'string' ? [line] : linesOf(line);
  });
}
