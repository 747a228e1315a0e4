import type { Row } from '../../platform/postgres/database.ts';
import type { DeliveryKind, DeliveryToSend, SealedText } from './delivery.ts';

/**
 * The columns that other modules' statements write in their own commits, in this order;
 * lease_expires_at and fence: null and 0, unless the process that writes it sends it at once.
 */
export const ENQUEUE_DELIVERIES = `insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number,
       transaction_id, installment_number, nsu, url, body, due_at, scheduled_at, lease_expires_at, fence)`;

/**
 * Joins what a delivery `d` needs to be sent: its endpoint `e`, and the secrets `s` of its account.
 * `limit 1` keeps the planner to their keys: it could plan a join of many deliveries by reading the
 * endpoints of all merchants.
 */
export const SENDING_JOINS = `
  join lateral (
    select * from webhook_endpoints where merchant_id = d.merchant_id and endpoint = d.endpoint limit 1
  ) e on true
  left join lateral (
    select * from webhook_secrets where merchant_id = d.merchant_id and account_number = d.account_number limit 1
  ) s on true`;

/**
 * Of a delivery `e` looked up by transaction and installment: that it still waits, in the words of
 * the index which has them in order. In others the planner takes the index by due time, and reads
 * all that waits for the endpoint. Its number is compared as `delivery_number + 0`: else, planned
 * while the table is small, the primary key is walked from there through all of the merchant's.
 */
export const WAITS_IN_ORDER = 'e.due_at is not null';

/** The columns that `parseDeliveryToSend` reads, over those joins. */
export const SENDING_COLUMNS = `d.transaction_id as transaction_of, d.merchant_id, d.delivery_number, d.kind, d.endpoint, d.account_number, d.body, d.tries, d.tries_before,
  d.fence, d.created_at, coalesce(d.url, e.url) as url, e.registration, e.sealed_basic_auth, e.basic_auth_key_id,
  (e.failing_since is not null or e.opened_until is not null) as is_failing, s.sealed_secret, s.data_key_id,
  case when s.previous_valid_until > now() then s.previous_sealed_secret end as previous_sealed_secret, s.previous_data_key_id`;

export function parseDeliveryToSend(row: Row): DeliveryToSend {
  const secrets = [
    sealedText(row.sealed_secret, row.data_key_id),
    sealedText(row.previous_sealed_secret, row.previous_data_key_id),
  ];
  return {
    merchantId: row.merchant_id as string,
    aboutId: row.transaction_of as string | null,
    deliveryNumber: row.delivery_number as number,
    kind: row.kind as DeliveryKind,
    endpoint: row.endpoint as string,
    registration: row.registration as number,
    accountNumber: row.account_number as string,
    url: row.url as string,
    body: row.body as string,
    basicAuth: sealedText(row.sealed_basic_auth, row.basic_auth_key_id),
    secrets: secrets.filter((secret) => secret !== null),
    tries: row.tries as number,
    triesBefore: row.tries_before as number,
    fence: row.fence as number,
    createdAt: row.created_at as number,
    isFailing: row.is_failing as boolean,
  };
}

function sealedText(bytes: unknown, dataKeyId: unknown): SealedText | null {
  return bytes === null ? null : { bytes: bytes as Buffer, dataKeyId: dataKeyId as number };
}
