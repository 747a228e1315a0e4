import { type Audit, type AuditDetail, type MerchantActor, merchantEvent } from '../../audit/audit-event.ts';
import { KeyRetired, keepInUse } from '../../keys/data-keys.sql.ts';
import type { Sealed } from '../../keys/open-keyring.ts';
import {
  keyPart,
  RESEALED,
  type ResealedRow,
  type SealedTable,
} from '../../keys/resealing/sealed-rows.sql.ts';
import type { BatchedWriteOptions } from '../../platform/postgres/batched-writes.ts';
import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { type Instant, utcText } from '../../values/instant.ts';
import { basicAuthRecord, secretRecord, webhookThing } from '../endpoints/webhook-endpoint.ts';

const CREATED = rowCodec({ previousValidUntil: column.nullable(column.instant()) });

/** The previous secret signs for another day, the one before it no longer. A repetition returns no row. */
const CREATE = statement(
  'webhooks.create_secret',
  `insert into webhook_secrets as s (merchant_id, account_number, sealed_secret, data_key_id, created_by)
   values ($1, $2, $3, $4, $5)
   on conflict (merchant_id, account_number) do update set previous_sealed_secret = s.sealed_secret,
     previous_data_key_id = s.data_key_id, previous_valid_until = now() + interval '24 hours',
     sealed_secret = excluded.sealed_secret, data_key_id = excluded.data_key_id, created_by = excluded.created_by,
     created_at = now()
   where s.sealed_secret <> excluded.sealed_secret
   returning ${CREATED.columnsOf('s')}`,
);

const FIND_PREVIOUS = statement(
  'webhooks.find_previous_secret',
  `select ${CREATED.columns} from webhook_secrets where merchant_id = $1 and account_number = $2`,
);

export type NewSecret = {
  readonly merchantId: string;
  readonly accountNumber: string;
  readonly sealed: Sealed;
  readonly registrant: MerchantActor;
};

/** `isKeyRetired`: the secret was sealed under a retired key, and nothing was written. */
export type CreateSecretResult =
  | { readonly previousValidUntil: Instant | null; readonly isKeyRetired: false }
  | { readonly isKeyRetired: true };

/** Commits wait for the end of the audit log's chain, so more at once would only hold connections. */
const LIMITS = { rowsPerBatch: 1, statementsInFlight: 2, waitingCallers: 200 };

export function secretsWrite(
  database: Database,
  audit: Audit,
): BatchedWriteOptions<NewSecret, CreateSecretResult> {
  const key = ({ merchantId, accountNumber }: NewSecret) => `${merchantId}|${accountNumber}`;
  return {
    name: 'webhookSecrets',
    isRefusal: () => false,
    key,
    merchant: ({ merchantId }) => merchantId,
    limits: LIMITS,
    async write([row]) {
      const secret = row as NewSecret;
      return new Map([[key(secret), await writeSecret(database, audit, secret)]]);
    },
  };
}

async function writeSecret(
  database: Database,
  audit: Audit,
  { merchantId, accountNumber, sealed, registrant }: NewSecret,
): Promise<CreateSecretResult> {
  const values = [merchantId, accountNumber, sealed.bytes, sealed.dataKeyId, registrant.userName];
  try {
    const created = await audit.transaction(
      async (tx) => {
        await keepInUse(tx, sealed.dataKeyId);
        const [row] = await tx.query(CREATE, values);
        if (row === undefined) return null;
        const { previousValidUntil: until } = CREATED.parse(row);
        const replaced: AuditDetail = until === null ? {} : { formerSignsUntil: utcText(until) };
        tx.record(merchantEvent('secret.create', registrant, webhookThing(accountNumber), replaced));
        return { previousValidUntil: until };
      },
      { merchantId },
    );
    // An earlier attempt wrote it, and its connection was lost.
    const [found] = created === null ? await database.query(FIND_PREVIOUS, [merchantId, accountNumber]) : [];
    return { ...(created ?? CREATED.parse(found as Row)), isKeyRetired: false };
  } catch (error) {
    if (error instanceof KeyRetired) return { isKeyRetired: true };
    throw error;
  }
}

const FORGET = statement(
  'webhooks.forget_previous_secrets',
  `with over as materialized (
     select s.merchant_id, s.account_number from webhook_secrets s where s.previous_valid_until < now()
     order by s.merchant_id, s.account_number limit $1 for no key update skip locked
   )
   update webhook_secrets s set previous_sealed_secret = null, previous_data_key_id = null, previous_valid_until = null
   from over o where s.merchant_id = o.merchant_id and s.account_number = o.account_number
   returning 1`,
);

/** Returns how many were deleted. */
export async function forgetPreviousSecrets(database: Database, limit: number): Promise<number> {
  return (await database.query(FORGET, [limit])).length;
}

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

/** Current and previous secrets share the key, because one becomes the other while sealed. */
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

export const SEALED_SECRETS: readonly SealedTable[] = [LOGINS, SECRETS, PREVIOUS_SECRETS];
