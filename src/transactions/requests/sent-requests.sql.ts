import { type Database, statement } from '../../platform/postgres/database.ts';
import type { RequestKey, RequestTable } from './request-queue.sql.ts';

/** SQL of a table of `requestQueue` with sent_at, denial and denied_at. */
export type SentTable = Pick<RequestTable, 'table' | 'key' | 'open'>;

export function sentTexts({ table, key, open }: SentTable) {
  const isHeld = `merchant_id = $1 and ${key} = $2 and fence = $3 and state in (${open})`;
  return {
    mark_sent: `update ${table} set sent_at = now() where ${isHeld} and denial is null returning ${key}`,
    note_denial: `update ${table} set denial = $4, denied_at = case when $5::boolean then now() end
   where ${isHeld} and denial is null returning ${key}`,
    note_absence: `update ${table} set denied_at = now()
   where ${isHeld} and denial is not null and denied_at is null returning ${key}`,
  } as const;
}

type Noted = (database: Database, request: RequestKey, ...values: readonly unknown[]) => Promise<boolean>;

/** False: it is decided, another process has it, or the commit failed or is in doubt. */
export type SentRequests = {
  /** Commits that it is sent now. False also if it was said no to. */
  readonly markSent: (database: Database, request: RequestKey) => Promise<boolean>;
  /** Commits that the acquirer said no, and whether it was looked for behind that, and not found. */
  readonly noteDenial: (
    database: Database,
    request: RequestKey,
    reason: string,
    isAbsent: boolean,
  ) => Promise<boolean>;
  /** Commits that a look-up behind the no did not find it. */
  readonly noteAbsence: (database: Database, request: RequestKey) => Promise<boolean>;
};

export function sentRequests(table: SentTable): SentRequests {
  const texts = sentTexts(table);
  const noted = (end: keyof typeof texts): Noted => {
    const declared = statement(`${table.table}.${end}`, texts[end]);
    return async (database, { merchantId, requestId, fence }, ...values) => {
      try {
        return (await database.query(declared, [merchantId, requestId, fence, ...values])).length === 1;
      } catch {
        return false;
      }
    };
  };
  return {
    markSent: noted('mark_sent'),
    noteDenial: noted('note_denial'),
    noteAbsence: noted('note_absence'),
  };
}
