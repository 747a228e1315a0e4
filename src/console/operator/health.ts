import type { DatabaseLook } from '../../platform/database-watch/server-facts.sql.ts';
import type { ServerFacts } from '../../platform/database-watch/server-facts.ts';
import type { HoldReason } from '../../platform/gate.ts';
import type { ProcessReport } from '../../platform/process-reports/process-report.ts';
import type { ExceptionClass } from '../../reconciliation/exceptions/exception.ts';
import type { UnresolvedKind } from '../../transactions/unresolved/unresolved.ts';
import type { Day } from '../../values/instant.ts';

/** What may be unknown: the acquirer is asked about the first three, the bank about the last. */
export const KIND_WORDS = {
  charge: 'Charges',
  cancel: 'Cancels',
  capture: 'Captures',
  boleto: 'Boletos',
} as const satisfies Record<UnresolvedKind | 'boleto', string>;

/** Something that waits, and since when: seconds, 0 when nothing does. */
export type Waiting = { readonly count: number; readonly oldestAge: number; readonly mostTries: number };

/** Whether the books are believed, by what was verified last. */
export type Integrity = {
  /** The newest report of a day over all merchants; null: there is none yet. */
  readonly report: {
    readonly day: Day;
    readonly charges: number;
    readonly differences: number;
    /** Milliseconds. */
    readonly madeAt: number;
    /** Whether its seal is the one that our audit key gives it. */
    readonly isSealed: boolean;
  } | null;
  /** Whether anything differs now: what was compared by hand too. */
  readonly isAnyDifferent: boolean;
  /** When all of the audit log was verified last; null: not lately. */
  readonly audit: { readonly verifiedAt: number; readonly by: string; readonly isWhole: boolean } | null;
};

/** What an operator looks at first, of all merchants: from the database, the same on every process. */
export type Health = {
  /** Of the process that shows it, which knows it at once; null: it may act. */
  readonly heldBecause: HoldReason | null;
  /** What each process wrote down of itself last, the newest first. */
  readonly processes: readonly ProcessReport[];
  readonly integrity: Integrity;
  readonly server: ServerFacts & DatabaseLook & { readonly doubt: string | null };
  readonly unresolved: readonly (Waiting & { readonly kind: keyof typeof KIND_WORDS })[];
  readonly deliveries: {
    readonly waiting: number;
    readonly endpoints: { readonly working: number; readonly open: number; readonly held: number };
  };
  /** The first day on which a billing is to be charged; null: none waits. */
  readonly oldestDueOn: Day | null;
  readonly exceptions: readonly {
    readonly class: ExceptionClass;
    readonly count: number;
    readonly cents: number;
    readonly oldestAge: number;
  }[];
  readonly merchants: { readonly inAll: number; readonly disabled: number; readonly billingsHeld: number };
  /** Milliseconds. */
  readonly readAt: number;
};
