import { ENQUEUE_DELIVERIES } from '../../webhooks/deliveries/to-send.sql.ts';
import { REMEMBER_ENDPOINTS } from '../../webhooks/endpoints/webhook-endpoints.sql.ts';
import { CALLBACK_ENDPOINT, MOVEMENT_BODY } from './movement-deliveries.sql.ts';

/*
 * How a statement that changes boletos or Pix writes their movements and enqueues the deliveries of these, in
 * its own commit. The delivery work sends them. The parts are constant texts, and read the part `news` of
 * their statement: a row for each bill that is shown otherwise than before, with merchant_id, boleto_id or
 * pix_id (the other is null), type, account_number, nsu, callback_url, old_state, new_state, moment,
 * moment_text, callback_body (null: no callback).
 */

const MOVES = `moves as (
     insert into movements (merchant_id, account_number, boleto_id, pix_id, installment_number, type, old_state, new_state, nsu,
       authorization_code, moment)
     select merchant_id, account_number, boleto_id, pix_id, 1, type, old_state, new_state, nsu, '', moment from news
     returning *
   )`;

const ENQUEUED_MOVEMENTS = `enqueued_movements as (
     ${ENQUEUE_DELIVERIES}
     select m.merchant_id, m.movement_id, 'movement', e.endpoint, m.account_number, coalesce(m.boleto_id, m.pix_id), m.installment_number,
       m.nsu, null, ${MOVEMENT_BODY}, m.moment, m.moment, null, 0
     from moves m join news n on n.merchant_id = m.merchant_id
       and coalesce(n.boleto_id, n.pix_id) = coalesce(m.boleto_id, m.pix_id), lateral (
       select endpoint from webhook_endpoints
       where merchant_id = m.merchant_id and endpoint = 'account:' || m.account_number and state <> 'removed' limit 1
     ) e
     returning delivery_number
   )`;

const ENQUEUED_CALLBACKS = `called_endpoints as (
     select n.merchant_id, ${CALLBACK_ENDPOINT} as endpoint from news n where n.callback_body is not null
   ), ${REMEMBER_ENDPOINTS}, enqueued_callbacks as (
     ${ENQUEUE_DELIVERIES}
     select n.merchant_id, nextval('movement_ids'), 'callback', ${CALLBACK_ENDPOINT}, n.account_number, coalesce(n.boleto_id, n.pix_id), 0,
       n.nsu, n.callback_url, n.callback_body, n.moment, n.moment, null, 0
     from news n where n.callback_body is not null
     returning delivery_number
   )`;

export const BILL_MOVEMENTS = `${MOVES}, ${ENQUEUED_MOVEMENTS}, ${ENQUEUED_CALLBACKS}`;

export const IS_WAITING = `(exists (select from enqueued_movements) or exists (select from enqueued_callbacks)) as is_waiting`;

/** For news of which no movement is written: enqueues a callback alone. */
export const BILL_CALLBACKS = `${ENQUEUED_CALLBACKS}`;

export const IS_CALLBACK_WAITING = 'exists (select from enqueued_callbacks) as is_waiting';
