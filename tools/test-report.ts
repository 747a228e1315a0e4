import { inspect } from 'node:util';

/** What the test runner says, as far as the report listens. */
export type TestEvent = {
  readonly type: string;
  readonly data: {
    readonly name?: string;
    readonly nesting?: number;
    readonly file?: string;
    readonly message?: string;
    readonly skip?: string | boolean;
    readonly todo?: string | boolean;
    readonly details?: { readonly type?: string; readonly error?: unknown };
  };
};

export type TestCounts = { readonly passed: number; readonly failed: number; readonly skipped: number };

/** The report of one file of tests: hears its events and says at the end how it went. */
export type FileReport = {
  hear(event: TestEvent): void;
  /** Whether nothing is under way: the file could end, if nothing in it is left open. */
  isIdle(): boolean;
  /** Fingerprints the file's line and what failed. `fault`: what the runner itself has to say against the file. */
  end(fault: string | null): TestCounts;
};

const MOST_OUTPUT_CHARACTERS = 20_000;

export function openFileReport(file: string, say: (text: string) => void): FileReport {
  const startedAt = performance.now();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failures: string[] = [];
  /** Names of the tests around the one at hand, by depth. */
  const path: string[] = [];
  let underWay = 0;
  let output = '';

  function hearEnd(event: TestEvent): void {
    const { name = '', nesting = 0, skip, todo, details } = event.data;
    if (isSameFile(name, file)) return void hearFile(event);
    const isFailed = event.type === 'test:fail' && (todo === undefined || todo === false);
    if (details?.type === 'suite' && !isFailed) return;
    // A test around one that failed says nothing new.
    if (isFailed && failureType(details?.error) === 'subtestsFailed') return;
    if (skip !== undefined && skip !== false) counts.skipped += 1;
    else if (!isFailed) counts.passed += 1;
    else {
      counts.failed += 1;
      failures.push(`${[...path.slice(0, nesting), name].join(' › ')}\n${described(details?.error)}`);
    }
  }

  /** The runner takes a file for a test when it has none, or when it ends badly. */
  function hearFile({ type, data }: TestEvent): void {
    if (type === 'test:fail') fail(`the file ended badly: ${described(data.details?.error)}`);
    else fail('the file has no test');
  }

  function fail(reason: string): void {
    counts.failed += 1;
    failures.push(`${reason}\n`);
  }

  return {
    hear(event) {
      const { name = '', nesting = 0, message = '' } = event.data;
      if (event.type === 'test:start') path[nesting] = name;
      else if (event.type === 'test:pass' || event.type === 'test:fail') hearEnd(event);
      else if (event.type === 'test:dequeue' && !isSameFile(name, file)) underWay += 1;
      else if (event.type === 'test:complete' && !isSameFile(name, file)) underWay -= 1;
      else if (event.type === 'test:stdout' || event.type === 'test:stderr') {
        output = (output + message).slice(-MOST_OUTPUT_CHARACTERS);
      }
    },
    isIdle: () => underWay === 0,
    end(fault) {
      if (fault !== null) fail(fault);
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      const isBad = counts.failed > 0;
      say(`${isBad ? 'FAILED' : 'ok    '} ${file} (${counts.passed + counts.failed}, ${seconds} s)`);
      for (const failure of failures) say(indented(failure));
      if (isBad && output !== '') say(indented(`what it printed:\n${indented(output)}`));
      return counts;
    },
  };
}

function isSameFile(name: string, file: string): boolean {
  return name === file || (name.startsWith('/') && name.endsWith(`/${file}`));
}

function failureType(error: unknown): unknown {
  return (error as { failureType?: unknown } | undefined)?.failureType;
}

/** The error that the test threw, without the runner's own frames. */
function described(error: unknown): string {
  const cause = (error as { cause?: unknown } | undefined)?.cause ?? error;
  const isAssertion = cause instanceof Error && (cause as { code?: unknown }).code === 'ERR_ASSERTION';
  const text = isAssertion ? (cause.stack ?? cause.message) : inspect(cause, { depth: 4 });
  return text
    .split('\n')
    .filter((line) => !/^\s+at .*(node:internal|node:async_hooks)/.test(line))
    .join('\n');
}

function indented(text: string): string {
  return text.trimEnd().replace(/^/gm, '    ');
}
