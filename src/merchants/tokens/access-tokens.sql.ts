import type { Scope } from '../../platform/http/endpoint.ts';
import { type Database, type Row, type Step, statement } from '../../platform/postgres/database.ts';
import type { Instant } from '../../values/instant.ts';
import { addressesInForce, type Credential, type LoginApi } from '../credentials/credential.ts';
import { type LiveToken, TOKEN_LIFETIME_SECONDS } from './access-token.ts';

/**
 * The password was checked against a hash that was read before: the token is given only if the
 * credential still stands
 * and the hash is still good. The shared lock makes a rotation or a disabling wait for it, or it for them.
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
   returning created_at, expires_at`,
);

export type TokenTimes = { readonly createdAt: Instant; readonly expiresAt: Instant };

/** Null when the credential or its password ended meanwhile. */
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
  if (row === undefined) return null;
  return { createdAt: row.created_at as Instant, expiresAt: row.expires_at as Instant };
}

/** As much of the hash as names a token among those of a credential; it opens nothing. */
const TOKEN_ID = `encode(substring(t.token_hash for 6), 'hex')`;

const FIND = statement(
  'access_tokens.find',
  `select t.token_hash, ${TOKEN_ID} as token_id, t.api, t.merchant_id, t.credential_id, c.user_name, c.account_number, c.scopes,
     c.allowed_addresses, m.production_addresses, m.soft_descriptor,
     floor(extract(epoch from t.expires_at - now()) * 1000)::bigint as milliseconds_left
   from access_tokens t
   join credentials c on c.merchant_id = t.merchant_id and c.credential_id = t.credential_id
   join merchants m on m.merchant_id = t.merchant_id
   where t.token_hash = any($1::bytea[]) and t.expires_at > now()
     and c.disabled_at is null and m.disabled_at is null and t.created_at >= c.tokens_valid_since`,
);

/** Those of the tokens that are good now, with their callers, by the hash in hexadecimal. */
export async function findLiveTokens(
  database: Database,
  tokenHashes: readonly Buffer[],
): Promise<Map<string, LiveToken>> {
  const rows = await database.query(FIND, [tokenHashes]);
  return new Map(rows.map(parse).map((token) => [token.tokenHash.toString('hex'), token]));
}

function parse(row: Row): LiveToken {
  return {
    tokenHash: row.token_hash as Buffer,
    api: row.api as LoginApi,
    caller: {
      merchantId: row.merchant_id as string,
      credentialId: row.credential_id as string,
      userName: row.user_name as string,
      accountNumber: row.account_number as string,
      scopes: row.scopes as Scope[],
      softDescriptor: row.soft_descriptor as string | null,
      tokenId: row.token_id as string,
    },
    allowedAddresses: addressesInForce(
      row.allowed_addresses as string[],
      row.production_addresses as string[],
    ),
    millisecondsLeft: row.milliseconds_left as number,
  };
}

/** A token as the operator sees it. */
export type ListedToken = TokenTimes & { readonly tokenId: string; readonly api: LoginApi };

const LIST = statement(
  'access_tokens.list',
  `select ${TOKEN_ID} as token_id, t.api, t.created_at, t.expires_at
   from access_tokens t
   join credentials c on c.merchant_id = t.merchant_id and c.credential_id = t.credential_id
   where t.merchant_id = $1 and t.credential_id = $2 and t.expires_at > now()
     and c.disabled_at is null and t.created_at >= c.tokens_valid_since
   order by t.created_at, t.token_hash limit $3`,
);

/** The tokens of a credential that are good now, oldest first. */
export async function findTokensOf(
  database: Database,
  { merchantId, credentialId }: Pick<Credential, 'merchantId' | 'credentialId'>,
  limit: number,
): Promise<ListedToken[]> {
  const rows = await database.query(LIST, [merchantId, credentialId, limit]);
  return rows.map((row) => ({
    tokenId: row.token_id as string,
    api: row.api as LoginApi,
    createdAt: row.created_at as Instant,
    expiresAt: row.expires_at as Instant,
  }));
}

/** The clock is read when the row is at hand, after any login that was just granted, as a rotation does. */
const END_EVERY = statement(
  'access_tokens.end_every',
  `update credentials set tokens_valid_since = clock_timestamp()
   where merchant_id = $1 and credential_id = $2 returning credential_id`,
);

/** Gives one row. */
export function endEveryToken({
  merchantId,
  credentialId,
}: Pick<Credential, 'merchantId' | 'credentialId'>): Step {
  return { statement: END_EVERY, values: [merchantId, credentialId] };
}

const END_ALL_OF_MERCHANT = statement(
  'access_tokens.end_all_of_merchant',
  `update credentials set tokens_valid_since = clock_timestamp() where merchant_id = $1 returning credential_id`,
);

/** Gives a row for each credential. */
export function endTokensOfMerchant(merchantId: string): Step {
  return { statement: END_ALL_OF_MERCHANT, values: [merchantId] };
}

const END_ONE = statement(
  'access_tokens.end_one',
  `delete from access_tokens t
   where t.merchant_id = $1 and t.credential_id = $2 and t.expires_at > now() and ${TOKEN_ID} = $3
   returning t.credential_id`,
);

/** Gives a row when the token was there. */
export function endOneToken(
  { merchantId, credentialId }: Pick<Credential, 'merchantId' | 'credentialId'>,
  tokenId: string,
): Step {
  return { statement: END_ONE, values: [merchantId, credentialId, tokenId] };
}

const FORGET = statement(
  'access_tokens.forget',
  `delete from access_tokens where token_hash in
     (select token_hash from access_tokens where expires_at < now() order by expires_at limit $1 for update skip locked)
   returning 1`,
);

/** Removes up to `limit` expired tokens; gives how many went. */
export async function deleteExpiredTokens(database: Database, limit: number): Promise<number> {
  return (await database.query(FORGET, [limit])).length;
}
