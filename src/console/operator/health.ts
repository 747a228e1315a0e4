import type { HoldReason } from '../../platform/gate.ts';
import type { Day } from '../../values/instant.ts';

/** Something that waits, and since when: seconds, 0 when nothing does. */
export type Waiting = { readonly count: number; readonly oldestAge: number; readonly mostTries: number };

/** What an operator looks at first, of all merchants. */
export type Health = {
  /** Null: this process may act. */
  readonly heldBecause: HoldReason | null;
  readonly unresolved: readonly (Waiting & { readonly kind: 'charge' | 'cancel' | 'capture' | 'boleto' })[];
  readonly deliveries: {
    readonly waiting: number;
    readonly endpoints: { readonly working: number; readonly open: number; readonly held: number };
  };
  /** The first day on which a billing is to be charged; null: none waits. */
  readonly oldestDueOn: Day | null;
  readonly exceptions: readonly {
    readonly class: string;
    readonly count: number;
    readonly cents: number;
    readonly oldestAge: number;
  }[];
  readonly merchants: { readonly inAll: number; readonly disabled: number; readonly billingsHeld: number };
  /** Milliseconds. */
  readonly readAt: number;
};
