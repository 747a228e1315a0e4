/** What a client was answered to one call. */
export type Answered = {
  /** Null: the connection was lost before the whole answer was there. */
  readonly status: number | null;
  readonly body: unknown;
  /** Why there is no status. */
  readonly lostBy: string | null;
  /** A repeated answer: `Idempotent-Replayed: true`. */
  readonly isReplayed: boolean;
  /** `Retry-After`; absent: it had none. */
  readonly retryAfterSeconds?: number;
};

export const NEVER_SENT: Answered = {
  status: null,
  body: null,
  lostBy: 'it was never sent',
  isReplayed: false,
};

/** How a sale is to be divided, as the client asks for it. */
export type WantedSplit = {
  readonly type: 'bruto' | 'liquido';
  /** Percents in hundredths, so that they stay exact. */
  readonly entries: readonly { readonly beneficiary: string; readonly portion: number }[];
};

/** What a client wrote down about one payment: what it asked for, and what it was answered. */
export type Entry = {
  /** Of the round, unique in the run: `steps.17`. */
  readonly round: string;
  readonly operation: string;
  readonly merchantId: string;
  readonly reference: string;
  readonly amount: number;
  readonly installments: number;
  readonly split: WantedSplit | null;
  /** It is only authorized. */
  readonly isCapturedLater: boolean;
  /** `urlCallBack`. */
  readonly callback: string | null;
  /**
   * The card token or encrypted card, good for one approval; null for a stored card, and for a
   * request with a key.
   */
  readonly cardSource: string | null;
  /** The `Idempotency-Key`, under which it may be sent again. */
  readonly key: string | null;
  readonly gateway: string;
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
  /** The last answer; without a key the only one. */
  status: number | null;
  body: unknown;
  lostBy: string | null;
  /** With a key: all answers, in the order in which they came. */
  readonly tries: Answered[];
  /** What `GET /v1/payments/{id}` said of an approved payment a moment later, where the operation asked. */
  askedAfter: string | null;
  /** What the query by reference said after a lost connection, as soon as nothing was under way any more. */
  askedByReference: readonly AnsweredPayment[] | null;
};

/** A payment as the two queries tell it. */
export type AnsweredPayment = {
  readonly paymentId: string;
  readonly statusDescription: string;
  readonly value: number;
  readonly canceledAmount: number;
  readonly cancelingAmount: number;
};

/** What a client wrote down about one cancel. */
export type CancelEntry = {
  readonly round: string;
  readonly operation: string;
  readonly merchantId: string;
  /** Of the payment. */
  readonly reference: string;
  readonly paymentId: string;
  /** Cents; null: all that is left. */
  readonly amount: number | null;
  readonly key: string | null;
  status: number | null;
  body: unknown;
  lostBy: string | null;
  readonly tries: Answered[];
  /** What the payment said was given back, after a 500 and once no answer was awaited any more. */
  canceledAfterDoubt: number | null;
};

/** What a client wrote down about one capture. */
export type CaptureEntry = {
  readonly round: string;
  readonly operation: string;
  readonly merchantId: string;
  /** Of the payment. */
  readonly reference: string;
  readonly paymentId: string;
  /** Cents; null: all that is authorized. */
  readonly amount: number | null;
  status: number | null;
  body: unknown;
  lostBy: string | null;
};

/** What a client wrote down about something that it made happen to an installment. */
export type EventEntry = {
  readonly round: string;
  readonly merchantId: string;
  /** Of the payment. */
  readonly reference: string;
  readonly paymentId: string;
  readonly type: EventType;
  readonly installmentNumber: number;
  /** Cents of a chargeback of a part; null: all that is left. */
  readonly amount: number | null;
  status: number | null;
  body: unknown;
  lostBy: string | null;
};

export const EVENT_TYPES = ['settle', 'block', 'unblock', 'chargeback'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** What a client wrote down about one card that it wanted to have stored. */
export type StoreEntry = {
  readonly round: string;
  readonly merchantId: string;
  /** The name on the card, which no other card has. */
  readonly holder: string;
  status: number | null;
  body: unknown;
  lostBy: string | null;
};

export function paymentIdOf({ status, body }: Pick<Answered, 'status' | 'body'>): string | null {
  if (status !== 200) return null;
  const { paymentAuthorization } = body as { paymentAuthorization?: { paymentId?: string } };
  return paymentAuthorization?.paymentId ?? null;
}

/**
 * Whether an answer speaks of the key and not of what was asked for: another request with it is
 * under way.
 */
export function isAboutKey({ status, body }: Pick<Answered, 'status' | 'body'>): boolean {
  return (
    (status === 409 || status === 422) &&
    Array.isArray(body) &&
    body.some(({ tag }) => tag === 'idempotencyKey')
  );
}
