import { closingIndex, isToken, type Token } from './tokens.ts';

/** One module that a file brings in, by whatever of the forms of the language. */
export type Import = {
  readonly specifier: string;
  /** `import type`, `export type … from`, or all of its names marked `type`: gone when the program runs. */
  readonly isTypeOnly: boolean;
  /** Loaded while the program runs. */
  readonly isDynamic: boolean;
  /** The names of values; `*` for all of them. */
  readonly names: readonly string[];
  readonly line: number;
};

/** A dynamic import of something computed: nobody can say what it loads. */
export const COMPUTED = '(computed)';

export function importsOf(tokens: readonly Token[]): Import[] {
  const found: Import[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as Token;
    if (token.kind !== 'word' || isMember(tokens, index)) continue;
    const next = tokens[index + 1];
    const line = token.line;
    if ((token.text === 'import' || token.text === 'require') && isToken(next, '(')) {
      if (token.text === 'require' && tokens[index + 2]?.kind !== 'string') continue;
      found.push({ ...NOTHING, specifier: computedOr(tokens, index + 2), names: ['*'], line });
    } else if (token.text === 'import' && next?.kind === 'string') {
      found.push({ ...NOTHING, specifier: next.text, isDynamic: false, names: ['*'], line });
    } else if (token.text === 'import' || (token.text === 'export' && isReExport(tokens, index))) {
      const declaration = declarationFrom(tokens, index);
      if (declaration !== null) found.push(declaration);
    }
  }
  return found;
}

const NOTHING = { isTypeOnly: false, isDynamic: true };

function isMember(tokens: readonly Token[], index: number): boolean {
  return isToken(tokens[index - 1], '.') || isToken(tokens[index - 1], '?.');
}

function computedOr(tokens: readonly Token[], index: number): string {
  const argument = tokens[index];
  const isPlain =
    argument?.kind === 'string' || (argument?.kind === 'template' && !argument.text.includes('${'));
  return isPlain ? argument.text : COMPUTED;
}

/** `export * …`, `export { … } from` and the same with `type`; not `export const` and not `export { … }` alone. */
function isReExport(tokens: readonly Token[], index: number): boolean {
  const first = isToken(tokens[index + 1], 'type') ? index + 2 : index + 1;
  if (isToken(tokens[first], '*')) return true;
  return isToken(tokens[first], '{') && isToken(tokens[closingIndex(tokens, first) + 1], 'from');
}

/** Reads `import|export … from '…'` beginning at `start`; null for `import.meta`. */
function declarationFrom(tokens: readonly Token[], start: number): Import | null {
  let index = start + 1;
  let isTypeOnly = false;
  if (
    isToken(tokens[index], 'type') &&
    !isToken(tokens[index + 1], 'from') &&
    !isToken(tokens[index + 1], ',')
  ) {
    isTypeOnly = true;
    index += 1;
  }
  const names: string[] = [];
  let hasTypes = isTypeOnly;
  for (; index < tokens.length; index += 1) {
    const token = tokens[index] as Token;
    if (isToken(token, '{')) {
      const end = closingIndex(tokens, index);
      const listed = namesIn(tokens.slice(index + 1, end));
      names.push(...listed.values);
      hasTypes ||= listed.hasTypes;
      index = end;
    } else if (isToken(token, '*')) names.push('*');
    else if (token.text === 'from' && tokens[index + 1]?.kind === 'string') {
      const specifier = (tokens[index + 1] as Token).text;
      const line = (tokens[start] as Token).line;
      const isGone = isTypeOnly || (names.length === 0 && hasTypes);
      return { specifier, isTypeOnly: isGone, isDynamic: false, names: isGone ? [] : names, line };
    } else if (token.kind === 'word') {
      if (token.text !== 'as' && !isToken(tokens[index - 1], 'as')) names.push('default');
    } else if (!isToken(token, ',')) return null;
  }
  return null;
}

function namesIn(tokens: readonly Token[]): { values: string[]; hasTypes: boolean } {
  const values: string[] = [];
  let hasTypes = false;
  let isFirst = true;
  for (const [index, token] of tokens.entries()) {
    if (isToken(token, ',')) isFirst = true;
    else if (isFirst) {
      isFirst = false;
      const next = tokens[index + 1];
      if (token.text === 'type' && next?.kind === 'word' && next.text !== 'as') hasTypes = true;
      else values.push(token.text);
    }
  }
  return { values, hasTypes };
}
