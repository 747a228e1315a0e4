/** Closed in reverse order of opening, each even if another fails. */
export type Closing = {
  readonly name: string;
  readonly close: () => Promise<unknown>;
  /** Of what keeps something back that must not be lost with the process. Soon done. */
  readonly flushed?: () => Promise<unknown>;
};

/** Reports what could not be closed, and continues. */
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
