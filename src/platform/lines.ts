/**
 * Lines of a text. `false` is left out: a line may stand behind a condition, which must be a boolean, never a
 * text.
 */
export type Lines = readonly (string | false | Lines)[];

export function linesOf(lines: Lines): string[] {
  return lines.flatMap((line) => {
    if (line === false) return [];
    return typeof line === 'string' ? [line] : linesOf(line);
  });
}
