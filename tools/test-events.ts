import { inspect } from 'node:util';

/** What a lane reports to the runner, one message for each event of a test. `nesting` 0: the file itself. */
export type TestMessage = {
  readonly type: string;
  readonly name: string;
  readonly nesting: number;
  /** Why it was skipped; null: it was not. */
  readonly skipped: string | null;
  readonly isExpected: boolean;
  readonly isSuite: boolean;
  readonly seconds: number;
  readonly failureType: string | null;
  readonly failure: string;
};

/** What the runner asks of a lane. */
export type LaneOrder = { readonly file: string; readonly patience: number };

/** What a lane says when a file is over. */
export type LaneMessage = {
  readonly type: 'lane:file';
  readonly file: string;
  /** Of the process of the tests and of those that it started and waited for. */
  readonly processorSeconds: number;
  /** Listeners and processes that the file left; empty: none. */
  readonly left: string;
  readonly residentBytes: number;
};

type TestEvent = {
  readonly type: string;
  readonly data: {
    readonly name?: string;
    readonly nesting?: number;
    readonly skip?: string | boolean;
    readonly todo?: string | boolean;
    readonly details?: { readonly type?: string; readonly error?: unknown; readonly duration_ms?: number };
  };
};

const REPORTED: ReadonlySet<string> = new Set([
  ...['test:start', 'test:dequeue', 'test:complete'],
  ...['test:pass', 'test:fail'],
]);

/**
 * The reporter of a lane: errors are described here, for only text travels whole to
 * another process.
 */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (REPORTED.has(event.type)) process.send?.(messageOf(event));
  }
  yield '';
}

function messageOf({ type, data }: TestEvent): TestMessage {
  const error = type === 'test:fail' ? data.details?.error : undefined;
  return {
    type,
    name: data.name ?? '',
    nesting: data.nesting ?? 0,
    skipped: isSet(data.skip) ? String(data.skip) : null,
    isExpected: isSet(data.todo),
    isSuite: data.details?.type === 'suite',
    seconds: (data.details?.duration_ms ?? 0) / 1_000,
    failureType: (error as { failureType?: string } | undefined)?.failureType ?? null,
    failure: error === undefined ? '' : described(error),
  };
}

const isSet = (option: string | boolean | undefined): boolean => option !== undefined && option !== false;

/** The error that the test threw, without the runner's own frames. */
function described(error: unknown): string {
  const cause = (error as { cause?: unknown } | undefined)?.cause ?? error;
  const isAssertion = cause instanceof Error && (cause as { code?: unknown }).code === 'ERR_ASSERTION';
  const text = isAssertion ? (cause.stack ?? cause.message) : inspect(cause, { depth: 4 });
  return text
    .split('\n')
    .filter((line) => !/^\s+at .*(node:internal|node:async_hooks|tools\/test-scopes\.ts)/.test(line))
    .join('\n');
}
