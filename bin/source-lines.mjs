// Stacks of errors name files and lines of the sources, although a bundle runs. Node can do so too, but reads all maps at
// the start for it: here a map is read when the first stack is asked for, which mostly is never.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export function nameSources(folder) {
  const maps = new Map();
  const mapOf = (file) => {
    if (!maps.has(file)) maps.set(file, readMap(file));
    return maps.get(file);
  };
  const placed = (frame) => {
    const text = `${frame}`;
    const url = frame.getFileName();
    if (!url?.startsWith('file:')) return text;
    const file = fileURLToPath(url);
    if (!file.startsWith(folder)) return text;
    const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
    const found = mapOf(file)?.(line - 1, column - 1);
    if (found === undefined) return text;
    const source = pathToFileURL(resolve(dirname(file), found.source));
    const place = `${source}:${found.line + 1}:${found.column + 1}`;
    return text.replace(`${url}:${line}:${column}`, place);
  };
  Error.prepareStackTrace = (error, frames) =>
    [headOf(error), ...frames.map((frame) => `    at ${placed(frame)}`)].join('\n');
}

function headOf(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return '<error>';
  }
}

function readMap(file) {
  try {
    return openMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  } catch {
    // A stack with lines of the bundle is better than none.
    return null;
  }
}

/** What a digit of base 64 stands for, by its code. */
const DIGITS = new Int8Array(128);
for (const [value, digit] of [
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
].entries())
  DIGITS[digit.charCodeAt(0)] = value;
const [COMMA, SEMICOLON] = [44, 59];
/** A mapping counts on from the one before, so all before it are passed. Their state is kept at so many lines. */
const LINES_BETWEEN = 64;

/**
 * Gives the place in a source of a line and column, both from 0. Node's `SourceMap` makes an object of each
 * mapping, and the first socket that is destroyed asks for a stack: a fifth of a start. Here a mapping is read
 * where it is looked for.
 */
export function openMap({ mappings, sources }) {
  // Where a line begins, and source, line and column that its first mapping counts on from.
  const kept = [[0, 0, 0, 0]];

  return (wantedLine, wantedColumn) => {
    const from = Math.min(kept.length - 1, Math.floor(wantedLine / LINES_BETWEEN));
    let [at, source, line, column] = kept[from];
    let lineHere = from * LINES_BETWEEN;
    let found;
    let columnHere = 0;
    let field = 0;
    let value = 0;
    let shift = 0;
    for (; at <= mappings.length; at += 1) {
      const code = at === mappings.length ? SEMICOLON : mappings.charCodeAt(at);
      if (code !== COMMA && code !== SEMICOLON) {
        const digit = DIGITS[code];
        value |= (digit & 31) << shift;
        shift += 5;
        if (digit > 31) continue;
        const difference = value & 1 ? -(value >> 1) : value >> 1;
        if (field === 0) columnHere += difference;
        else if (field === 1) source += difference;
        else if (field === 2) line += difference;
        else if (field === 3) column += difference;
        field += 1;
        value = 0;
        shift = 0;
        continue;
      }
      if (lineHere === wantedLine && field > 0) {
        if (columnHere > wantedColumn) return found;
        found = field < 4 ? undefined : { source: sources[source], line, column };
      }
      field = 0;
      if (code === COMMA) continue;
      if (lineHere === wantedLine) return found;
      lineHere += 1;
      columnHere = 0;
      if (lineHere === kept.length * LINES_BETWEEN) kept.push([at + 1, source, line, column]);
    }
    return undefined;
  };
}
