/** The parts of answers that the tour looks at, as the wire has them. */
export type Charged = {
  readonly at: string;
  readonly type: 'Charged';
  readonly attempt: number | null;
  readonly outcome: string | null;
  readonly code: string | null;
  readonly rule: string | null;
  readonly nextChargeOn: string | null;
};

export type OtherEntry = { readonly at: string; readonly type: 'Opened' | 'Canceled'; readonly by: string };

export type Billing = {
  readonly id: string;
  readonly status: string;
  readonly expireAt: string;
  readonly amount: number;
  readonly installment: number;
  readonly nextChargeOn?: string;
  readonly timeline: readonly (Charged | OtherEntry)[];
};

export type SubscriptionEntry = {
  readonly at: string;
  readonly type: string;
  readonly reason?: string;
  readonly description?: string;
};

export type Subscription = {
  readonly id: string;
  readonly status: string;
  readonly statusReason?: string;
  readonly timeline: readonly SubscriptionEntry[];
};

export type Clock = { readonly now: string; readonly ran: Readonly<Record<string, number>> };

export type Delivery = {
  readonly kind: string;
  readonly status: string;
  readonly tries: number;
  readonly nextTryAt: string | null;
};

export type Page<T> = { readonly items: readonly T[]; readonly total: number };

export function chargesOf({ timeline }: Pick<Billing, 'timeline'>): readonly Charged[] {
  return timeline.filter((entry) => entry.type === 'Charged');
}

/** `2026-12-01 00:00` of a moment in São Paulo, with or without its offset. */
export function minuteOf(moment: string): string {
  return moment.slice(0, 16).replace('T', ' ');
}
