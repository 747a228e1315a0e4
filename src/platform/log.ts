import { setTimeout as pause } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { styleText } from 'node:util';
import { type LoggerOptions, pino } from 'pino';
import packageJson from '../../package.json' with { type: 'json' };
import { deeplyWithoutCardNumbers, withoutCardNumbers } from '../values/card-number-in-text.ts';
import { scopeFields } from './tracing/scope.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The version of the Elastic Common Schema whose names these are. */
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
/** What the schema has no name for stands under ours, where it never will have one. */
const OWN = 'parcela.';
const NANOSECONDS_PER_MILLISECOND = 1_000_000;

/** The fields of a line of the log under the names of ECS. */
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
  /** Lines so far have left the process, and outlive its kill; a slow reader is waited for a moment only. */
  flushed(): Promise<void>;
  /** Writes what waits, and nothing any more. Closes the file unless it is the standard output. */
  close(): Promise<void>;
};

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** `auto`: for people on a terminal, for machines elsewhere. `ecs`: for machines that know that schema. */
export const LOG_FORMATS = ['auto', 'json', 'ecs', 'pretty'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** The memory that a stalled reader of the log may cost; beyond it lines are dropped. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;
const FLUSH_MILLISECONDS = 200;
/** How long a stalled reader may delay whoever wants a line to be out. */
const FLUSHED_MILLISECONDS = 250;
/** How long a stalled reader may delay the end. */
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

/** Ends of a line to some who read lines, and no control characters: in JSON they stand in texts alone. */
const escapeLineEnds = (line: string) =>
  line.replace(/[\u2028\u2029]/g, (end) => (end === '\u2028' ? '\\u2028' : '\\u2029'));

/**
 * Lines on the standard output (or the given file descriptor), of JSON or for people. Callers pass
 * fields that they chose: no request, body or header is ever logged whole, for any of them may hold
 * a card; what looks like a card's number in a field is masked all the same. Lines of a request have its
 * fields beside those. pino escapes control characters, and we the other ends of lines, so that a value
 * cannot forge a line.
 */
export function openLog(level: LogLevel, format: LogFormat, fileDescriptor = 1): Log {
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
      // Lines are batched in memory, so long at most.
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
      await Promise.race([flushed(), pause(FLUSHED_MILLISECONDS, undefined, { ref: false })]);
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

/** Flushes for all who come while the flush before them is under way together. */
function flushing(destination: ReturnType<typeof pino.destination>): () => Promise<void> {
  const flush = () => new Promise<void>((resolve) => destination.flush(() => resolve()));
  let underWay = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    next ??= underWay.then(() => {
      next = null;
      // A flush during a write ends with that write: the second one has what stands behind it.
      underWay = flush().then(flush);
      return underWay;
    });
    return next;
  };
}

/** Those of the caller come first, and win. */
function withScope(fields: object): object {
  const ofScope = scopeFields();
  return ofScope === null ? fields : { ...fields, ...ofScope, ...fields };
}

/**
 * The fields of an error in a log line: its name, its message, its SQLSTATE and place; never its
 * values.
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

/** Names what went wrong; words of PostgreSQL or of the driver may differ each time. */
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
/**
 * Control characters of a terminal, and those that turn the direction of a line: shown by their
 * number.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const PLAIN = /^[\p{L}\p{N}._:/@+-]+$/u;

/**
 * A line of the log for people: time, level, message, then its fields. Anchors of the audit log are
 * for machines, and left out unless requested. `hasColors`: whether the reader's terminal shows
 * them.
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

/** By the wall clock of this machine. */
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
