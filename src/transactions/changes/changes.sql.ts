import { WaitingChanges } from '../../platform/feeds/waiting-changes.sql.ts';
import { statement } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
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

const CLAIM = statement(
  'changes.claim_waiting',
  `with due as (
     select merchant_id, change_id from acquirer_changes where state = 'waiting' and due_at <= now()
     order by due_at limit $1 for no key update skip locked
   )
   update acquirer_changes c set tries = least(c.tries + 1, 32000), due_at = now() + $2 * interval '1 millisecond'
   from due where c.merchant_id = due.merchant_id and c.change_id = due.change_id
   returning ${CHANGE.columns}`,
);

const LIST = statement(
  'changes.list_waiting',
  `select ${CHANGE.columns} from acquirer_changes c
   where c.merchant_id = $1 and c.state = 'waiting' and c.change_number > $2
   order by c.change_number limit $3`,
);

const EARLIEST = statement(
  'changes.earliest_due',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds
   from acquirer_changes where state = 'waiting'`,
);

export const WAITING_CHANGES = new WaitingChanges(
  { claim: CLAIM, list: LIST, earliest: EARLIEST },
  CHANGE.parse,
);
