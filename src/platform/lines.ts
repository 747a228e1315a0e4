/** Lines of a text. `false`: there is no line; a condition before one is a boolean, never a text. */
export type Lines = readonly (string | false | Lines)[];

export function linesOf(lines: Lines): string[] {
  return lines.flatMap((line) => {
    if (line === false) return [];
    return typeof line === 'string' ? [line] : linesOf(line);
  });
}
