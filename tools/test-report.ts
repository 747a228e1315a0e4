import type { TestMessage } from './test-events.ts';

export type TestCounts = { readonly passed: number; readonly failed: number; readonly skipped: number };

/** The report of one file of tests: takes its messages and says at the end how it went. */
export type FileReport = {
  add(message: TestMessage): void;
  /** What the file's process prints; its end is shown when a test failed. */
  addOutput(text: string): void;
  /** Whether nothing is under way: the file could end, if nothing in it is left open. */
  isIdle(): boolean;
  /**
   * Prints the file's line and what failed. `code`: how its process ended; `fault`: what the runner
   * found wrong with it.
   */
  end(code: number | NodeJS.Signals | null, fault: string | null): FileResult;
};

export type FileResult = TestCounts & { readonly seconds: number };

const MOST_OUTPUT_CHARACTERS = 20_000;
/** A test that takes longer is named with its seconds: most of its time is waiting. */
const SLOW_SECONDS = 5;

export function openFileReport(file: string, say: (text: string) => void): FileReport {
  const startedAt = performance.now();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failures: string[] = [];
  const slow: string[] = [];
  const skipped: string[] = [];
  /** Names of the tests around the one at hand, by depth. */
  const path: string[] = [];
  let underWay = 0;
  let output = '';

  function addEnd({ type, name, nesting, ...test }: TestMessage): void {
    const isFailed = type === 'test:fail' && !test.isExpected;
    if (test.seconds > SLOW_SECONDS) slow.push(`${test.seconds.toFixed(1)} s ${name}`);
    // A hook of the file fails under the name of the file.
    if (name === file || name.endsWith(`/${file}`)) fail(`the file ended badly: ${test.failure}`);
    // A test around one that failed says nothing new.
    else if (isFailed && test.failureType === 'subtestsFailed') return;
    else if (isFailed) fail(`${[...path.slice(0, nesting), name].join(' › ')}\n${test.failure}`);
    else if (test.isSuite) return;
    else if (test.skipped === null) counts.passed += 1;
    else skip(name, test.skipped);
  }

  function skip(name: string, reason: string): void {
    counts.skipped += 1;
    skipped.push(`skipped: ${name} (${reason})`);
  }

  function fail(reason: string): void {
    counts.failed += 1;
    failures.push(`${reason}\n`);
  }

  return {
    add(message) {
      if (message.type === 'test:start') path[message.nesting] = message.name;
      else if (message.type === 'test:dequeue') underWay += 1;
      else if (message.type === 'test:complete') underWay -= 1;
      else addEnd(message);
    },
    addOutput(text) {
      output = (output + text).slice(-MOST_OUTPUT_CHARACTERS);
    },
    isIdle: () => underWay === 0,
    end(code, fault) {
      if (fault !== null) fail(fault);
      // Exit code 1 says that a test failed, which was reported with its reason.
      else if (code !== 0 && (code !== 1 || counts.failed === 0))
        fail(`the file's process ended with ${code}`);
      else if (counts.passed + counts.failed + counts.skipped === 0) fail('the file has no test');
      const seconds = (performance.now() - startedAt) / 1_000;
      const isBad = counts.failed > 0;
      const tests = counts.passed + counts.failed;
      say(`${isBad ? 'FAILED' : 'ok    '} ${file} (${tests}, ${seconds.toFixed(1)} s)`);
      for (const line of [...slow, ...skipped]) say(indented(line));
      for (const failure of failures) say(indented(failure));
      if (isBad && output !== '') say(indented(`what it printed:\n${indented(output)}`));
      return { ...counts, seconds };
    },
  };
}

function indented(text: string): string {
  return text.trimEnd().replace(/^/gm, '    ');
}
