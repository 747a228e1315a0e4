import type { BankChange } from '../../banks/bank.ts';
import type { FeedPage } from '../../platform/feeds/feed.ts';
import { FeedCursors, MOVED_ON, UNREADABLE } from '../../platform/feeds/feed-cursors.sql.ts';
import { statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { utcText } from '../../values/instant.ts';

const OPEN = statement(
  'bank_changes.open_cursor',
  'insert into bank_cursors (merchant_id) values ($1) on conflict do nothing',
);

const COLUMNS = `c.merchant_id, c.fence, c.bank_code || ':' || c.cursor as cursor`;

const FIND = statement(
  'bank_changes.find_cursor',
  `select ${COLUMNS} from bank_cursors c where c.merchant_id = $1`,
);

/** Of merchants that have issued a boleto since. */
const ISSUERS = `from merchants m left join bank_cursors c on c.merchant_id = m.merchant_id
     where c.merchant_id is null and exists (select from boletos b where b.merchant_id = m.merchant_id)`;

const OPEN_OF_ISSUERS = statement(
  'bank_changes.open_cursors_of_issuers',
  `insert into bank_cursors (merchant_id)
   select m.merchant_id ${ISSUERS} order by m.merchant_id
   on conflict do nothing`,
);

const CLAIM = statement(
  'bank_changes.claim_cursors',
  `with due as (
     select merchant_id from bank_cursors where due_at <= now() and (merchant_id <> '') = $3
     order by due_at limit $1 for no key update skip locked
   )
   update bank_cursors c set due_at = now() + $2 * interval '1 millisecond'
   from due where c.merchant_id = due.merchant_id
   returning ${COLUMNS}`,
);

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
  { after: UNREADABLE, place: 'place' },
);

/** A cursor begins with the code of its bank, and so do the ids of its changes: each bank numbers its own. */
const KEEP = statement(
  'bank_changes.keep',
  `with moved as (
     update bank_cursors c set bank_code = left($2, 3), cursor = substr($2, 5), ${MOVED_ON}
     where c.merchant_id = $1 and c.fence = $3
     returning c.merchant_id
   ), kept as (
     insert into bank_changes
       (merchant_id, change_id, our_number, event, amount, paid_on, credited_on, fee, happened_at, source)
     select i.merchant_id, left($2, 4) || i.change_id, i.our_number, i.event, i.amount, i.paid_on, i.credited_on, i.fee, i.happened_at, 'feed'
     from moved, ${CHANGES.sql}
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

const POSTPONE = statement(
  'bank_changes.postpone_pull',
  `update bank_cursors set due_at = now() + $3 * interval '1 second' where merchant_id = $1 and fence = $2`,
);

const EARLIEST = statement(
  'bank_changes.earliest_pull',
  `select case when $2 and exists (select ${ISSUERS}) then 0 else (
     select (extract(epoch from min(due_at) - now()) * 1000)::float8 from bank_cursors where (merchant_id <> '') = $1
   ) end as milliseconds`,
);

/** How far the bank's changes were read. */
export const BANK_CURSORS = new FeedCursors<FeedPage<BankChange>>(
  {
    find: FIND,
    open: OPEN,
    openOfNew: OPEN_OF_ISSUERS,
    claim: CLAIM,
    keep: KEEP,
    postpone: POSTPONE,
    earliest: EARLIEST,
  },
  ({ changes }) => CHANGES.values(changes),
);
