/**
 * Reads again for each caller, one read at a time. A read that is under way may have begun before
 * the caller's cause: so callers during a read share the one that follows it, and never wait for
 * more than two.
 */
export function freshReads(read: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | null = null;
  let following: Promise<void> | null = null;

  function begin(): Promise<void> {
    const reading = read().finally(() => {
      if (underWay === reading) underWay = null;
    });
    underWay = reading;
    return reading;
  }

  return () => {
    if (underWay === null) return begin();
    following ??= underWay
      .catch(() => {})
      .then(() => {
        following = null;
        return begin();
      });
    return following;
  };
}
