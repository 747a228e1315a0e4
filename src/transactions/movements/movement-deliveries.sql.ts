import { ENQUEUE_DELIVERIES } from '../../webhooks/deliveries/to-send.sql.ts';

/*
 * A statement that changes money enqueues its deliveries in its own commit. These parts of statements
 * are constant texts, so that all of them notify alike. They read named parts of the statement:
 *
 * `moves`: the movements that it writes, with all their columns (`returning *`).
 * `news`: a row for each transaction that it changes: merchant_id, transaction_id, account_number,
 *   callback_url, amount, installment_count, nsu, authorization_code, moment, moment_text (as merchants
 *   read it, by the program's time zone rules), callback_status (null: no callback) and lease
 *   (milliseconds; 0: the delivery work sends it).
 *
 * Endpoints are read one by one by their key (`limit 1` keeps the planner to it) and never locked:
 * every payment of a merchant would wait there. Nothing is written where no endpoint is registered.
 */

/** The columns of a delivery `d` that `SENDING_JOINS` needs to send it directly. */
const WRITTEN = `merchant_id, delivery_number, kind, endpoint, account_number, transaction_id, url, body, tries, tries_before,
       fence, created_at`;

const WORDS_OF_BOLETO = `when 'issued' then 'Emitido' when 'overdue' then 'Vencido'
           when 'paid' then 'Pago' when 'canceled' then 'Cancelado' when 'expired' then 'Expirado'
           when 'unexpectedPayment' then 'Pagamento inesperado' when 'dueDayChanged' then 'Vencimento alterado'
           when 'dueDayKept' then 'Vencimento mantido' else '' end`;
const WORDS_OF_PIX = `when 'waiting' then 'Aguardando' when 'paid' then 'Paga' when 'returned' then 'Devolvida'
           when 'canceled' then 'Cancelada' when 'expired' then 'Expirada'
           when 'unexpectedPayment' then 'Pagamento inesperado' when 'takenBack' then 'Devolvida pelo banco' else '' end`;
const OLD_VALUE = `case when m.type = 'Boleto' then case m.old_state ${WORDS_OF_BOLETO}
         when m.type = 'Pix' then case m.old_state ${WORDS_OF_PIX} else case m.old_state when 'authorized' then 'Autorizada' when 'blocked' then 'Bloqueada'
         when 'canceled' then 'Cancelada' when 'paid' then 'Paga' else '' end end`;
const NEW_VALUE = `case when m.type = 'Boleto' then case m.new_state ${WORDS_OF_BOLETO}
         when m.type = 'Pix' then case m.new_state ${WORDS_OF_PIX} else case m.new_state when 'authorized' then 'Autorizada' when 'paid' then 'Paga' when 'blocked' then 'Bloqueada'
           when 'canceled' then 'Cancelada' end end`;

/** The eight fields of a notification, in the documented order. `m` is a movement, `n` its news. */
export const MOVEMENT_BODY = `'{"movementId":' || m.movement_id || ',"nsu":' || to_json(m.nsu)::text
         || ',"codAuth":' || to_json(m.authorization_code)::text || ',"installmentNumber":' || m.installment_number
         || ',"moment":' || to_json(n.moment_text)::text || ',"type":' || to_json(m.type)::text
         || ',"oldValue":"' || ${OLD_VALUE} || '","newValue":"' || ${NEW_VALUE} || '"}'`;

/**
 * `Value`: reais with two decimals, as a number. Other fields are named as by gateways of this family; the
 * last two are ours alone.
 */
const CALLBACK_BODY = `'{"Value":' || (n.amount / 100.0)::numeric(12, 2) || ',"Origin":"GATEWAY_2D","Date":'
         || to_json(n.moment_text)::text || ',"Installments":' || n.installment_count
         || ',"TransactionType":"CREDIT","ResultId":"' || n.transaction_id || '","AuthorizationCode":'
         || coalesce(to_json(n.authorization_code)::text, 'null') || ',"Status":' || to_json(n.callback_status)::text
         || ',"paymentId":"' || n.transaction_id || '","referenceTransaction":' || coalesce((
           select to_json(r.reference_transaction)::text from transactions r
           where r.merchant_id = n.merchant_id and r.transaction_id = n.transaction_id limit 1), 'null') || '}'`;

/** Must equal `callbackEndpoint` of the address. */
export const CALLBACK_ENDPOINT = `'origin:' || substring(n.callback_url from '^https?://[^/?#]+')`;

/**
 * A delivery is sent at once only to an active endpoint: the delivery work alone knows circuit breakers and
 * held endpoints.
 */
const IS_LEASED = `n.lease > 0 and e.state = 'active' and e.opened_until is null`;
const LEASED = `case when ${IS_LEASED} then now() + n.lease * interval '1 millisecond' end,
       case when ${IS_LEASED} then 1 else 0 end`;

/**
 * `enqueued_movements`: a delivery for each movement of a registered account, under the movement's number.
 * Every movement has its news; `full join` only keeps the planner from comparing hundreds of rows with each
 * other. News without a movement finds no endpoint.
 */
export const ENQUEUE_MOVEMENT_DELIVERIES = `enqueued_movements as (
     ${ENQUEUE_DELIVERIES}
     select m.merchant_id, m.movement_id, 'movement', e.endpoint, m.account_number, m.transaction_id, m.installment_number,
       m.nsu, null, ${MOVEMENT_BODY}, m.moment, m.moment, ${LEASED}
     from moves m full join news n on n.merchant_id = m.merchant_id and n.transaction_id = m.transaction_id, lateral (
       select endpoint, state, opened_until from webhook_endpoints
       where merchant_id = m.merchant_id and endpoint = 'account:' || m.account_number and state <> 'removed' limit 1
     ) e
     returning ${WRITTEN}
   )`;

/** `enqueued_callbacks`: one delivery for each payment with a callback address. Reads only `news`. */
export const ENQUEUE_CALLBACK_DELIVERIES = `enqueued_callbacks as (
     ${ENQUEUE_DELIVERIES}
     select n.merchant_id, nextval('movement_ids'), 'callback', n.endpoint, n.account_number, n.transaction_id, 0, n.nsu,
       n.callback_url, ${CALLBACK_BODY}, n.moment, n.moment, ${LEASED}
     from (
       select n.*, ${CALLBACK_ENDPOINT} as endpoint from news n
       where n.callback_url is not null and n.callback_status is not null
     ) n left join lateral (
       select state, opened_until from webhook_endpoints
       where merchant_id = n.merchant_id and endpoint = n.endpoint limit 1
     ) e on true
     returning ${WRITTEN}
   )`;

/** For transaction `t` neither `enqueued_movements` nor `enqueued_callbacks` would write a delivery. */
export const NOBODY_IS_NOTIFIED = `t.callback_url is null and (
       select true from webhook_endpoints
       where merchant_id = t.merchant_id and endpoint = 'account:' || t.account_number and state <> 'removed' limit 1
     ) is null`;

/** States of installments, the most urgent first, as in `paymentStatus`. */
const BY_ATTENTION = `array['blocked', 'authorized', 'paid', 'canceled']`;
const WAS = `min(array_position(${BY_ATTENTION}, i.state))`;
const IS = `min(array_position(${BY_ATTENTION}, coalesce(m.new_state, i.state)))`;

/**
 * `news` of transactions `changed` (merchant_id, transaction_id, moment, moment_text) whose installments
 * `moves` change. Enqueues a callback if the status of the whole payment changes. The statement sees the
 * installments as they were before it, so an earlier statement of its transaction must lock them.
 */
export const NEWS_OF_CHANGE = `news as (
     select t.merchant_id, t.transaction_id, t.account_number, t.callback_url, t.amount, t.installment_count, t.nsu,
       t.authorization_code, c.moment, c.moment_text, 0 as lease, s.callback_status
     from changed c join transactions t on t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id, lateral (
       select case when ${WAS} <> ${IS} then (array['BLOQUEADA', 'AUTORIZADA', 'PAGA', 'CANCELADA'])[${IS}] end
         as callback_status
       from installments i left join moves m on m.merchant_id = i.merchant_id and m.transaction_id = i.transaction_id
         and m.installment_number = i.installment_number
       where i.merchant_id = t.merchant_id and i.transaction_id = t.transaction_id
     ) s
   )`;

/** Whether a delivery was written that this process does not send at once. */
export const IS_WAITING = `(exists (select from enqueued_movements where fence = 0)
     or exists (select from enqueued_callbacks where fence = 0)) as is_waiting`;
