/** What the process closes at its end: in reverse order of opening, each even if another fails. */
export type Closing = {
  readonly name: string;
  readonly close: () => Promise<unknown>;
  /** Writes out what the closing holds back and must not be lost with the process. Ends soon. */
  readonly flushed?: () => Promise<unknown>;
};

export async function closeAll(closings: Closing[], say: (line: string) => void): Promise<void> {
  while (closings.length > 0) {
    const { name, close } = closings.pop() as Closing;
    try {
      await close();
    } catch (error) {
      say(`could not close the ${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
}
