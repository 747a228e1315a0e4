import type { CommitStep, Row } from '../platform/postgres/database.ts';

/** Something that was done to a key, for whoever keeps the record of it. Never holds a key. */
export type KeyChange = {
  readonly action: 'key.create' | 'key.rotate' | 'key.reseal' | 'key.delete';
  /** `keys/card/3`: purpose and number of a data key, `keys/rsa/…` of a pair, `keys/key-encryption/…`. */
  readonly resource: string;
  readonly detail: Readonly<Record<string, string | number>>;
  /** Told a second time when it failed after all; otherwise it is a success. */
  readonly outcome?: 'failure';
};

/**
 * Commits the steps together with the record of what they did, as it follows from their rows; none when nothing was done.
 * What cannot be recorded is not done. Gives the rows of the steps.
 */
export type CommitKeyChange = (
  steps: readonly CommitStep[],
  changes: (rows: readonly Row[][]) => readonly KeyChange[],
) => Promise<Row[][]>;
