import type { Database, Row, Statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fairClaimValues } from '../../platform/work/fair-claim.sql.ts';
import type { FairClaim } from '../../platform/work/fair-claim.ts';
import type { Postponement } from '../transaction.ts';

export const UNANSWERED = rowCodec({
  merchantId: column.text(),
  /** Its own: of the cancel, or of the capture. */
  requestId: column.text(),
  transactionId: column.text(),
  /** The provider that has the charge. */
  acquirer: column.text(
    '(select t.acquirer from transactions t where t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id)',
  ),
  amount: column.money(),
  /** Business time. */
  requestedAt: column.instant(),
  fence: column.whole(),
  /** How often it was asked for, this time included. */
  tries: column.whole(),
});

/** What was asked of the acquirer about a charge and is not answered clearly, leased by this process. */
export type UnansweredRequest = Readonly<RowOf<typeof UNANSWERED>>;

/** Of the request `c` and what was `found` of it (`f`). */
export const HELD = rowCodec({
  fence: column.whole('c.fence'),
  /** Milliseconds of its lease or pause that were left; negative when it was due. */
  millisecondsLeft: column.real('f.milliseconds_left'),
});

export type HeldRequest = Readonly<RowOf<typeof HELD>>;

/** Of the table of such requests. */
export type RequestStatements = Readonly<
  Record<'claim' | 'hold' | 'postpone' | 'pullForward' | 'earliest', Statement>
>;

/** The requests of a kind, from their commit until the acquirer has answered clearly. */
export class RequestQueue<Request extends UnansweredRequest = UnansweredRequest> {
  readonly #statements: RequestStatements;
  readonly #parse: (row: Row) => Request;

  constructor(statements: RequestStatements, parse: (row: Row) => Request) {
    this.#statements = statements;
    this.#parse = parse;
  }

  /** Claims due ones of all merchants, and raises their fence. */
  async claim(database: Database, claim: FairClaim, leaseMilliseconds: number): Promise<Request[]> {
    const values = fairClaimValues(claim, leaseMilliseconds);
    return (await database.query(this.#statements.claim, values)).map(this.#parse);
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
    return row === undefined ? null : HELD.parse(row);
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
