import { createHash } from 'node:crypto';
import type { AcquirerChange, DecidedCancel, UnreadableChange } from '../../acquirers/acquirer.ts';
import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { utcText } from '../../values/instant.ts';
import { ASK_FOR_DECIDED_CANCELS } from '../cancels/cancels.sql.ts';

/** How far the changes of a merchant were read; `merchantId` null: one cursor for all merchants. */
export type ChangeCursor = {
  readonly merchantId: string | null;
  /** The acquirer's cursor; null: from the beginning. */
  readonly cursor: string | null;
  readonly fence: number;
};

/** Stands for all merchants in the key of a row. */
const ALL_MERCHANTS = '';

const OPEN = statement(
  'changes.open_cursor',
  'insert into acquirer_cursors (merchant_id) values ($1) on conflict do nothing',
);

const FIND = statement(
  'changes.find_cursor',
  'select merchant_id, cursor, fence from acquirer_cursors where merchant_id = $1',
);

export async function openChangeCursor(database: Database, merchantId: string | null): Promise<ChangeCursor> {
  const key = [merchantId ?? ALL_MERCHANTS];
  const [found] = await database.query(FIND, key);
  if (found !== undefined) return parseCursor(found);
  await database.query(OPEN, key);
  const [made] = await database.query(FIND, key);
  if (made === undefined) throw new Error('the cursor of changes is gone');
  return parseCursor(made);
}

const OPEN_OF_SELLERS = statement(
  'changes.open_cursors_of_sellers',
  `insert into acquirer_cursors (merchant_id)
   select m.merchant_id from merchants m left join acquirer_cursors c on c.merchant_id = m.merchant_id
   where c.merchant_id is null and exists (select from movements v where v.merchant_id = m.merchant_id)
   order by m.merchant_id
   on conflict do nothing`,
);

/** Makes the cursors of merchants that have sold something since. */
export async function openCursorsOfSellers(database: Database): Promise<void> {
  await database.query(OPEN_OF_SELLERS, []);
}

const CLAIM = statement(
  'changes.claim_cursors',
  `with due as (
     select merchant_id from acquirer_cursors where due_at <= now()
     order by due_at limit $1 for no key update skip locked
   )
   update acquirer_cursors c set due_at = now() + $2 * interval '1 millisecond'
   from due where c.merchant_id = due.merchant_id
   returning c.merchant_id, c.cursor, c.fence`,
);

/** Claims due cursors of all merchants, and postpones them for as long as a request may take. */
export async function claimCursors(
  database: Database,
  limit: number,
  leaseMilliseconds: number,
): Promise<ChangeCursor[]> {
  return (await database.query(CLAIM, [limit, leaseMilliseconds])).map(parseCursor);
}

const CHANGES = inputRows<AcquirerChange>(
  {
    merchant_id: ['text', (change) => change.merchantId],
    change_id: ['text', (change) => change.changeId],
    reference: ['text', (change) => change.reference],
    installment_number: ['smallint', (change) => change.installmentNumber],
    event: ['text', (change) => change.event],
    happened_at: ['timestamptz', (change) => utcText(change.happenedAt)],
    amount: ['bigint', (change) => change.amount],
    fee: ['bigint', (change) => change.fee],
    net: ['bigint', (change) => change.net],
    bank_on: ['date', (change) => change.bankOn],
  },
  { after: 8, place: 'place' },
);

const UNREADABLE = inputRows<UnreadableChange>(
  {
    item_hash: ['bytea', ({ item }) => createHash('sha256').update(item).digest()],
    item: ['text', ({ item }) => item],
    reason: ['text', ({ reason }) => reason],
  },
  { as: 'u', after: CHANGES },
);

const DECIDED = inputRows<DecidedCancel>(
  {
    merchant_id: ['text', (cancel) => cancel.merchantId],
    cancel_id: ['uuid', (cancel) => cancel.cancelId],
  },
  { as: 'd', after: UNREADABLE },
);

const KEEP = statement(
  'changes.keep',
  `with moved as (
     update acquirer_cursors set cursor = $2, fence = fence + 1,
       quiet_pulls = case when $4 then 0 else least(quiet_pulls + 1, 1000) end,
       due_at = now() + case when $5 then interval '0'
         else least(power(2, case when $4 then 0 else least(quiet_pulls, 10) end), $7) * $6 * interval '1 second' end
     where merchant_id = $1 and fence = $3
     returning merchant_id
   ), kept as (
     insert into acquirer_changes
       (merchant_id, change_id, reference, installment_number, event, happened_at, amount, fee, net, bank_on, source)
     select i.merchant_id, i.change_id, i.reference, i.installment_number, i.event, i.happened_at, i.amount, i.fee,
       i.net, i.bank_on, 'feed'
     from moved, ${CHANGES.sql}
     order by i.place
     on conflict do nothing
   ), refused as (
     insert into unreadable_changes (merchant_id, item_hash, item, reason)
     select m.merchant_id, u.item_hash, u.item, u.reason
     from moved m, ${UNREADABLE.sql}
     where (select count(*) from (select from unreadable_changes limit $8) k) < $8
     on conflict do nothing
   ), decided as materialized (
     select d.merchant_id, d.cancel_id from ${DECIDED.sql}
   ), ${ASK_FOR_DECIDED_CANCELS}
   select merchant_id from moved`,
);

/** Of unreadable items of all merchants: further ones are only counted and logged. */
const MOST_UNREADABLE = 10_000;

export type KeptPage = {
  readonly changes: readonly AcquirerChange[];
  readonly unreadable: readonly UnreadableChange[];
  readonly decidedCancels: readonly DecidedCancel[];
  readonly cursor: string;
  readonly hasMore: boolean;
};

export type PullPace = {
  /** Between an answer and the next request. */
  readonly pauseSeconds: number;
  /** The factor of the pause after many empty answers. */
  readonly longestQuietFactor: number;
};

/**
 * Keeps a page, with its unreadable items, has cancels asked for whose end it reports, and moves the
 * cursor, in one statement. A change that is there already was brought before. False: the cursor was
 * moved meanwhile, and nothing was written.
 */
export async function keepPage(
  database: Database,
  { merchantId, fence }: ChangeCursor,
  { changes, unreadable, decidedCancels, cursor, hasMore }: KeptPage,
  { pauseSeconds, longestQuietFactor }: PullPace,
): Promise<boolean> {
  const moved = await database.query(KEEP, [
    merchantId ?? ALL_MERCHANTS,
    cursor,
    fence,
    changes.length > 0 || decidedCancels.length > 0,
    hasMore,
    pauseSeconds,
    longestQuietFactor,
    MOST_UNREADABLE,
    ...CHANGES.values(changes),
    ...UNREADABLE.values(unreadable),
    ...DECIDED.values(decidedCancels),
  ]);
  return moved.length === 1;
}

const POSTPONE = statement(
  'changes.postpone_pull',
  `update acquirer_cursors set due_at = now() + $3 * interval '1 second' where merchant_id = $1 and fence = $2`,
);

/** No clear answer came: asked again after a while. */
export async function postponePull(
  database: Database,
  { merchantId, fence }: ChangeCursor,
  seconds: number,
): Promise<void> {
  await database.query(POSTPONE, [merchantId ?? ALL_MERCHANTS, fence, seconds]);
}

const EARLIEST = statement(
  'changes.earliest_pull',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds from acquirer_cursors`,
);

/** Null when there is no cursor. */
export async function millisecondsUntilDuePull(database: Database): Promise<number | null> {
  const [row] = await database.query(EARLIEST, []);
  const milliseconds = row?.milliseconds as number | null;
  return milliseconds === null ? null : Math.max(0, milliseconds);
}

function parseCursor({ merchant_id, cursor, fence }: Row): ChangeCursor {
  return {
    merchantId: merchant_id === ALL_MERCHANTS ? null : (merchant_id as string),
    cursor: cursor as string | null,
    fence: fence as number,
  };
}
