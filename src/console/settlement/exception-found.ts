import type { ReconciliationException } from '../../reconciliation/exceptions/exception.ts';
import type { EntryKind } from '../../reconciliation/settlement-entry.ts';
import type { Day } from '../../values/instant.ts';

export type FiledLine = { readonly line: string; readonly kind: EntryKind; readonly fileName: string };

export type ExceptionFound = {
  readonly exception: ReconciliationException;
  readonly line: FiledLine | null;
  /** The return file that first told of the same payment. */
  readonly firstFile: ReturnFileNamed | null;
};

export type ReturnFileNamed = { readonly madeOn: Day; readonly fileNumber: string };

export const MOST_EXCEPTIONS_SHOWN = 100;
export const MOST_RULES_SHOWN = 20;
/** The most exceptions that are read of a cause. */
export const MOST_RESOLVED_AT_ONCE = 5_000;
export const MOST_SUMS_SHOWN = 20;
export const MOST_DIFFERENCES_SHOWN = 100;

export const MOST_FILES_SHOWN = 50;
export const MOST_REFUSED_SHOWN = 50;
export const MOST_UNDER_WAY_SHOWN = 100;
export const MOST_COVERAGES_SHOWN = 100;
