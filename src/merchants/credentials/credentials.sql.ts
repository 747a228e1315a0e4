import type { Audit, AuditEvent } from '../../audit/audit-event.ts';
import { SCOPES } from '../../platform/http/endpoint.ts';
import { type Database, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { findMerchant } from '../merchants.sql.ts';
import { type Credential, MOST_CREDENTIALS } from './credential.ts';

/** São Paulo's day, by the database's clock. */
const TODAY = `(now() at time zone 'America/Sao_Paulo')::date`;

/** Days since the last login, or since the last password if that is later. For `from credentials`. */
const UNUSED_DAYS = `${TODAY} - greatest(last_used_on, (password_changed_at at time zone 'America/Sao_Paulo')::date)`;

const IS_USE_NOTED = `coalesce(last_used_on >= ${TODAY}, false)`;

const NOTE = statement(
  'credentials.note_use',
  `update credentials set last_used_on = ${TODAY}
   where merchant_id = $1 and credential_id = $2 and not ${IS_USE_NOTED}`,
);

/** Notes the day of a login. Of concurrent logins only one writes. */
export async function noteUse(
  database: Database,
  { merchantId, credentialId }: Pick<Credential, 'merchantId' | 'credentialId'>,
): Promise<void> {
  await database.query(NOTE, [merchantId, credentialId]);
}

const UNUSED = rowCodec({ userName: column.text(), count: column.whole('count(*) over ()') });

/** Reads all in key order: credentials are made by hand, so they are few. */
const FIND_UNUSED = statement(
  'credentials.find_unused',
  `select ${UNUSED.columns} from (
     select user_name, disabled_at, ${UNUSED_DAYS} as unused_days from credentials
     order by merchant_id, credential_id limit $3
   ) c
   where disabled_at is null and unused_days >= $1
   order by unused_days desc, user_name limit $2`,
);

export type UnusedCredentials = { readonly count: number; readonly userNames: readonly string[] };

const MOST_LOOKED_AT = 100_000;

/** Counts active credentials unused for so many days, and names those unused longest. */
export async function findUnusedCredentials(
  database: Database,
  days: number,
  mostNames: number,
): Promise<UnusedCredentials> {
  const unused = (await database.query(FIND_UNUSED, [days, mostNames, MOST_LOOKED_AT])).map(UNUSED.parse);
  return { count: unused[0]?.count ?? 0, userNames: unused.map(({ userName }) => userName) };
}

const CREDENTIAL = rowCodec<Credential>({
  merchantId: column.text(),
  credentialId: column.text(),
  userName: column.text(),
  accountNumber: column.text(),
  scopes: column.listOf(column.oneOf(SCOPES)),
  allowedAddresses: column.listOf(column.text()),
  createdAt: column.instant(),
  passwordChangedAt: column.instant(),
  lastUsedOn: column.nullable(column.day()),
  disabledAt: column.nullable(column.instant()),
  previousPasswordValidUntil: column.nullable(
    column.instant('case when previous_password_valid_until > now() then previous_password_valid_until end'),
  ),
});

const INSERT = statement(
  'credentials.insert',
  `insert into credentials
     (merchant_id, credential_id, user_name, account_number, scopes, allowed_addresses, password_hash)
   select $1, $2, $3, $4, $5, $6, $7
   where (select count(*) from credentials c where c.merchant_id = $1 and c.disabled_at is null) < $8
   on conflict (user_name) do nothing
   returning ${CREDENTIAL.columns}`,
);

/** Audited. null: the user name is taken (by any merchant), or the merchant has as many as it may. */
export async function insertCredential(
  audit: Audit,
  credential: Pick<
    Credential,
    'merchantId' | 'credentialId' | 'userName' | 'accountNumber' | 'scopes' | 'allowedAddresses'
  >,
  passwordHash: string,
  event: AuditEvent,
): Promise<Credential | null> {
  const values = [
    credential.merchantId,
    credential.credentialId,
    credential.userName,
    credential.accountNumber,
    credential.scopes,
    credential.allowedAddresses,
    passwordHash,
    MOST_CREDENTIALS,
  ];
  const row = await audit.change(INSERT, values, event);
  return row === undefined ? null : CREDENTIAL.parse(row);
}

/** More than a merchant has: credentials are made by hand. */
const MOST_LISTED = 1_000;

/** Active ones first, so that none is cut off. */
const LIST = statement(
  'credentials.list',
  `select * from
     (select ${CREDENTIAL.columns} from credentials where merchant_id = $1
      order by disabled_at is not null, credential_id desc limit $2) as listed
   order by credential_id`,
);

const COUNTED = rowCodec({ active: column.whole('count(*)::integer') });

const COUNT = statement(
  'credentials.count_active',
  `select ${COUNTED.columns} from credentials where merchant_id = $1 and disabled_at is null`,
);

export async function hasMostCredentials(database: Database, merchantId: string): Promise<boolean> {
  const [row = {}] = await database.query(COUNT, [merchantId]);
  return COUNTED.parse(row).active >= MOST_CREDENTIALS;
}

export async function listMerchantCredentials(database: Database, merchantId: string): Promise<Credential[]> {
  return (await database.query(LIST, [merchantId, MOST_LISTED])).map(CREDENTIAL.parse);
}

const PASSWORD = rowCodec({
  passwordHash: column.text(),
  /** Valid until the overlap of a rotation ends; null: no overlap is under way. */
  previousPasswordHash: column.nullable(
    column.text('case when previous_password_valid_until > now() then previous_password_hash end'),
  ),
  /** Whole days since the password was set, by the database's clock. */
  passwordAgeDays: column.whole('floor(extract(epoch from now() - password_changed_at) / 86400)::integer'),
  /** Days since its last login, or since its last password if that is later. */
  unusedDays: column.whole(UNUSED_DAYS),
  isUseNoted: column.boolean(IS_USE_NOTED),
});
const OF_MERCHANT = rowCodec({
  productionAddresses: column.listOf(column.text('m.production_addresses')),
  isMerchantDisabled: column.boolean('m.disabled_at is not null'),
});

export type CredentialForLogin = { readonly credential: Credential } & RowOf<typeof PASSWORD> &
  RowOf<typeof OF_MERCHANT>;

const FIND_BY_USER_NAME = statement(
  'credentials.find_by_user_name',
  `select c.*, ${OF_MERCHANT.columns}
   from (select ${CREDENTIAL.columns}, ${PASSWORD.columns} from credentials where user_name = $1) c
   join merchants m using (merchant_id)`,
);

/** User names are unique over all merchants. */
export async function findCredentialByUserName(
  database: Database,
  userName: string,
): Promise<CredentialForLogin | null> {
  const [row] = await database.query(FIND_BY_USER_NAME, [userName]);
  if (row === undefined) return null;
  return { credential: CREDENTIAL.parse(row), ...PASSWORD.parse(row), ...OF_MERCHANT.parse(row) };
}

const DISABLE = statement(
  'credentials.disable',
  `update credentials set disabled_at = now()
   where merchant_id = $1 and credential_id = $2 and disabled_at is null
   returning ${CREDENTIAL.columns}`,
);

export async function markCredentialDisabled(
  audit: Audit,
  merchantId: string,
  credentialId: string,
  event: AuditEvent,
): Promise<Credential | null> {
  const row = await audit.change(DISABLE, [merchantId, credentialId], event);
  return row === undefined ? null : CREDENTIAL.parse(row);
}

/** Reads the clock under the lock: `now()` is earlier, and a token of a login meanwhile would survive. */
const ROTATE = statement(
  'credentials.rotate',
  `update credentials set
     previous_password_hash = case when $5 > 0 then password_hash end,
     previous_password_valid_until = case when $5 > 0 then now() + $5 * interval '1 hour' end,
     tokens_valid_since = case when $5 > 0 then tokens_valid_since else clock_timestamp() end,
     password_hash = $4,
     password_changed_at = now()
   where merchant_id = $1 and credential_id = $2 and password_hash = $3 and disabled_at is null
   returning ${CREDENTIAL.columns}`,
);

/** null: the credential was disabled or rotated since its hash was read. */
export async function replacePassword(
  audit: Audit,
  credential: CredentialForLogin,
  newPasswordHash: string,
  overlapHours: number,
  event: AuditEvent,
): Promise<Credential | null> {
  const { merchantId, credentialId } = credential.credential;
  const values = [merchantId, credentialId, credential.passwordHash, newPasswordHash, overlapHours];
  const row = await audit.change(ROTATE, values, event);
  return row === undefined ? null : CREDENTIAL.parse(row);
}

/** A merchant's credentials in order of creation, disabled ones too; null: an unknown merchant. */
export async function listCredentials(
  tools: { readonly database: Database },
  merchantId: string,
): Promise<Credential[] | null> {
  if ((await findMerchant(tools.database, merchantId)) === null) return null;
  return listMerchantCredentials(tools.database, merchantId);
}
