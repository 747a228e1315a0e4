import { type Caller, SCOPES } from '../../platform/http/endpoint.ts';
import { type Database, type Row, statement, type Tx } from '../../platform/postgres/database.ts';
import { forgetting } from '../../platform/postgres/forgetting.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { addressesInForce, type Credential, LOGIN_APIS, type LoginApi } from '../credentials/credential.ts';
import { findCredentialByUserName } from '../credentials/credentials.sql.ts';
import type { Refused } from '../merchant.ts';
import { type LiveToken, TOKEN_LIFETIME_SECONDS } from './access-token.ts';

const TIMES = rowCodec({ createdAt: column.instant(), expiresAt: column.instant() });

export type TokenTimes = RowOf<typeof TIMES>;

/**
 * Writes a token only if the credential and the checked hash are still valid. Its shared lock makes a
 * rotation come wholly before it or behind it.
 */
const INSERT = statement(
  'access_tokens.insert',
  `insert into access_tokens (token_hash, merchant_id, credential_id, api, created_at, expires_at)
   select $1, merchant_id, credential_id, $4, now(), now() + $6 * interval '1 second'
   from credentials
   where merchant_id = $2 and credential_id = $3 and disabled_at is null
     and (password_hash = $5 or (previous_password_hash = $5 and previous_password_valid_until > now()))
     and not exists (
       select from merchants m where m.merchant_id = credentials.merchant_id and m.disabled_at is not null
     )
   for share of credentials
   returning ${TIMES.columns}`,
);

/** null: the credential or its password ended meanwhile. */
export async function insertAccessToken(
  database: Database,
  tokenHash: Buffer,
  credential: Credential,
  api: LoginApi,
  checkedPasswordHash: string,
): Promise<TokenTimes | null> {
  const { merchantId, credentialId } = credential;
  const [row] = await database.query(INSERT, [
    tokenHash,
    merchantId,
    credentialId,
    api,
    checkedPasswordHash,
    TOKEN_LIFETIME_SECONDS,
  ]);
  return row === undefined ? null : TIMES.parse(row);
}

/** Identifies a token of a credential; it is not secret. */
const TOKEN_ID = `encode(substring(t.token_hash for 6), 'hex')`;

const CALLER = rowCodec<Caller>({
  merchantId: column.text('t.merchant_id'),
  credentialId: column.text('t.credential_id'),
  userName: column.text('c.user_name'),
  accountNumber: column.text('c.account_number'),
  scopes: column.listOf(column.oneOf(SCOPES, 'c.scopes')),
  softDescriptor: column.nullable(column.text('m.soft_descriptor')),
  tokenId: column.text(TOKEN_ID),
});
const LIVE_TOKEN = rowCodec({
  tokenHash: column.bytes('t.token_hash'),
  api: column.oneOf(LOGIN_APIS, 't.api'),
  allowedAddresses: column.listOf(column.text('c.allowed_addresses')),
  productionAddresses: column.listOf(column.text('m.production_addresses')),
  millisecondsLeft: column.whole('floor(extract(epoch from t.expires_at - now()) * 1000)::bigint'),
});

const FIND = statement(
  'access_tokens.find',
  `select ${LIVE_TOKEN.columns}, ${CALLER.columns}
   from access_tokens t
   join credentials c on c.merchant_id = t.merchant_id and c.credential_id = t.credential_id
   join merchants m on m.merchant_id = t.merchant_id
   where t.token_hash = any($1::bytea[]) and t.expires_at > now()
     and c.disabled_at is null and m.disabled_at is null and t.created_at >= c.tokens_valid_since`,
);

/** Of these token hashes the valid ones, each under its hash in hexadecimal. */
export async function findLiveTokens(
  database: Database,
  tokenHashes: readonly Buffer[],
): Promise<Map<string, LiveToken>> {
  const rows = await database.query(FIND, [tokenHashes]);
  return new Map(rows.map(parse).map((token) => [token.tokenHash.toString('hex'), token]));
}

function parse(row: Row): LiveToken {
  const { productionAddresses, ...token } = LIVE_TOKEN.parse(row);
  const allowedAddresses = addressesInForce(token.allowedAddresses, productionAddresses);
  return { ...token, allowedAddresses, caller: CALLER.parse(row) };
}

const LISTED_TOKEN = rowCodec(
  { tokenId: column.text(TOKEN_ID), api: column.oneOf(LOGIN_APIS), ...TIMES.fields },
  't',
);

type ListedToken = RowOf<typeof LISTED_TOKEN>;

const LIST = statement(
  'access_tokens.list',
  `select ${LISTED_TOKEN.columns}
   from access_tokens t
   join credentials c on c.merchant_id = t.merchant_id and c.credential_id = t.credential_id
   where t.merchant_id = $1 and t.credential_id = $2 and t.expires_at > now()
     and c.disabled_at is null and t.created_at >= c.tokens_valid_since
   order by t.created_at, t.token_hash limit $3`,
);

async function findTokensOf(
  database: Database,
  { merchantId, credentialId }: Pick<Credential, 'merchantId' | 'credentialId'>,
  limit: number,
): Promise<ListedToken[]> {
  return (await database.query(LIST, [merchantId, credentialId, limit])).map(LISTED_TOKEN.parse);
}

/** Reads the clock under the row lock, after any login just granted, as a rotation does. */
const END_EVERY = statement(
  'access_tokens.end_every',
  `update credentials set tokens_valid_since = clock_timestamp()
   where merchant_id = $1 and credential_id = $2 returning credential_id`,
);

export async function endEveryToken(
  tx: Tx,
  { merchantId, credentialId }: Pick<Credential, 'merchantId' | 'credentialId'>,
): Promise<boolean> {
  return (await tx.query(END_EVERY, [merchantId, credentialId])).length === 1;
}

const END_ALL_OF_MERCHANT = statement(
  'access_tokens.end_all_of_merchant',
  `update credentials set tokens_valid_since = clock_timestamp() where merchant_id = $1 returning credential_id`,
);

export async function endTokensOfMerchant(tx: Tx, merchantId: string): Promise<void> {
  await tx.query(END_ALL_OF_MERCHANT, [merchantId]);
}

const END_ONE = statement(
  'access_tokens.end_one',
  `delete from access_tokens t
   where t.merchant_id = $1 and t.credential_id = $2 and t.expires_at > now() and ${TOKEN_ID} = $3
   returning t.credential_id`,
);

export async function endOneToken(
  tx: Tx,
  { merchantId, credentialId }: Pick<Credential, 'merchantId' | 'credentialId'>,
  tokenId: string,
): Promise<boolean> {
  return (await tx.query(END_ONE, [merchantId, credentialId, tokenId])).length === 1;
}

export const deleteExpiredTokens = forgetting({
  table: 'access_tokens',
  by: 'expires_at',
  over: 'expires_at < now()',
});

/** Valid tokens, oldest first. */
export async function listTokens(
  { database }: { readonly database: Database },
  userName: string,
  limit: number,
): Promise<ListedToken[] | Refused<'credentialUnknown'>> {
  const found = await findCredentialByUserName(database, userName);
  if (found === null) return { refusal: 'credentialUnknown', value: userName };
  return findTokensOf(database, found.credential, limit);
}
