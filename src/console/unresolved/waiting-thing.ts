import type { Instant } from '../../values/instant.ts';

/** The first three are asked at the acquirer, the others at a bank. */
export const WAITING_KINDS = [
  'charge',
  'cancel',
  'capture',
  'boleto',
  'pix',
  'pixAuthorization',
  'pixCollection',
] as const;
export type WaitingKind = (typeof WAITING_KINDS)[number];

export const KIND_WORDS: Readonly<Record<WaitingKind, string>> = {
  charge: 'Charge',
  cancel: 'Cancel',
  capture: 'Capture',
  boleto: 'Boleto',
  pix: 'Pix',
  pixAuthorization: 'Authorization of Pix Automático',
  pixCollection: 'Charge of Pix Automático',
};

export type WaitingOrder = 'age' | 'money';

export type WaitingFilter = {
  readonly kinds: readonly WaitingKind[];
  readonly merchantId: string | null;
  readonly olderThanMinutes: number;
  readonly order: WaitingOrder;
};

export type WaitingThing = {
  readonly kind: WaitingKind;
  /** The id of its payment, boleto, Pix, subscription or billing. */
  readonly id: string;
  readonly merchantId: string;
  readonly amount: number;
  readonly since: Instant;
  readonly tries: number;
  readonly dueAt: Instant;
  readonly reason: string;
};

export const MOST_WAITING_SHOWN = 100;

export function firstWaiting(things: readonly WaitingThing[], order: WaitingOrder): WaitingThing[] {
  return things
    .toSorted((one, other) => (order === 'money' ? other.amount - one.amount : one.since - other.since))
    .slice(0, MOST_WAITING_SHOWN);
}
