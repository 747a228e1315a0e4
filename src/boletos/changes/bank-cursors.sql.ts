import { createHash } from 'node:crypto';
import type { BankChange, BankChangesAnswer } from '../../banks/bank.ts';
import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { utcText } from '../../values/instant.ts';

/** How far the changes of a merchant were read; `merchantId` null: one cursor for all merchants. */
export type BankCursor = {
  readonly merchantId: string | null;
  /** Begins with the code of its bank; null: from the beginning. */
  readonly cursor: string | null;
  readonly fence: number;
};

/** Stands for all merchants in the key of a row. */
const ALL_MERCHANTS = '';

const OPEN = statement(
  'bank_changes.open_cursor',
  'insert into bank_cursors (merchant_id) values ($1) on conflict do nothing',
);

const COLUMNS = `c.merchant_id, c.fence,
  coalesce(c.bank_code, (select b.bank_code from banks b where b.prefix = '')) || ':' || c.cursor as cursor`;

const FIND = statement(
  'bank_changes.find_cursor',
  `select ${COLUMNS} from bank_cursors c where c.merchant_id = $1`,
);

export async function openBankCursor(database: Database, merchantId: string | null): Promise<BankCursor> {
  const key = [merchantId ?? ALL_MERCHANTS];
  const [found] = await database.query(FIND, key);
  if (found !== undefined) return parseCursor(found);
  await database.query(OPEN, key);
  const [made] = await database.query(FIND, key);
  if (made === undefined) throw new Error("the cursor of the bank's changes is gone");
  return parseCursor(made);
}

const OPEN_OF_ISSUERS = statement(
  'bank_changes.open_cursors_of_issuers',
  `insert into bank_cursors (merchant_id)
   select m.merchant_id from merchants m left join bank_cursors c on c.merchant_id = m.merchant_id
   where c.merchant_id is null and exists (select from boletos b where b.merchant_id = m.merchant_id)
   order by m.merchant_id
   on conflict do nothing`,
);

/** Makes the cursors of merchants that have issued a boleto since. */
export async function openCursorsOfIssuers(database: Database): Promise<void> {
  await database.query(OPEN_OF_ISSUERS, []);
}

const CLAIM = statement(
  'bank_changes.claim_cursors',
  `with due as (
     select merchant_id from bank_cursors where due_at <= now()
     order by due_at limit $1 for no key update skip locked
   )
   update bank_cursors c set due_at = now() + $2 * interval '1 millisecond'
   from due where c.merchant_id = due.merchant_id
   returning ${COLUMNS}`,
);

/** Claims due cursors of all merchants, and postpones them for as long as a request may take. */
export async function claimBankCursors(
  database: Database,
  limit: number,
  leaseMilliseconds: number,
): Promise<BankCursor[]> {
  return (await database.query(CLAIM, [limit, leaseMilliseconds])).map(parseCursor);
}

const CHANGES = inputRows<BankChange>(
  {
    merchant_id: ['text', (change) => change.merchantId],
    change_id: ['text', (change) => change.changeId],
    our_number: ['text', (change) => change.ourNumber],
    event: ['text', (change) => change.event],
    amount: ['bigint', (change) => change.amount],
    paid_on: ['date', (change) => change.paidOn],
    credited_on: ['date', (change) => change.creditedOn],
    fee: ['bigint', (change) => change.fee],
    happened_at: ['timestamptz', (change) => utcText(change.happenedAt)],
  },
  { after: 8, place: 'place' },
);

export type UnreadableBankChange = { readonly reason: string; readonly item: string };

const UNREADABLE = inputRows<UnreadableBankChange>(
  {
    item_hash: ['bytea', ({ item }) => createHash('sha256').update(item).digest()],
    item: ['text', ({ item }) => item],
    reason: ['text', ({ reason }) => reason],
  },
  { as: 'u', after: CHANGES },
);

const KEEP = statement(
  'bank_changes.keep',
  `with met as (
     insert into banks (bank_code, prefix)
     select left($2, 3), case when exists (select from banks) then left($2, 4) else '' end
     where not exists (select from banks where bank_code = left($2, 3))
     on conflict do nothing
     returning prefix
   ), bank as (
     select prefix from met union all select prefix from banks where bank_code = left($2, 3)
   ), moved as (
     update bank_cursors set bank_code = left($2, 3), cursor = substr($2, 5), fence = fence + 1,
       quiet_pulls = case when $4 then 0 else least(quiet_pulls + 1, 1000) end,
       due_at = now() + case when $5 then interval '0'
         else least(power(2, case when $4 then 0 else least(quiet_pulls, 10) end), $7) * $6 * interval '1 second' end
     where merchant_id = $1 and fence = $3 and exists (select from bank)
     returning merchant_id
   ), kept as (
     insert into bank_changes
       (merchant_id, change_id, our_number, event, amount, paid_on, credited_on, fee, happened_at)
     select i.merchant_id, b.prefix || i.change_id, i.our_number, i.event, i.amount, i.paid_on, i.credited_on, i.fee, i.happened_at
     from moved, bank b, ${CHANGES.sql}
     order by i.place
     on conflict do nothing
   ), refused as (
     insert into unreadable_bank_changes (merchant_id, item_hash, item, reason)
     select m.merchant_id, u.item_hash, u.item, u.reason
     from moved m, ${UNREADABLE.sql}
     where (select count(*) from (select from unreadable_bank_changes limit $8) k) < $8
     on conflict do nothing
   )
   select merchant_id from moved`,
);

/** Of unreadable items of all merchants: further ones are only counted and logged. */
const MOST_UNREADABLE = 10_000;

export type BankPace = {
  /** Between an answer and the next request. */
  readonly pauseSeconds: number;
  /** The factor of the pause after many empty answers. */
  readonly longestQuietFactor: number;
};

/**
 * Keeps a page, with its unreadable items, and moves the cursor, in one statement. A change that is
 * there already was brought before. False: the cursor was moved meanwhile, or another process just
 * met this bank, and nothing was written.
 */
export async function keepBankPage(
  database: Database,
  { merchantId, fence }: BankCursor,
  { changes, unreadable, cursor, hasMore }: Extract<BankChangesAnswer, { kind: 'changes' }>,
  { pauseSeconds, longestQuietFactor }: BankPace,
): Promise<boolean> {
  const moved = await database.query(KEEP, [
    merchantId ?? ALL_MERCHANTS,
    cursor,
    fence,
    changes.length > 0,
    hasMore,
    pauseSeconds,
    longestQuietFactor,
    MOST_UNREADABLE,
    ...CHANGES.values(changes),
    ...UNREADABLE.values(unreadable),
  ]);
  return moved.length === 1;
}

const POSTPONE = statement(
  'bank_changes.postpone_pull',
  `update bank_cursors set due_at = now() + $3 * interval '1 second' where merchant_id = $1 and fence = $2`,
);

/** No clear answer came: asked again after a while. */
export async function postponeBankPull(
  database: Database,
  { merchantId, fence }: BankCursor,
  seconds: number,
): Promise<void> {
  await database.query(POSTPONE, [merchantId ?? ALL_MERCHANTS, fence, seconds]);
}

const EARLIEST = statement(
  'bank_changes.earliest_pull',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds from bank_cursors`,
);

/** Null when there is no cursor. */
export async function millisecondsUntilDueBankPull(database: Database): Promise<number | null> {
  const [row] = await database.query(EARLIEST, []);
  const milliseconds = row?.milliseconds as number | null;
  return milliseconds === null ? null : Math.max(0, milliseconds);
}

function parseCursor(row: Row): BankCursor {
  const merchantId = row.merchant_id as string;
  return {
    merchantId: merchantId === ALL_MERCHANTS ? null : merchantId,
    cursor: row.cursor as string | null,
    fence: row.fence as number,
  };
}
