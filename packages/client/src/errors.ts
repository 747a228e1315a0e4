import type { Decline, Problem } from './operations.ts';

/** All faults of a request at once. For a decline (402) the only item says what the buyer can do. */
export type ToldProblem = Problem & Partial<Decline>;

/** What is known about a call that failed. */
export type Fate = {
  /** The key of every sending of this call. null: the operation takes none. */
  readonly idempotencyKey: string | null;
  /**
   * True: an earlier sending got no answer, and the last one does not say what became of it. Either nothing
   * was done, or all of it. Make the same call again with the same `idempotencyKey`, or look the result up;
   * never take it for a no. This covers this call only, not what your program sent with this key before.
   */
  readonly mayBeDone: boolean;
};

/** Parcela answered with an error. */
export class ParcelaError extends Error implements Fate {
  readonly status: number;
  readonly problems: readonly ToldProblem[];
  readonly idempotencyKey: string | null;
  readonly mayBeDone: boolean;
  /** From `X-Request-Id`: the operator finds the request by it. */
  readonly requestId: string | null;

  constructor(
    status: number,
    problems: readonly ToldProblem[],
    fate: Fate & { readonly requestId: string | null },
  ) {
    const told = problems.map(({ tag, description }) =>
      tag === '' ? description : `${tag}: ${description}`,
    );
    super(told.join('; ') || `answered ${status}`);
    this.name = 'ParcelaError';
    this.status = status;
    this.problems = problems;
    this.idempotencyKey = fate.idempotencyKey;
    this.mayBeDone = fate.mayBeDone;
    this.requestId = fate.requestId;
  }

  /** The payment that was declined or failed. */
  get paymentId(): string | null {
    return this.problems.find(({ paymentId }) => paymentId !== undefined)?.paymentId ?? null;
  }

  /** The issuer or anti-fraud refused. */
  get isDecline(): boolean {
    return this.status === 402;
  }
}

/** No answer came in all the time that the call had. */
export class NoAnswer extends Error implements Fate {
  /** Of the last sending, in English. */
  readonly why: string;
  readonly idempotencyKey: string | null;
  readonly mayBeDone: boolean;

  constructor(why: string, { idempotencyKey, mayBeDone }: Fate, options?: ErrorOptions) {
    super(`no answer: ${why}`, options);
    this.name = 'NoAnswer';
    this.why = why;
    this.idempotencyKey = idempotencyKey;
    this.mayBeDone = mayBeDone;
  }
}
