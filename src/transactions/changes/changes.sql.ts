import { feedCursors, MOVED_ON, UNREADABLE, waitingChanges } from '../../platform/feeds/feed-cursors.sql.ts';
import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import { inputRows, own } from '../../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import {
  type AcquirerChange,
  type AcquirerPage,
  CHANGE_EVENTS,
  type ChangeEvent,
  type DecidedCancel,
} from '../../providers/acquirers/acquirer.ts';
import { type Day, type Instant, utcText } from '../../values/instant.ts';
import { ASK_FOR_DECIDED_CANCELS } from '../cancels/cancels.sql.ts';
import type { WaitingChange } from './change.ts';

const CHANGE = rowCodec<WaitingChange>(
  {
    merchantId: column.text(),
    changeId: column.text(),
    changeNumber: column.whole(),
    reference: column.text(),
    installmentNumber: column.whole(),
    happenedAt: column.instant(),
    tries: column.whole(),
  },
  'c',
);

export const WAITING_CHANGES = waitingChanges(
  {
    name: 'changes',
    table: 'acquirer_changes',
    alias: 'c',
    key: 'merchant_id, change_id',
    number: 'change_number',
    columns: CHANGE.columns,
  },
  CHANGE.parse,
);

export type FiledChange = {
  readonly merchantId: string;
  /** Identifies the file and its line. */
  readonly changeId: string;
  readonly reference: string;
  readonly installmentNumber: number;
  readonly event: Extract<ChangeEvent, 'settle' | 'chargeback'>;
  readonly happenedAt: Instant;
  /** Cents that a chargeback took back; null for a payout. */
  readonly amount: number | null;
  readonly fee: number | null;
  readonly net: number | null;
  readonly bankOn: Day | null;
};

const FILED_CHANGES = inputRows<FiledChange>(
  {
    ...own({ merchantId: 'text', changeId: 'text', reference: 'text', installmentNumber: 'smallint' }),
    event: ['text', (change) => change.event],
    happened_at: ['timestamptz', (change) => utcText(change.happenedAt)],
    ...own({ amount: 'bigint', fee: 'bigint', net: 'bigint', bankOn: 'date' }),
  },
  { place: 'place' },
);

const KEEP_FILED = statement(
  'changes.keep_filed',
  `insert into acquirer_changes (${FILED_CHANGES.names}, source)
   select ${FILED_CHANGES.selected}, 'file'
   from ${FILED_CHANGES.sql}
   where i.event <> 'chargeback' or not exists (
     select from acquirer_changes e
     where e.merchant_id = i.merchant_id and e.reference = i.reference and e.installment_number = i.installment_number
       and e.event = 'chargeback' and e.state <> 'refused' and e.source = 'feed'
       and coalesce(e.amount, i.amount) = i.amount
   )
   order by i.place
   on conflict do nothing
   returning change_id`,
);

/**
 * Keeps changes of a file beside those of the feed, in the caller's transaction. They are applied or refused
 * as any other. A change whose id exists was filed before. A chargeback that the feed has reported is left
 * out; one that the feed reports later is refused then (`takenAlready`).
 */
export async function keepFiledChanges(tx: Tx, changes: readonly FiledChange[]): Promise<void> {
  if (changes.length > 0) await tx.query(KEEP_FILED, FILED_CHANGES.values(changes));
}

const REFUSED = rowCodec({
  refusedAt: column.instant(),
  /** Null for an unreadable item of a cursor of all merchants. */
  merchantId: column.nullable(column.text()),
  reason: column.text(),
  /** Null if the item was readable. */
  item: column.nullable(column.text()),
});

const REFUSED_CHANGE = rowCodec({
  changeId: column.text(),
  reference: column.text(),
  installmentNumber: column.whole(),
  event: column.oneOf(CHANGE_EVENTS),
  amount: column.nullable(column.money()),
  happenedAt: column.instant(),
});

export type RefusedChange = RowOf<typeof REFUSED> & {
  /** Null if the item was unreadable. */
  readonly change: RowOf<typeof REFUSED_CHANGE> | null;
};

const LIST_REFUSED = statement(
  'changes.list_refused',
  `select * from (
     (select c.ended_at as refused_at, c.merchant_id, c.reason, null::text as item, ${REFUSED_CHANGE.columnsOf('c')}
      from acquirer_changes c where c.state = 'refused' order by c.ended_at desc limit $1)
     union all
     (select u.created_at, nullif(u.merchant_id, ''), u.reason, u.item, null, null, null, null, null, null
      from unreadable_changes u order by u.created_at desc limit $1)
   ) r order by r.refused_at desc limit $1`,
);

export async function listRefusedChanges(database: Database, limit: number): Promise<RefusedChange[]> {
  const rows = await database.query(LIST_REFUSED, [limit]);
  return rows.map((row) => ({
    ...REFUSED.parse(row),
    change: row.change_id === null ? null : REFUSED_CHANGE.parse(row),
  }));
}

const CHANGES = inputRows<AcquirerChange>(
  {
    ...own({ merchantId: 'text', changeId: 'text', reference: 'text', installmentNumber: 'smallint' }),
    event: ['text', (change) => change.event],
    happened_at: ['timestamptz', (change) => utcText(change.happenedAt)],
    ...own({ amount: 'bigint', fee: 'bigint', net: 'bigint', bankOn: 'date' }),
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
     where c.merchant_id = $1 and c.acquirer = $9 and c.fence = $3
     returning c.merchant_id
   ), kept as (
     insert into acquirer_changes (${CHANGES.names}, source, acquirer)
     select ${CHANGES.selected}, 'feed', $9
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

/** How far the changes of each acquirer were read. Only a merchant that has sold something needs a cursor. */
export const CHANGE_CURSORS = feedCursors<AcquirerPage>(
  {
    name: 'changes',
    table: 'acquirer_cursors',
    column: 'acquirer',
    cursor: 'c.cursor',
    since: 'exists (select from movements v where v.merchant_id = m.merchant_id)',
  },
  KEEP,
  ({ changes, decidedCancels }) => [...CHANGES.values(changes), ...DECIDED.values(decidedCancels)],
);
