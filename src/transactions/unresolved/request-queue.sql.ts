import type { Database, Row, Statement } from '../../platform/postgres/database.ts';
import { fairClaimValues } from '../../platform/work/fair-claim.sql.ts';
import type { FairClaim } from '../../platform/work/fair-claim.ts';
import type { Cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import type { Postponement } from '../transaction.ts';

/** What was asked of the acquirer about a charge and is not answered clearly, leased by this process. */
export type UnansweredRequest = {
  readonly merchantId: string;
  /** Its own: of the cancel, or of the capture. */
  readonly requestId: string;
  readonly transactionId: string;
  readonly amount: Cents;
  /** Business time. */
  readonly requestedAt: Instant;
  readonly fence: number;
  /** How often it was asked for, this time included. */
  readonly tries: number;
};

export type HeldRequest = {
  readonly fence: number;
  /** Milliseconds of its lease or pause that were left; negative when it was due. */
  readonly millisecondsLeft: number;
};

/** Of the table of such requests; claimed rows name their id `request_id`. */
export type RequestStatements = Readonly<
  Record<'claim' | 'hold' | 'postpone' | 'pullForward' | 'earliest', Statement>
>;

/** The requests of a kind, from their commit until the acquirer has answered clearly. */
export class RequestQueue<Request extends UnansweredRequest = UnansweredRequest> {
  readonly #statements: RequestStatements;
  readonly #parseMore: (row: Row) => Omit<Request, keyof UnansweredRequest>;

  constructor(
    statements: RequestStatements,
    parseMore: (row: Row) => Omit<Request, keyof UnansweredRequest>,
  ) {
    this.#statements = statements;
    this.#parseMore = parseMore;
  }

  /** Claims due ones of all merchants, and raises their fence. */
  async claim(database: Database, claim: FairClaim, leaseMilliseconds: number): Promise<Request[]> {
    const rows = await database.query(this.#statements.claim, fairClaimValues(claim, leaseMilliseconds));
    return rows.map((row) => ({ ...parseRequest(row), ...this.#parseMore(row) }) as Request);
  }

  /**
   * Keeps one from being sent for so long; null: its first answer is awaited, or it is final.
   */
  async hold(
    database: Database,
    merchantId: string,
    requestId: string,
    milliseconds: number,
  ): Promise<HeldRequest | null> {
    const [row] = await database.query(this.#statements.hold, [merchantId, requestId, milliseconds]);
    if (row === undefined) return null;
    return { fence: row.fence as number, millisecondsLeft: row.milliseconds_left as number };
  }

  /**
   * Records that no clear answer came, and when to ask again. Changes nothing when another process
   * has claimed it.
   */
  async postpone(
    database: Database,
    { merchantId, requestId, fence }: Pick<UnansweredRequest, 'merchantId' | 'requestId' | 'fence'>,
    { seconds, reason, wasAsked = true }: Postponement,
  ): Promise<void> {
    const values = [merchantId, requestId, fence, seconds, reason, wasAsked ? 0 : 1];
    await database.query(this.#statements.postpone, values);
  }

  /** Makes those of all merchants due that wait for longer than a lease; gives how many. */
  async pullForward(database: Database, limit: number, leaseMilliseconds: number): Promise<number> {
    return (await database.query(this.#statements.pullForward, [limit, leaseMilliseconds])).length;
  }

  /** For a look; `$1`: merchants that are passed over. */
  get earliest(): Statement {
    return this.#statements.earliest;
  }
}

function parseRequest(row: Row): UnansweredRequest {
  return {
    merchantId: row.merchant_id as string,
    requestId: row.request_id as string,
    transactionId: row.transaction_id as string,
    amount: row.amount as Cents,
    requestedAt: row.requested_at as Instant,
    fence: row.fence as number,
    tries: row.tries as number,
  };
}
