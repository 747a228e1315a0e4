import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

type Body = (context: TestContext) => Promise<void> | void;

/**
 * A `test` for tests that do not meet, each with a merchant or a payment of its own: so many of
 * them run at the same time.
 */
export function sideBySide(atOnce: number): (name: string, body: Body) => void {
  const tests: { readonly name: string; readonly body: Body }[] = [];
  test('side by side', { concurrency: atOnce }, async (context) => {
    // Until the file has named them all.
    await setImmediate();
    await Promise.all(tests.map(({ name, body }) => context.test(name, body)));
  });
  return (name, body) => void tests.push({ name, body });
}
