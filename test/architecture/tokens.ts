/**
 * Cuts TypeScript into tokens, enough for the fences: what is a comment, a text or a regular expression is never taken
 * for code. TypeScript 7 gives no parser to programs.
 */
export type Token = {
  readonly kind: 'word' | 'number' | 'string' | 'template' | 'regex' | 'mark';
  /** Of a string and a template the content without quotes, as written; of a template with its `${…}`. */
  readonly text: string;
  readonly line: number;
};

const BLANKS_AND_COMMENTS = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|^#![^\n]*)+/y;
const WORD = /[\p{ID_Start}$_#][\p{ID_Continue}$]*/uy;
const NUMBER = /\d[\w.]*/y;
const STRING = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const MARK = /=>|\?\.(?!\d)|\.\.\.|[\s\S]/uy;

/** After these words a slash begins a regular expression, after any other a division. */
const WORDS_BEFORE_A_VALUE = new Set(
  'return typeof case in of do else void delete throw new instanceof await yield'.split(' '),
);

export function tokensOf(source: string): Token[] {
  return tokensFrom(source, 1);
}

function tokensFrom(source: string, firstLine: number): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let line = firstLine;

  function take(pattern: RegExp): string | null {
    pattern.lastIndex = at;
    const text = pattern.exec(source)?.[0] ?? null;
    if (text !== null) at += text.length;
    return text;
  }
  function add(kind: Token['kind'], text: string, content: string = text): void {
    tokens.push({ kind, text: content, line });
    line += text.split('\n').length - 1;
  }

  while (at < source.length) {
    const blank = take(BLANKS_AND_COMMENTS);
    if (blank !== null) {
      line += blank.split('\n').length - 1;
      continue;
    }
    const isRegex = source[at] === '/' && mayBeginValue(tokens.at(-1));
    const text = take(STRING);
    const word = text === null ? take(WORD) : null;
    const number = text === null && word === null ? take(NUMBER) : null;
    if (text !== null) add('string', text, text.slice(1, -1));
    else if (word !== null) add('word', word);
    else if (number !== null) add('number', number);
    else if (source[at] === '`') {
      const end = templateEnd(source, at);
      const template = source.slice(at, end);
      const parts = interpolationsOf(template);
      tokens.push({ kind: 'template', text: template.slice(1, -1), line });
      for (const part of parts) {
        const partLine = line + template.slice(0, part.at).split('\n').length - 1;
        tokens.push({ kind: 'mark', text: '(', line: partLine });
        tokens.push(...tokensFrom(part.code, partLine));
        tokens.push({ kind: 'mark', text: ')', line: partLine });
      }
      line += template.split('\n').length - 1;
      at = end;
    } else {
      const regex = isRegex ? take(REGEX) : null;
      if (regex !== null) add('regex', regex);
      else add('mark', take(MARK) ?? '');
    }
  }
  return tokens;
}

function mayBeginValue(previous: Token | undefined): boolean {
  if (previous === undefined) return true;
  if (previous.kind === 'word') return WORDS_BEFORE_A_VALUE.has(previous.text);
  return previous.kind === 'mark' && ![')', ']', '}'].includes(previous.text);
}

/** The place after the closing backtick of the template that begins at `start`. */
function templateEnd(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source[at] !== '`') {
    if (source[at] === '\\') at += 2;
    else if (source.startsWith('${', at)) at = interpolationEnd(source, at);
    else at += 1;
  }
  return at + 1;
}

/** The place after the brace that closes the `${` at `start`. */
function interpolationEnd(source: string, start: number): number {
  let at = start + 2;
  for (let depth = 1; depth > 0 && at < source.length; ) {
    STRING.lastIndex = at;
    const text = STRING.exec(source)?.[0];
    if (text !== undefined) at += text.length;
    else if (source[at] === '`') at = templateEnd(source, at);
    else {
      if (source[at] === '{') depth += 1;
      if (source[at] === '}') depth -= 1;
      at += 1;
    }
  }
  return at;
}

/** The code of every `${…}` in a template that stands there with its backticks. */
export function interpolationsOf(template: string): { code: string; at: number }[] {
  const parts: { code: string; at: number }[] = [];
  let at = 1;
  while (at < template.length - 1) {
    if (template[at] === '\\') at += 2;
    else if (template.startsWith('${', at)) {
      const end = interpolationEnd(template, at);
      parts.push({ code: template.slice(at + 2, end - 1), at: at + 2 });
      at = end;
    } else at += 1;
  }
  return parts;
}

/** The index of the bracket that closes the one at `open`; the end of the tokens when none does. */
export function closingIndex(tokens: readonly Token[], open: number): number {
  const OPEN = '([{';
  const CLOSE = ')]}';
  let depth = 0;
  for (let index = open; index < tokens.length; index += 1) {
    const token = tokens[index] as Token;
    if (token.kind !== 'mark') continue;
    if (OPEN.includes(token.text)) depth += 1;
    else if (CLOSE.includes(token.text)) depth -= 1;
    if (depth === 0) return index;
  }
  return tokens.length;
}

/** Whether the token is this mark or word. */
export function isToken(token: Token | undefined, text: string): boolean {
  return token !== undefined && token.text === text && (token.kind === 'mark' || token.kind === 'word');
}
