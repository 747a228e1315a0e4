import { type Database, statement } from '../../platform/postgres/database.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import type { Instant } from '../../values/instant.ts';
import type { DeliveryToSend } from '../deliveries/delivery.ts';
import { parseDeliveryToSend, SENDING, SENDING_JOINS } from '../deliveries/to-send.sql.ts';
import { ENDPOINT_MOVES } from '../endpoints/webhook-endpoint.ts';
import type { TestOutcome } from './recorded-delivery.ts';

const PREPARE = statement(
  'history.prepare_test',
  `select ${SENDING.columns} from (
     select $1::text as merchant_id, nextval('movement_ids') as delivery_number, 'test' as kind, null::uuid as transaction_id,
       $2::text as endpoint, $3::text as account_number, null::text as url, '' as body, 0::smallint as tries, 0::smallint as tries_before,
       0 as fence, now() as created_at
   ) d ${SENDING_JOINS}
   where e.state <> 'removed'`,
);

/**
 * What a test of the account's registration is sent with, under a number of its own; its body is
 * still to be written. Null:
 * the account is registered nowhere, or is none of the merchant's. Nothing is written before the
 * outcome is known: a test that
 * dies with its process is not sent by another.
 */
export async function prepareTest(
  database: Database,
  merchantId: string,
  accountNumber: string,
  endpoint: string,
): Promise<DeliveryToSend | null> {
  const [row] = await database.query(PREPARE, [merchantId, endpoint, accountNumber]);
  return row === undefined ? null : parseDeliveryToSend(row);
}

const RECORD = statement(
  'history.record_test',
  `with written as (
     insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, body, state, tries, scheduled_at,
       created_at, ended_at)
     values ($1, $2, 'test', $3, $4, $5, case when $6::boolean then 'delivered' else 'givenUp' end, 1, $7, $8, now())
     returning merchant_id, delivery_number
   ), tried as (
     insert into delivery_tries (merchant_id, delivery_number, try_number, tried_at, milliseconds, status, failure, answer)
     select merchant_id, delivery_number, 1, $8, $9, $10, $11, $12 from written
     returning try_number
   ), released as (
     update webhook_endpoints set state = 'active', opened_until = null, openings = 0, failing_since = null, returned_at = $7,
       changed_at = now()
     where merchant_id = $1 and endpoint = $3 and registration = $13
       and state in (${fromStates(ENDPOINT_MOVES, 'enable')}) and $6::boolean
     returning endpoint
   )
   select (select count(*) from tried) as tries, (select count(*) from released) as released`,
);

/**
 * Records a test with its one try. A success releases the registration that was tested, unless it
 * was replaced meanwhile:
 * what waited for it is due at `now` (business time). Gives whether it was released.
 */
export async function recordTest(
  database: Database,
  test: DeliveryToSend,
  { delivered, status, failure, milliseconds, answer }: TestOutcome,
  now: Instant,
): Promise<boolean> {
  const [row] = await database.query(RECORD, [
    test.merchantId,
    test.deliveryNumber,
    test.endpoint,
    test.accountNumber,
    test.body,
    delivered,
    new Date(now).toISOString(),
    new Date(test.createdAt).toISOString(),
    Math.max(0, Math.round(milliseconds)),
    status,
    failure,
    answer,
    test.registration,
  ]);
  return row?.released === 1;
}
