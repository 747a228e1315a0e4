import type { Database, Row, Statement } from '../postgres/database.ts';
import type { WaitingChange } from './feed.ts';

export type WaitingStatements = Readonly<Record<'claim' | 'list' | 'earliest', Statement>>;

/** The changes of one who reports them that are neither applied nor refused. */
export class WaitingChanges<Change extends WaitingChange> {
  readonly #statements: WaitingStatements;
  readonly #parse: (row: Row) => Change;

  constructor(statements: WaitingStatements, parse: (row: Row) => Change) {
    this.#statements = statements;
    this.#parse = parse;
  }

  /** Claims due changes of all merchants in the order of arrival, and postpones them meanwhile. */
  async claim(database: Database, limit: number, leaseMilliseconds: number): Promise<Change[]> {
    const rows = await database.query(this.#statements.claim, [limit, leaseMilliseconds]);
    return rows.map(this.#parse).toSorted((one, other) => one.changeNumber - other.changeNumber);
  }

  /**
   * The waiting changes of this merchant behind a number, in the order of arrival, also those that
   * another process has claimed.
   */
  async list(database: Database, merchantId: string, afterNumber: number, limit: number): Promise<Change[]> {
    return (await database.query(this.#statements.list, [merchantId, afterNumber, limit])).map(this.#parse);
  }

  /** For a look. */
  get earliest(): Statement {
    return this.#statements.earliest;
  }
}
