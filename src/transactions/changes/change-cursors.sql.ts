import type { AcquirerChange, AcquirerPage, DecidedCancel } from '../../acquirers/acquirer.ts';
import { FeedCursors, MOVED_ON, UNREADABLE } from '../../platform/feeds/feed-cursors.sql.ts';
import { statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { utcText } from '../../values/instant.ts';
import { ASK_FOR_DECIDED_CANCELS } from '../cancels/cancels.sql.ts';

const OPEN = statement(
  'changes.open_cursor',
  'insert into acquirer_cursors (merchant_id) values ($1) on conflict do nothing',
);

const FIND = statement(
  'changes.find_cursor',
  'select merchant_id, cursor, fence from acquirer_cursors where merchant_id = $1',
);

/** Of merchants that have sold something since. */
const SELLERS = `from merchants m left join acquirer_cursors c on c.merchant_id = m.merchant_id
     where c.merchant_id is null and exists (select from movements v where v.merchant_id = m.merchant_id)`;

const OPEN_OF_SELLERS = statement(
  'changes.open_cursors_of_sellers',
  `insert into acquirer_cursors (merchant_id)
   select m.merchant_id ${SELLERS} order by m.merchant_id
   on conflict do nothing`,
);

const CLAIM = statement(
  'changes.claim_cursors',
  `with due as (
     select merchant_id from acquirer_cursors where due_at <= now() and (merchant_id <> '') = $3
     order by due_at limit $1 for no key update skip locked
   )
   update acquirer_cursors c set due_at = now() + $2 * interval '1 millisecond'
   from due where c.merchant_id = due.merchant_id
   returning c.merchant_id, c.cursor, c.fence`,
);

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
  { after: UNREADABLE, place: 'place' },
);

const DECIDED = inputRows<DecidedCancel>(
  {
    merchant_id: ['text', (cancel) => cancel.merchantId],
    cancel_id: ['uuid', (cancel) => cancel.cancelId],
  },
  { as: 'd', after: CHANGES },
);

const KEEP = statement(
  'changes.keep',
  `with moved as (
     update acquirer_cursors c set cursor = $2, ${MOVED_ON}
     where c.merchant_id = $1 and c.fence = $3
     returning c.merchant_id
   ), kept as (
     insert into acquirer_changes (${CHANGES.names}, source)
     select ${CHANGES.selected}, 'feed'
     from moved, ${CHANGES.sql}
     order by i.place
     on conflict do nothing
   ), refused as (
     insert into unreadable_changes (merchant_id, ${UNREADABLE.names})
     select m.merchant_id, ${UNREADABLE.selected}
     from moved m, ${UNREADABLE.sql}
     where (select count(*) from (select from unreadable_changes limit $8) k) < $8
     on conflict do nothing
   ), decided as materialized (
     select ${DECIDED.selected} from ${DECIDED.sql}
   ), ${ASK_FOR_DECIDED_CANCELS}
   select merchant_id from moved`,
);

const POSTPONE = statement(
  'changes.postpone_pull',
  `update acquirer_cursors set due_at = now() + $3 * interval '1 second' where merchant_id = $1 and fence = $2`,
);

const EARLIEST = statement(
  'changes.earliest_pull',
  `select case when $2 and exists (select ${SELLERS}) then 0 else (
     select (extract(epoch from min(due_at) - now()) * 1000)::float8 from acquirer_cursors where (merchant_id <> '') = $1
   ) end as milliseconds`,
);

/** How far the acquirer's changes were read. */
export const CHANGE_CURSORS = new FeedCursors<AcquirerPage>(
  {
    find: FIND,
    open: OPEN,
    openOfNew: OPEN_OF_SELLERS,
    claim: CLAIM,
    keep: KEEP,
    postpone: POSTPONE,
    earliest: EARLIEST,
  },
  ({ changes, decidedCancels }) => [...CHANGES.values(changes), ...DECIDED.values(decidedCancels)],
);
