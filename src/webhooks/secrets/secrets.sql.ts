import { type Audit, type AuditDetail, type MerchantActor, merchantEvent } from '../../audit/audit-event.ts';
import { KeyRetired, keepInUse } from '../../keys/data-keys.sql.ts';
import type { Sealed } from '../../keys/open-keyring.ts';
import { type SealedTable, sealedTable } from '../../keys/resealing/sealed-rows.sql.ts';
import { type BatchedWriteOptions, oneByOne } from '../../platform/postgres/batched-writes.ts';
import { type Database, type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { type Instant, utcText } from '../../values/instant.ts';
import type { SealedText } from '../deliveries/delivery.ts';
import { basicAuthRecord, secretRecord, webhookThing } from '../endpoints/webhook-endpoint.ts';

const CREATED = rowCodec({ previousValidUntil: column.nullable(column.instant()) });

/**
 * The replaced secret signs for another 24 hours, and the one before it no more. Repeated, it returns no row.
 */
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
const LIMITS = { statementsInFlight: 2, waitingCallers: 200 };

export function secretsWrite(
  database: Database,
  audit: Audit,
): BatchedWriteOptions<NewSecret, CreateSecretResult> {
  return oneByOne({
    name: 'webhookSecrets',
    isRefusal: () => false,
    key: ({ merchantId, accountNumber }) => `${merchantId}|${accountNumber}`,
    merchant: ({ merchantId }) => merchantId,
    limits: LIMITS,
    write: (row) => writeSecret(database, audit, row),
  });
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
    // No row: an earlier attempt wrote the secret, and its connection was lost.
    const [found] = created === null ? await database.query(FIND_PREVIOUS, [merchantId, accountNumber]) : [];
    return { ...(created ?? CREATED.parse(found as Row)), isKeyRetired: false };
  } catch (error) {
    if (error instanceof KeyRetired) return { isKeyRetired: true };
    throw error;
  }
}

const SEALED = rowCodec({ dataKeyId: column.whole('o.data_key_id'), bytes: column.bytes('o.sealed') });

const LIST = statement(
  'webhooks.list_secrets',
  `select ${SEALED.columns}
   from webhook_secrets s cross join lateral (values
     (1, s.data_key_id, s.sealed_secret),
     (2, case when s.previous_valid_until > now() then s.previous_data_key_id end, s.previous_sealed_secret)
   ) o (place, data_key_id, sealed)
   where s.merchant_id = $1 and s.account_number = $2 and o.data_key_id is not null order by o.place`,
);

export async function listSecrets(
  database: Reader,
  merchantId: string,
  accountNumber: string,
): Promise<SealedText[]> {
  return (await database.query(LIST, [merchantId, accountNumber])).map(SEALED.parse);
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

export async function forgetPreviousSecrets(database: Database, limit: number): Promise<number> {
  return (await database.query(FORGET, [limit])).length;
}

const LOGINS = sealedTable({
  name: 'webhook_logins',
  table: 'webhook_endpoints',
  sealed: 'sealed_basic_auth',
  keyId: 'basic_auth_key_id',
  purpose: 'secret',
  key: { merchantId: 'text', endpoint: 'text' },
  record: ({ merchantId, endpoint }) => basicAuthRecord(merchantId, endpoint),
});

/**
 * Current and previous secrets are sealed to the same record: a current one becomes previous without being
 * opened.
 */
const SECRETS = sealedTable({
  name: 'webhook_secrets',
  table: 'webhook_secrets',
  sealed: 'sealed_secret',
  keyId: 'data_key_id',
  purpose: 'secret',
  key: { merchantId: 'text', accountNumber: 'text' },
  record: ({ merchantId, accountNumber }) => secretRecord(merchantId, accountNumber),
});

const PREVIOUS_SECRETS = sealedTable({
  name: 'previous_webhook_secrets',
  table: 'webhook_secrets',
  sealed: 'previous_sealed_secret',
  keyId: 'previous_data_key_id',
  purpose: 'secret',
  key: { merchantId: 'text', accountNumber: 'text' },
  record: ({ merchantId, accountNumber }) => secretRecord(merchantId, accountNumber),
});

export const SEALED_SECRETS: readonly SealedTable[] = [LOGINS, SECRETS, PREVIOUS_SECRETS];
