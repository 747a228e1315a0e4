import { setTimeout as pause } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { styleText } from 'node:util';
import { type LoggerOptions, pino } from 'pino';
import packageJson from '../../package.json' with { type: 'json' };
import { deeplyWithoutCardNumbers, withoutCardNumbers } from '../values/card-number-in-text.ts';
import { scopeFields } from './tracing/scope.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The version of the Elastic Common Schema that has the names below. */
const ECS_VERSION = '8.17.0';

const NAMES: Readonly<Record<string, string>> = {
  requestId: 'http.request.id',
  method: 'http.request.method',
  route: 'http.route',
  merchantId: 'organization.id',
  userName: 'user.name',
  credentialId: 'user.id',
  address: 'client.ip',
  traceId: 'trace.id',
  spanId: 'span.id',
  error: 'error.type',
  code: 'error.code',
};
/** The prefix of fields that ECS does not name. */
const OWN = 'parcela.';
const NANOSECONDS_PER_MILLISECOND = 1_000_000;

export function ecsFields(fields: Fields): Record<string, unknown> {
  const line: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const [ecsName, ecsValue] = ecsField(name, value, fields);
    line[ecsName] = ecsValue;
  }
  return line;
}

function ecsField(name: string, value: unknown, of: Fields): readonly [string, unknown] {
  const isRequest = of.method !== undefined;
  const isError = of.error !== undefined;
  if (name === 'reason') return [isError ? 'error.message' : 'event.reason', value];
  if (name === 'stack' && Array.isArray(value)) return ['error.stack_trace', value.join('\n')];
  if (name === 'code' && !isError) return [`${OWN}code`, value];
  if (name === 'status' && isRequest) return ['http.response.status_code', value];
  if (name === 'milliseconds' && isRequest)
    return ['event.duration', Math.round(Number(value) * NANOSECONDS_PER_MILLISECOND)];
  return [NAMES[name] ?? OWN + name, value];
}

export type Log = {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Resolves when all lines so far have left the process. A slow reader delays it only briefly. */
  flushed(): Promise<void>;
  /** Writes pending lines and ends. Closes the file unless it is the standard output. */
  close(): Promise<void>;
};

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** `auto`: `pretty` on a terminal, else `json`. */
export const LOG_FORMATS = ['auto', 'json', 'ecs', 'pretty'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** The most bytes that wait for a stalled reader; above it lines are dropped. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;
const FLUSH_MILLISECONDS = 200;
/** How long a stalled reader may delay `flushed`. */
const FLUSHED_MILLISECONDS = 250;
/** How long a stalled reader may delay `close`. */
const CLOSE_MILLISECONDS = 1_000;

const JSON_LINES: LoggerOptions = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
};

const ECS_LINES: LoggerOptions = {
  base: {
    'ecs.version': ECS_VERSION,
    'service.name': packageJson.name,
    'service.version': packageJson.version,
  },
  messageKey: 'message',
  timestamp: () => `,"@timestamp":"${new Date().toISOString()}"`,
  formatters: {
    level: (label) => ({ 'log.level': label }),
    bindings: (bindings) => bindings,
    log: ecsFields,
  },
};

/** Escapes what some readers take for line ends. In JSON these characters occur only in strings. */
const escapeLineEnds = (line: string) =>
  line.replace(/[\u2028\u2029]/g, (end) => (end === '\u2028' ? '\\u2028' : '\\u2029'));

/**
 * Log lines on standard output or `fileDescriptor`. No request, body or header is logged whole: each may hold
 * a card. Callers choose the fields; anything like a card number is masked. Fields of the current request are
 * added. Line ends and control characters are escaped, so that no value can forge a line.
 */
export function openLog(
  level: LogLevel,
  format: LogFormat,
  fileDescriptor = 1,
  flushedMilliseconds = FLUSHED_MILLISECONDS,
): Log {
  const destination = pino.destination({
    dest: fileDescriptor,
    sync: false,
    minLength: 4_096,
    maxLength: MOST_WAITING_BYTES,
  });
  // A full disk or a closed reader costs lines, never payments.
  destination.on('error', () => {});
  const flushed = flushing(destination);
  const isTerminal = isatty(fileDescriptor);
  const options = {
    showsAnchors: level === 'debug',
    hasColors: isTerminal && process.stdout.hasColors?.() === true,
  };
  const forPeople = { write: (line: string) => destination.write(prettyLine(line, options)) };
  const isForPeople = format === 'pretty' || (format === 'auto' && isTerminal);
  const lines = format === 'ecs' ? ECS_LINES : JSON_LINES;
  const hooks = { streamWrite: escapeLineEnds };
  const logger = pino({ ...lines, level, hooks }, isForPeople ? forPeople : destination);
  let isClosed = false;
  let flushAt: NodeJS.Timeout | undefined;
  const write =
    (line: 'debug' | 'info' | 'warn' | 'error') =>
    (fields: object, message: string): void => {
      if (isClosed) return;
      logger[line](deeplyWithoutCardNumbers(withScope(fields)) as object, withoutCardNumbers(message));
      // The longest time that lines stay in memory.
      flushAt ??= setTimeout(() => {
        flushAt = undefined;
        destination.flush();
      }, FLUSH_MILLISECONDS).unref();
    };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    async flushed() {
      if (isClosed) return;
      await Promise.race([flushed(), pause(flushedMilliseconds, undefined, { ref: false })]);
    },
    async close() {
      isClosed = true;
      clearTimeout(flushAt);
      const closed = new Promise((resolve) => destination.once('close', resolve));
      destination.end();
      await Promise.race([closed, pause(CLOSE_MILLISECONDS, undefined, { ref: false })]);
    },
  };
}

type SpokenLevel = 'info' | 'warn' | 'error';

/** Sentences as log lines. Empty ones, which only separate paragraphs for people, are left out. */
function openSpokenLines(
  format: 'json' | 'ecs',
  write: (line: string) => void,
): (sentence: string, level: SpokenLevel) => void {
  const lines = format === 'ecs' ? ECS_LINES : JSON_LINES;
  const logger = pino({ ...lines, hooks: { streamWrite: escapeLineEnds } }, { write });
  return (sentence, level) => {
    if (sentence !== '') logger[level]({}, withoutCardNumbers(sentence));
  };
}

type Speak = (line: string, level: SpokenLevel) => void;

const sayPlainly: Speak = (line) => void process.stderr.write(`${line}\n`);
let speak = sayPlainly;

/** For the person who starts the process, on standard error. The log uses standard output. */
export function say(line: string, level: SpokenLevel = 'info'): void {
  speak(line, level);
}

export function sayWarning(line: string): void {
  say(line, 'warn');
}

/** Node's own listeners, which print warnings. Null while they are attached. */
let printers: ((warning: Error) => void)[] | null = null;

export function isForPrograms(format: LogFormat): format is 'json' | 'ecs' {
  return format === 'json' || format === 'ecs';
}

/** In a format for programs, all that is said becomes a log line, Node's warnings too. */
export function speakIn(format: LogFormat): void {
  process.off('warning', sayWarningOfNode);
  for (const print of printers ?? []) process.on('warning', print);
  printers = null;
  speak = sayPlainly;
  if (!isForPrograms(format)) return;
  speak = openSpokenLines(format, (line) => void process.stderr.write(line));
  printers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', sayWarningOfNode);
}

function sayWarningOfNode(warning: Error): void {
  const { name, message, code } = warning as Error & { readonly code?: string };
  const isDisabled = [name, code].some((kind) => process.execArgv.includes(`--disable-warning=${kind}`));
  if (!isDisabled) sayWarning(`${code === undefined ? name : `${name} ${code}`}: ${message}`);
}

/** Callers that come during a flush share the next one. */
function flushing(destination: ReturnType<typeof pino.destination>): () => Promise<void> {
  const flush = () => new Promise<void>((resolve) => destination.flush(() => resolve()));
  let underWay = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    next ??= underWay.then(() => {
      next = null;
      // A flush during a write ends with that write: the second flush has the lines that came after.
      underWay = flush().then(flush);
      return underWay;
    });
    return next;
  };
}

function withScope(fields: object): object {
  const ofScope = scopeFields();
  return ofScope === null ? fields : { ...fields, ...ofScope, ...fields };
}

/**
 * Name, message, code, cause and the first lines of the stack of an error. The details of PostgreSQL, which
 * show values, are left out.
 */
export function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { error: String(error) };
  const code = (error as { code?: unknown }).code;
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  return {
    error: error.name,
    reason: error.message,
    code,
    cause,
    stack: error.stack?.split('\n').slice(1, 6),
  };
}

const MOST_CAUSES = 5;

/** For a person: the stack of an error, and the names and messages of its causes. */
export function faultText(error: unknown): string {
  const lines: string[] = [];
  const waiting = [error];
  while (waiting.length > 0 && lines.length <= MOST_CAUSES) {
    const one = waiting.shift();
    const isFirst = lines.length === 0;
    if (!(one instanceof Error)) lines.push(isFirst ? String(one) : `  by: ${one}`);
    else lines.push(isFirst ? (one.stack ?? one.message) : `  by: ${one.name}: ${one.message}`);
    if (one instanceof AggregateError) waiting.push(...one.errors);
    if (one instanceof Error && one.cause !== undefined) waiting.push(one.cause);
  }
  return lines.join('\n');
}

/**
 * A text that is the same for each occurrence of a fault. A code stands in place of the message, because
 * messages of PostgreSQL or the driver may differ.
 */
export function errorKind(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { code } = error as { readonly code?: unknown };
  return `${error.name} ${code ?? error.message}`;
}

type Style = Parameters<typeof styleText>[0];

const LEVELS: Readonly<Record<string, { readonly word: string; readonly style: Style }>> = {
  debug: { word: 'debug', style: 'gray' },
  info: { word: 'info ', style: 'green' },
  warn: { word: 'warn ', style: 'yellow' },
  error: { word: 'ERROR', style: 'red' },
};
const STACK_INDENT = '              ';
/** Terminal control characters, and those that change text direction: shown as numbers. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const PLAIN = /^[\p{L}\p{N}._:/@+-]+$/u;

/**
 * For people: time, level, message, fields; audit anchors on request. `hasColors`: the terminal shows
 * colours.
 */
export function prettyLine(
  line: string,
  options: { readonly showsAnchors: boolean; readonly hasColors: boolean },
): string {
  const { level, time, msg, stack, ...fields } = JSON.parse(line) as Record<string, unknown>;
  if (fields.auditSeal !== undefined && !options.showsAnchors) return '';
  const { word, style } = LEVELS[String(level)] ?? { word: String(level), style: 'red' };
  const shown = options.hasColors ? styleText(style, word, { validateStream: false }) : word;
  const details = Object.entries(fields).map(([name, value]) => ` ${name}=${valueText(value)}`);
  const head = `${timeText(time)} ${shown} ${safe(String(msg ?? ''))}${details.join('')}\n`;
  const places = Array.isArray(stack)
    ? stack.map((place) => `${STACK_INDENT}${safe(String(place).trim())}\n`)
    : [];
  return head + places.join('');
}

function timeText(time: unknown): string {
  const at = new Date(String(time));
  const two = (value: number) => String(value).padStart(2, '0');
  const milliseconds = String(at.getMilliseconds()).padStart(3, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${milliseconds}`;
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return PLAIN.test(value) ? value : safe(JSON.stringify(value));
  return safe(JSON.stringify(value) ?? '');
}

function safe(text: string): string {
  return text.replaceAll(UNSAFE, (sign) => `\\u{${(sign.codePointAt(0) as number).toString(16)}}`);
}
