// Loads the runner of Node so that it knows the test at work by an AsyncLocalStorage. By itself it watches
// each promise and each timer of the process, the service's too: a tenth of what all tests cost.
import hooks, { AsyncLocalStorage, AsyncResource, executionAsyncId } from 'node:async_hooks';

type Hooks = Parameters<typeof hooks.createHook>[0];

const current = new AsyncLocalStorage<number>();
let watch: Hooks = {};
/** Modules are evaluated without a scope: what they ask for is of the file. */
let fileScope = 0;

/** What tests are to the runner. */
class Scope extends AsyncResource {
  constructor(...words: ConstructorParameters<typeof AsyncResource>) {
    super(...words);
    watch.init?.(this.asyncId(), words[0], executionAsyncId(), this);
  }

  override runInAsyncScope<T, A extends unknown[], R>(
    work: (this: T, ...words: A) => R,
    self?: T,
    ...words: A
  ): R {
    const scope = this.asyncId();
    // A resource begins with what it was made in.
    return super.runInAsyncScope(() => current.run(scope, () => work.apply(self as T, words)));
  }
}

const { createHook } = hooks;
Object.assign(hooks, {
  AsyncResource: Scope,
  executionAsyncId: () => current.getStore() ?? fileScope,
  createHook(wanted: Hooks) {
    watch = wanted;
    return { enable() {}, disable() {} };
  },
});
const { before, test } = await import('node:test');
Object.assign(hooks, { AsyncResource, executionAsyncId, createHook });

export { before };

/** One test around those of a file, which `evaluate` makes. */
export async function testFile(name: string, evaluate: () => Promise<void>): Promise<void> {
  // The runner ends what takes too long: a limit here would be that of each test in the file.
  await test(name, { timeout: Number.POSITIVE_INFINITY }, () => {
    fileScope = current.getStore() ?? 0;
    return evaluate();
  });
  fileScope = 0;
}
