import { pino } from 'pino';

export type Log = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  flush(): void;
};

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a stalled reader of the log may cost in memory; beyond it lines are dropped. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;

/**
 * JSON lines on the standard output (or the given file descriptor). Callers pass fields that they chose: no request,
 * body or header is ever logged whole, for any of them may hold a card. pino escapes control characters, so that a
 * value cannot forge a line.
 */
export function openLog(level: LogLevel, fileDescriptor = 1): Log {
  const destination = pino.destination({
    dest: fileDescriptor,
    sync: false,
    minLength: 4_096,
    maxLength: MOST_WAITING_BYTES,
  });
  // A full disk or a reader that is gone costs lines, never payments.
  destination.on('error', () => {});
  // Lines wait for company in memory; the timer bounds how long.
  const flushing = setInterval(() => destination.flush(), 200);
  flushing.unref();
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    flush: () => {
      try {
        destination.flushSync();
      } catch {
        // Nobody takes the lines any more.
      }
    },
  };
}

/** What a log line may say of an error: its name, its message, its SQLSTATE and where; never the values it carried. */
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
