/**
 * What many callers look at and nobody needs to the second: the last answer while it is young, else one
 * read for all who wait for it.
 */
export function keptRead<Value>(milliseconds: number, read: () => Promise<Value>): () => Promise<Value> {
  let kept: { readonly value: Value; readonly until: number } | null = null;
  let underWay: Promise<Value> | null = null;

  async function begin(): Promise<Value> {
    const value = await read();
    kept = { value, until: performance.now() + milliseconds };
    return value;
  }

  return async () => {
    if (kept !== null && performance.now() < kept.until) return kept.value;
    underWay ??= begin().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
