import type { DatabaseLook } from '../../platform/database-watch/server-facts.sql.ts';
import type { ServerFacts } from '../../platform/database-watch/server-facts.ts';
import type { HoldReason } from '../../platform/gate.ts';
import type { ProcessReport } from '../../platform/process-reports/process-report.ts';
import type { ExceptionClass } from '../../reconciliation/exceptions/exception.ts';
import type { UnansweredKind } from '../../recurrence/automatic/unanswered.sql.ts';
import type { UnresolvedKind } from '../../transactions/unresolved/unresolved.ts';
import type { Day } from '../../values/instant.ts';

export const KIND_WORDS = {
  charge: 'Charges',
  cancel: 'Refunds',
  capture: 'Captures',
  boleto: 'Boletos',
  pix: 'Pix',
  pixAuthorization: 'Authorizations of Pix Automático',
  pixCollection: 'Charges of Pix Automático',
  payment: 'New payments',
} as const satisfies Record<UnresolvedKind | UnansweredKind | 'boleto' | 'pix' | 'payment', string>;

/** Things that wait. `oldestAge`: seconds since the oldest began to wait; 0: nothing waits. */
export type Waiting = { readonly count: number; readonly oldestAge: number; readonly mostTries: number };

export type Integrity = {
  readonly report: {
    readonly day: Day;
    readonly charges: number;
    readonly differences: number;
    /** Milliseconds. */
    readonly madeAt: number;
    /** Whether the report is as it was sealed: our audit key gives the same seal. */
    readonly isSealed: boolean;
  } | null;
  /** Whether anything differs now, by the nightly run or a run by hand. */
  readonly isAnyDifferent: boolean;
  /** The last full verification of the audit log. Null if there was none lately. */
  readonly audit: { readonly verifiedAt: number; readonly by: string; readonly isWhole: boolean } | null;
};

/**
 * The state of the installation, over all merchants. It is read from the database, so every process shows the
 * same, but for `heldBecause`.
 */
export type Health = {
  /** Why the process that shows the page may not act. Null: it may. */
  readonly heldBecause: HoldReason | null;
  readonly processes: readonly ProcessReport[];
  readonly integrity: Integrity;
  readonly server: ServerFacts & DatabaseLook & { readonly doubt: string | null };
  readonly unresolved: readonly (Waiting & { readonly kind: keyof typeof KIND_WORDS })[];
  readonly deliveries: {
    readonly waiting: number;
    readonly endpoints: { readonly working: number; readonly open: number; readonly held: number };
  };
  readonly oldestDueOn: Day | null;
  /** Pix payments for charges that this database has lost. */
  readonly lostPix: { readonly count: number; readonly oldestAge: number };
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
