import {
  keyPart,
  RESEALED,
  type ResealedRow,
  type SealedTable,
} from '../../keys/resealing/sealed-rows.sql.ts';
import { type Row, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { basicAuthRecord, secretRecord } from '../endpoints/webhook-endpoint.ts';

const LOGIN_KEY = rowCodec({ merchantId: column.text(), endpoint: column.text() });
const LOGIN_ROWS = inputRows<ResealedRow>(
  { ...RESEALED, merchant_id: ['text', keyPart(0)], endpoint: ['text', keyPart(1)] },
  { after: 1 },
);

const LOGINS: SealedTable = {
  rows: LOGIN_ROWS,
  purpose: 'secret',
  firstKey: ['', ''],
  hold: statement(
    'webhooks.hold_sealed_logins',
    `select ${LOGIN_KEY.columns}, sealed_basic_auth as sealed, basic_auth_key_id as data_key_id from webhook_endpoints
     where basic_auth_key_id = any($1::integer[]) and (merchant_id, endpoint) > ($3::text, $4::text)
     order by merchant_id, endpoint limit $2 for no key update skip locked`,
  ),
  change: statement(
    'webhooks.reseal_logins',
    `update webhook_endpoints t set sealed_basic_auth = i.sealed, basic_auth_key_id = $1
     from ${LOGIN_ROWS.sql}
     where t.merchant_id = i.merchant_id and t.endpoint = i.endpoint and t.basic_auth_key_id = i.expected
     returning 1`,
  ),
  count: statement(
    'webhooks.count_sealed_logins',
    `select basic_auth_key_id as data_key_id, count(*) as sealed_rows from webhook_endpoints
     where basic_auth_key_id = any($1::integer[]) group by basic_auth_key_id`,
  ),
  recordOf(row) {
    const { merchantId, endpoint } = LOGIN_KEY.parse(row);
    return basicAuthRecord(merchantId, endpoint);
  },
  keyOf: (row) => [row.merchant_id, row.endpoint],
};

const SECRET_KEY = rowCodec({ merchantId: column.text(), accountNumber: column.text() });
const SECRET_ROWS = inputRows<ResealedRow>(
  { ...RESEALED, merchant_id: ['text', keyPart(0)], account_number: ['text', keyPart(1)] },
  { after: 1 },
);

/** Of the secret in use and of the former one alike: one becomes the other as it is sealed. */
const SECRETS_KEY = {
  rows: SECRET_ROWS,
  firstKey: ['', ''],
  recordOf(row: Row) {
    const { merchantId, accountNumber } = SECRET_KEY.parse(row);
    return secretRecord(merchantId, accountNumber);
  },
  keyOf: (row: Row) => [row.merchant_id, row.account_number],
};

const SECRETS: SealedTable = {
  ...SECRETS_KEY,
  purpose: 'secret',
  hold: statement(
    'webhooks.hold_sealed_secrets',
    `select ${SECRET_KEY.columns}, sealed_secret as sealed, data_key_id from webhook_secrets
     where data_key_id = any($1::integer[]) and (merchant_id, account_number) > ($3::text, $4::text)
     order by merchant_id, account_number limit $2 for no key update skip locked`,
  ),
  change: statement(
    'webhooks.reseal_secrets',
    `update webhook_secrets s set sealed_secret = i.sealed, data_key_id = $1
     from ${SECRET_ROWS.sql}
     where s.merchant_id = i.merchant_id and s.account_number = i.account_number and s.data_key_id = i.expected
     returning 1`,
  ),
  count: statement(
    'webhooks.count_sealed_secrets',
    `select data_key_id, count(*) as sealed_rows from webhook_secrets where data_key_id = any($1::integer[])
     group by data_key_id`,
  ),
};

const PREVIOUS_SECRETS: SealedTable = {
  ...SECRETS_KEY,
  purpose: 'secret',
  hold: statement(
    'webhooks.hold_sealed_previous_secrets',
    `select ${SECRET_KEY.columns}, previous_sealed_secret as sealed, previous_data_key_id as data_key_id
     from webhook_secrets
     where previous_data_key_id = any($1::integer[]) and (merchant_id, account_number) > ($3::text, $4::text)
     order by merchant_id, account_number limit $2 for no key update skip locked`,
  ),
  change: statement(
    'webhooks.reseal_previous_secrets',
    `update webhook_secrets s set previous_sealed_secret = i.sealed, previous_data_key_id = $1
     from ${SECRET_ROWS.sql}
     where s.merchant_id = i.merchant_id and s.account_number = i.account_number and s.previous_data_key_id = i.expected
     returning 1`,
  ),
  count: statement(
    'webhooks.count_sealed_previous_secrets',
    `select previous_data_key_id as data_key_id, count(*) as sealed_rows from webhook_secrets
     where previous_data_key_id = any($1::integer[]) group by previous_data_key_id`,
  ),
};

/** All sealed texts of webhooks. */
export const SEALED_SECRETS: readonly SealedTable[] = [LOGINS, SECRETS, PREVIOUS_SECRETS];
