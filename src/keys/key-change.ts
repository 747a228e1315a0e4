import type { CommitStep, Row } from '../platform/postgres/database.ts';

/** A change of a key, for the audit log. Never holds a key. */
export type KeyChange = {
  readonly action: 'key.create' | 'key.rotate' | 'key.reseal' | 'key.delete';
  /**
   * `keys/card/3`: purpose and number of a data key, `keys/rsa/…` of a pair,
   * `keys/key-encryption/…`.
   */
  readonly resource: string;
  readonly detail: Readonly<Record<string, string | number>>;
  /** Audited a second time when it failed after all; otherwise it is a success. */
  readonly outcome?: 'failure';
};

/**
 * Commits the steps together with their record, as it follows from their rows; none when nothing
 * was done. What cannot be recorded is not done. Returns the rows of the steps.
 */
export type CommitKeyChange = (
  steps: readonly CommitStep[],
  changes: (rows: readonly Row[][]) => readonly KeyChange[],
) => Promise<Row[][]>;
