import type { Row } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { DELIVERY_KINDS, type DeliveryToSend, type SealedText } from './delivery.ts';

/** `lease_expires_at` is null and `fence` 0, except for a delivery that this process sends at once. */
export const ENQUEUE_DELIVERIES = `insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number,
       transaction_id, installment_number, nsu, url, body, due_at, scheduled_at, lease_expires_at, fence)`;

/**
 * The endpoint and secrets of a delivery `d`. Without `limit 1` a join of many deliveries could read the
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
 * Whether a delivery `e`, found by transaction and installment, still waits. These are the words of the index
 * for that: with others the planner uses the index by due time. Write `delivery_number + 0` in comparisons: a
 * plan made on a small table would otherwise walk the primary key.
 */
export const WAITS_IN_ORDER = 'e.due_at is not null';

export const SENDING = rowCodec(
  {
    transactionOf: column.nullable(column.text('d.transaction_id')),
    merchantId: column.text(),
    deliveryNumber: column.whole(),
    kind: column.oneOf(DELIVERY_KINDS),
    endpoint: column.text(),
    accountNumber: column.text(),
    body: column.text(),
    tries: column.whole(),
    triesBefore: column.whole(),
    fence: column.whole(),
    createdAt: column.instant(),
    url: column.text('coalesce(d.url, e.url)'),
    registration: column.whole('e.registration'),
    sealedBasicAuth: column.nullable(column.bytes('e.sealed_basic_auth')),
    basicAuthKeyId: column.nullable(column.whole('e.basic_auth_key_id')),
    isFailing: column.boolean('(e.failing_since is not null or e.opened_until is not null)'),
    sealedSecret: column.nullable(column.bytes('s.sealed_secret')),
    dataKeyId: column.nullable(column.whole('s.data_key_id')),
    previousSealedSecret: column.nullable(
      column.bytes('case when s.previous_valid_until > now() then s.previous_sealed_secret end'),
    ),
    previousDataKeyId: column.nullable(column.whole('s.previous_data_key_id')),
  },
  'd',
);

export function parseDeliveryToSend(row: Row): DeliveryToSend {
  const { transactionOf, sealedBasicAuth, basicAuthKeyId, ...parsed } = SENDING.parse(row);
  const { sealedSecret, dataKeyId, previousSealedSecret, previousDataKeyId, ...delivery } = parsed;
  const secrets = [sealedText(sealedSecret, dataKeyId), sealedText(previousSealedSecret, previousDataKeyId)];
  return {
    ...delivery,
    aboutId: transactionOf,
    basicAuth: sealedText(sealedBasicAuth, basicAuthKeyId),
    secrets: secrets.filter((secret) => secret !== null),
  };
}

function sealedText(sealed: Buffer | null, dataKeyId: number | null): SealedText | null {
  return sealed === null || dataKeyId === null ? null : { bytes: sealed, dataKeyId };
}
