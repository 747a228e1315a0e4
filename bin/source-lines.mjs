// Stacks of errors name files and lines of the sources, although a bundle runs. Node can do so too, but reads all maps at
// the start for it: here a map is read when the first stack is asked for, which mostly is never.
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
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
    const entry = mapOf(file)?.findEntry(line - 1, column - 1);
    if (entry?.originalSource === undefined) return text;
    const source = pathToFileURL(resolve(dirname(file), entry.originalSource));
    const place = `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
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
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  } catch {
    // A stack with lines of the bundle is better than none.
    return null;
  }
}
