/**
 * Loaded into the service (`node --import`) before anything else. It looks at all that leaves the process,
 * by file, stream, socket or statement, and writes down what holds a marked card number, security code or
 * proof. Only the acquirer's socket may carry them; that it does is written down too, for a watcher that sees
 * nothing there would be blind.
 */
import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import pg from 'pg';
import { codesIn, type Marks } from './marks.ts';
import { needlesOf, needlesOfProof } from './needles.ts';
import { openScanner } from './scanner.ts';

export type Sighting = { readonly sink: string; readonly what: string; readonly near: string };

/**
 * A statement that writes nothing: somebody who types a card number as user name has it looked for
 * as one.
 */
const LOOK_UP = 'look-up';

const { LEAK_MARKS = '', LEAK_REPORT = '', LEAK_ACQUIRER_PORT = '' } = process.env;
const marks = JSON.parse(fs.readFileSync(LEAK_MARKS, 'utf8')) as Marks;
const report = fs.openSync(LEAK_REPORT, 'a');
const writeReport = fs.writeSync;
const codes = new Set([...marks.codes, ...marks.longCodes]);
const scan = openScanner([...Object.values(marks.numbers).flatMap(needlesOf), ...needlesOfProof(marks.cavv)]);

function say(sink: string, what: string, near: string): void {
  writeReport(report, `${JSON.stringify({ sink, what, near: near.slice(0, 300) } satisfies Sighting)}\n`);
}

function bytesOf(data: unknown, encoding?: unknown): Buffer {
  if (typeof data === 'string')
    return Buffer.from(data, Buffer.isEncoding(String(encoding)) ? (encoding as 'utf8') : 'utf8');
  if (ArrayBuffer.isView(data)) return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return Buffer.from(String(data));
}

/** `areCodesPlain`: false where bytes are random, and three digits between others stand there by chance. */
function look(sink: string, data: unknown, encoding?: unknown, areCodesPlain = true): void {
  const bytes = bytesOf(data, encoding);
  const text = bytes.toString('latin1');
  for (const hit of scan(bytes, sink))
    say(sink, `${hit.number === marks.cavv ? 'proof' : 'card number'}, ${hit.encoding}`, text);
  if (!areCodesPlain) return;
  for (const code of codesIn(text, codes)) say(sink, `security code ${code}`, around(text, code));
}

/** Where it stands by itself, or within something else. */
function around(text: string, code: string): string {
  const places = [...text.matchAll(new RegExp(`(?<![A-Za-z0-9])${code}(?![A-Za-z0-9])`, 'g'))];
  return places.map(({ index }) => text.slice(Math.max(0, index - 80), index + 60)).join(' | ');
}

type Method = (...parameters: unknown[]) => unknown;

/** Puts a look before a method. */
function before(owner: object, name: string, peek: (self: unknown, parameters: unknown[]) => void): void {
  const methods = owner as Record<string, Method>;
  const original = methods[name] as Method;
  methods[name] = function watched(this: unknown, ...parameters: unknown[]) {
    peek(this, parameters);
    return original.apply(this, parameters);
  };
}

function watchFiles(): void {
  for (const name of ['write', 'writeSync', 'writeFile', 'writeFileSync', 'appendFile', 'appendFileSync']) {
    before(fs, name, (_, [, data, encoding]) => look(`fs.${name}`, data, encoding));
  }
  for (const name of ['writev', 'writevSync']) {
    before(fs, name, (_, [, parts]) =>
      look(`fs.${name}`, Buffer.concat((parts as Uint8Array[]).map((part) => bytesOf(part)))),
    );
  }
  for (const name of ['writeFile', 'appendFile']) {
    before(fsPromises, name, (_, [, data, encoding]) => look(`fs.promises.${name}`, data, encoding));
  }
}

async function watchFileHandles(): Promise<void> {
  const handle = await fsPromises.open(LEAK_MARKS);
  const prototype = Object.getPrototypeOf(handle) as object;
  await handle.close();
  for (const name of ['write', 'writeFile', 'appendFile']) {
    before(prototype, name, (_, [data, encoding]) => look(`file handle ${name}`, data, encoding));
  }
  before(prototype, 'writev', (_, [parts]) =>
    look('file handle writev', Buffer.concat((parts as Uint8Array[]).map((part) => bytesOf(part)))),
  );
}

const targets = new WeakMap<object, string>();

/** Where a socket was connected to: `port 4000`, or the path of PostgreSQL's. */
function targetOf(parameters: unknown[]): string {
  const [first] = (Array.isArray(parameters[0]) ? parameters[0] : parameters) as [unknown];
  if (typeof first !== 'object' || first === null)
    return typeof first === 'number' ? `port ${first}` : String(first);
  const { path, port } = first as { path?: string; port?: number };
  return path ?? `port ${port}`;
}

function watchSockets(): void {
  before(net.Socket.prototype, 'connect', (self, parameters) => {
    targets.set(self as object, targetOf(parameters));
  });
  before(net.Socket.prototype, '_writeGeneric', (self, [isMany, data, encoding]) => {
    const target = targets.get(self as object) ?? 'the caller';
    // What goes to PostgreSQL is looked at before, statement by statement.
    if (target.endsWith('.s.PGSQL.5432')) return;
    const parts = isMany ? (data as { chunk: unknown; encoding: unknown }[]) : [{ chunk: data, encoding }];
    const bytes = Buffer.concat(parts.map((part) => bytesOf(part.chunk, part.encoding)));
    look(target === `port ${LEAK_ACQUIRER_PORT}` ? 'the acquirer' : `socket to ${target}`, bytes);
  });
}

/** By the text of a statement, which is looked at once: whose sink its values are. */
const sinks = new Map<string, string>();

function sinkOf(text: string): string {
  look('statement', text);
  const isWriting = /\b(insert|update|delete|merge|copy|notify)\b|_notify\(|set_config\(/i.test(text);
  return isWriting ? 'value of a statement' : LOOK_UP;
}

function watchStatements(): void {
  before(pg.Client.prototype, 'query', (_, [first, second]) => {
    const query = (typeof first === 'string' ? { text: first, values: second } : first) as {
      text?: string;
      values?: unknown;
    };
    const sink = sinks.getOrInsertComputed(query.text ?? '', sinkOf);
    for (const value of Array.isArray(query.values) ? query.values : []) lookAtValue(sink, value);
  });
}

function lookAtValue(sink: string, value: unknown): void {
  if (value === null || value === undefined) return;
  // Codes and card numbers are texts everywhere; of so many ids, counts and times one is equal to a code.
  if (typeof value === 'number' || typeof value === 'bigint') return;
  if (Array.isArray(value)) for (const part of value) lookAtValue(sink, part);
  else if (ArrayBuffer.isView(value)) look(sink, value, undefined, false);
  else if (value instanceof Date) return;
  else look(sink, typeof value === 'object' ? JSON.stringify(value) : String(value));
}

watchFiles();
await watchFileHandles();
watchSockets();
watchStatements();
for (const [name, stream] of [
  ['stdout', process.stdout],
  ['stderr', process.stderr],
] as const) {
  before(stream, 'write', (_, [data, encoding]) => look(name, data, encoding));
}
syncBuiltinESMExports();
