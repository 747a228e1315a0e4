import { type Database, statement } from '../../platform/postgres/database.ts';
import type { Denied } from '../../providers/acquirers/acquirer.ts';
import type { RequestKey, RequestTable } from './request-queue.sql.ts';

/** SQL of a table of `requestQueue` with sent_at, denial, denied_as, denied_at and ends_at. */
export type SentTable = Pick<RequestTable, 'table' | 'key' | 'open'>;

export function sentTexts({ table, key, open }: SentTable) {
  const isHeld = `merchant_id = $1 and ${key} = $2 and fence = $3 and state in (${open})`;
  return {
    // An end that was set before the first request was sent is not the end of this request.
    mark_sent: `update ${table} set sent_at = now(), ends_at = case when sent_at is not null then ends_at end
   where ${isHeld} and denial is null returning ${key}`,
    take_back: `update ${table} set sent_at = now() - $4::float8 * interval '1 millisecond'
   where ${isHeld} and denial is null returning ${key}`,
    note_denial: `update ${table} set denial = $4, denied_as = $5, denied_at = case when $6::boolean then now() end,
     sent_at = coalesce(now() - $7::float8 * interval '1 millisecond', sent_at), ends_at = null
   where ${isHeld} and denial is null returning ${key}`,
    note_absence: `update ${table} set denied_at = now()
   where ${isHeld} and denial is not null and denied_at is null returning ${key}`,
  } as const;
}

type Noted = (database: Database, request: RequestKey, ...values: readonly unknown[]) => Promise<boolean>;

/**
 * False: the request is decided, or another process has claimed it. A commit that fails or is in doubt
 * throws.
 */
export type SentRequests = {
  /** Commits that the request is sent now. False also if the acquirer has said no to it. */
  readonly markSent: (database: Database, request: RequestKey) => Promise<boolean>;
  /** Commits that the request was not sent now, but so many milliseconds ago; null: it was never sent. */
  readonly takeBack: (database: Database, request: RequestKey, since: number | null) => Promise<boolean>;
  /**
   * Commits that the acquirer said no, and whether a look-up behind that did not find the request. `since`:
   * sets back when it was sent, as `takeBack` does; null: what was sent last may yet be booked.
   */
  readonly noteDenial: (
    database: Database,
    request: RequestKey,
    denied: Pick<Denied, 'reason' | 'refusal'>,
    isAbsent: boolean,
    since: number | null,
  ) => Promise<boolean>;
  /** Commits that a look-up behind the no did not find the request. */
  readonly noteAbsence: (database: Database, request: RequestKey) => Promise<boolean>;
};

export function sentRequests(table: SentTable): SentRequests {
  const texts = sentTexts(table);
  const noted = (end: keyof typeof texts): Noted => {
    const declared = statement(`${table.table}.${end}`, texts[end]);
    return async (database, { merchantId, requestId, fence }, ...values) =>
      (await database.query(declared, [merchantId, requestId, fence, ...values])).length === 1;
  };
  const noteDenial = noted('note_denial');
  return {
    markSent: noted('mark_sent'),
    takeBack: noted('take_back'),
    noteDenial: (database, request, { reason, refusal }, isAbsent, since) =>
      noteDenial(database, request, reason, refusal, isAbsent, since),
    noteAbsence: noted('note_absence'),
  };
}
