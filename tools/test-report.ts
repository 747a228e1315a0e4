import type { TestMessage } from './test-events.ts';

export type TestCounts = { readonly passed: number; readonly failed: number; readonly skipped: number };

export type FileResult = TestCounts & { readonly seconds: number; readonly processorSeconds: number };

/** The report of one file of tests: takes its messages and says at the end how it went. */
export type FileReport = {
  add(message: TestMessage): void;
  /** What is printed meanwhile; its end is shown when a test failed. */
  addOutput(text: string): void;
  /** Whether a test failed by what it found. */
  hasFinding(): boolean;
  /** The test that has been under way for longer than this; null: none has. */
  longerThan(milliseconds: number): string | null;
  /**
   * Prints the file's line and what failed. `faults`: what the runner found wrong with the file.
   */
  end(faults: readonly string[], processorSeconds: number): FileResult;
};

/**
 * How a failure begins that finds something: an assertion, a property with a counterexample, a wait that
 * came to nothing, or a row that the database refuses. An error of the language finds nothing.
 */
export const FINDING = 'AssertionError\\b|Error\\b|Property failed|error: (?:new row|duplicate key)';
const FOUND = new RegExp(`\\n(?:${FINDING})`);

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
  /** When each test under way began, and when one last ended. */
  const begun = new Map<string, number>();
  let lastAt = startedAt;
  let output = '';

  function addEnd({ type, name, nesting, ...test }: TestMessage): void {
    const isFailed = type === 'test:fail' && !test.isExpected;
    if (nesting > 0 && test.seconds > SLOW_SECONDS) slow.push(`${test.seconds.toFixed(1)} s ${name}`);
    // A test around one that failed says nothing new.
    if (isFailed && test.failureType === 'subtestsFailed') return;
    // The file itself: what is outside of its tests failed.
    if (nesting === 0) {
      if (isFailed) fail(`the file ended badly: ${test.failure}`);
    } else if (isFailed) fail(`${[...path.slice(1, nesting), name].join(' › ')}\n${test.failure}`);
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
      lastAt = performance.now();
      const { type, name, nesting } = message;
      if (type === 'test:start') path[nesting] = name;
      else if (type === 'test:dequeue') begun.set(`${nesting} ${name}`, lastAt);
      else if (type === 'test:complete') begun.delete(`${nesting} ${name}`);
      else addEnd(message);
    },
    addOutput(text) {
      output = (output + text).slice(-MOST_OUTPUT_CHARACTERS);
    },
    hasFinding: () => failures.some((failure) => FOUND.test(failure)),
    longerThan(milliseconds) {
      // Where many tests stand around one, only the innermost is late; between two, a hook is.
      if (performance.now() - lastAt < milliseconds) return null;
      return [...begun.keys()].at(-1)?.replace(/^\d+ /, '') ?? file;
    },
    end(faults, processorSeconds) {
      for (const fault of faults) fail(fault);
      if (counts.passed + counts.failed + counts.skipped === 0) fail('the file has no test');
      const seconds = (performance.now() - startedAt) / 1_000;
      const isBad = counts.failed > 0;
      const tests = counts.passed + counts.failed;
      const took = `${seconds.toFixed(1)} s, processor ${processorSeconds.toFixed(1)} s`;
      say(`${isBad ? 'FAILED' : 'ok    '} ${file} (${tests}, ${took})`);
      for (const line of [...slow, ...skipped]) say(indented(line));
      for (const failure of failures) say(indented(failure));
      if (isBad && output !== '') say(indented(`what it printed:\n${indented(output)}`));
      return { ...counts, seconds, processorSeconds };
    },
  };
}

function indented(text: string): string {
  return text.trimEnd().replace(/^/gm, '    ');
}
