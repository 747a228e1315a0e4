import type { Instant } from '../../values/instant.ts';
import { pathOf } from '../parts/screen.ts';

/** A charge, a cancel, a capture or a boleto without an answer. */
export type WaitingThing = {
  readonly kind: 'charge' | 'cancel' | 'capture' | 'boleto';
  readonly id: string;
  readonly merchantId: string;
  readonly amount: number;
  readonly since: Instant;
  readonly tries: number;
  readonly dueAt: Instant;
  readonly reason: string;
};

export const MOST_WAITING_SHOWN = 100;
export const CASE = '/unresolved/{id}';

export const casePath = (id: string) => pathOf(CASE, { id });
