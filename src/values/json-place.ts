/** Longer names in a fault's path are cut. */
const LONGEST_NAME_IN_PATH = 64;

/** Line and column as an editor counts them, from 1. */
export function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

export function pathText(innermostFirst: readonly (string | number)[]): string {
  let path = '';
  for (const step of innermostFirst.toReversed()) {
    if (typeof step === 'number') path += `[${step}]`;
    else if (!/^[\p{L}\p{N}_$-]+$/u.test(step) || step.length > LONGEST_NAME_IN_PATH)
      path += `[${quotedName(step)}]`;
    else path += path === '' ? step : `.${step}`;
  }
  return path;
}

/** Names with dots, blanks or worse are quoted, so that they cannot forge a log line. */
function quotedName(name: string): string {
  const short =
    name.length > LONGEST_NAME_IN_PATH ? `${name.slice(0, LONGEST_NAME_IN_PATH).toWellFormed()}…` : name;
  return JSON.stringify(short).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
