/** Reads the lines of a file of one format, in order; what it finds goes into its findings. */
export type FileReading = {
  /** The record that ends the file. */
  readonly trailer: string;
  readonly take: (line: string, lineNumber: number) => void;
  /** Whether the trailer was read, good or not. */
  readonly isEnded: () => boolean;
};
