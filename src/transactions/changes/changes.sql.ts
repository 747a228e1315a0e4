import { WaitingChanges } from '../../platform/feeds/waiting-changes.sql.ts';
import { type Row, statement } from '../../platform/postgres/database.ts';
import type { Instant } from '../../values/instant.ts';
import type { WaitingChange } from './change.ts';

const COLUMNS =
  'c.merchant_id, c.change_id, c.change_number, c.reference, c.installment_number, c.happened_at, c.tries';

const CLAIM = statement(
  'changes.claim_waiting',
  `with due as (
     select merchant_id, change_id from acquirer_changes where state = 'waiting' and due_at <= now()
     order by due_at limit $1 for no key update skip locked
   )
   update acquirer_changes c set tries = least(c.tries + 1, 32000), due_at = now() + $2 * interval '1 millisecond'
   from due where c.merchant_id = due.merchant_id and c.change_id = due.change_id
   returning ${COLUMNS}`,
);

const LIST = statement(
  'changes.list_waiting',
  `select ${COLUMNS} from acquirer_changes c
   where c.merchant_id = $1 and c.state = 'waiting' and c.change_number > $2
   order by c.change_number limit $3`,
);

const EARLIEST = statement(
  'changes.earliest_due',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds
   from acquirer_changes where state = 'waiting'`,
);

function parseChange(row: Row): WaitingChange {
  return {
    merchantId: row.merchant_id as string,
    changeId: row.change_id as string,
    changeNumber: row.change_number as number,
    reference: row.reference as string,
    installmentNumber: row.installment_number as number,
    happenedAt: row.happened_at as Instant,
    tries: row.tries as number,
  };
}

export const WAITING_CHANGES = new WaitingChanges<WaitingChange>(
  { claim: CLAIM, list: LIST, earliest: EARLIEST },
  parseChange,
);
