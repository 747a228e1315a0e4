import type { Mutation } from './mutation.ts';

const TOKENS = 'src/merchants/tokens/access-tokens.sql.ts';
const CARDS = 'src/cards/tokens/card-tokens.sql.ts';
const SESSIONS = 'src/console/users/sessions.sql.ts';
const CODES = 'src/antifraud/codes.sql.ts';
const RELEASES = 'src/transactions/methods/card/captures.sql.ts';

/** Mistakes in what ends: what should be over is not, or is over too early. */
export const EXPIRY_MUTATIONS: readonly Mutation[] = [
  {
    name: 'an access token never ends',
    file: TOKENS,
    find: 'where t.token_hash = any($1::bytea[]) and t.expires_at > now()',
    put: 'where t.token_hash = any($1::bytea[])',
    caughtBy: 'test/merchants/login.test.ts',
  },
  {
    name: 'an access token is trusted for a moment behind its end',
    file: 'src/merchants/tokens/identify-caller.ts',
    find: 'Math.min(TRUSTED_MILLISECONDS, token.millisecondsLeft)',
    put: 'TRUSTED_MILLISECONDS',
    caughtBy: 'test/merchants/login.test.ts',
  },
  {
    name: 'an ended token is in the list of those that are good',
    file: TOKENS,
    find: `where t.merchant_id = $1 and t.credential_id = $2 and t.expires_at > now()
     and c.disabled_at is null and t.created_at >= c.tokens_valid_since
   order by`,
    put: `where t.merchant_id = $1 and t.credential_id = $2
     and c.disabled_at is null and t.created_at >= c.tokens_valid_since
   order by`,
    caughtBy: 'test/merchants/login.test.ts',
  },
  {
    name: 'tokens of before a rotation stay good',
    file: TOKENS,
    find: `and c.disabled_at is null and m.disabled_at is null and t.created_at >= c.tokens_valid_since`,
    put: 'and c.disabled_at is null and m.disabled_at is null',
    caughtBy: 'test/merchants/credentials.test.ts',
  },
  {
    name: 'a lockout never ends',
    file: 'src/merchants/tokens/login-failures.sql.ts',
    find: `select max(expires_at) as until from login_failures
     where expires_at > now()
       and (`,
    put: `select max(expires_at) as until from login_failures
     where (`,
    caughtBy: 'test/merchants/login.test.ts',
  },
  {
    name: 'a card token never ends',
    file: CARDS,
    find: 'where t.expires_at > now()`',
    put: 'where t.expires_at is not null`',
    caughtBy: 'test/payments/payments.test.ts',
  },
  {
    name: 'a card token lives six times as long',
    file: 'src/cards/card.ts',
    find: 'TOKEN_LIFETIME_MILLISECONDS = 10 * 60 * 1_000',
    put: 'TOKEN_LIFETIME_MILLISECONDS = 60 * 60 * 1_000',
    caughtBy: 'test/payments/payments.test.ts',
  },
  {
    name: 'an encrypted card never ends',
    file: 'src/cards/pairs/encrypted-card.ts',
    find: 'madeAt <= now - lifetimeMilliseconds',
    put: 'madeAt <= -lifetimeMilliseconds',
    caughtBy: 'src/cards/pairs/encrypted-card.test.ts',
  },
  {
    name: 'a card is good in the month after its last',
    file: 'src/cards/card.ts',
    find: 'return `20${year}-${month}` < today.slice(0, 7);',
    put: 'return `20${year}-99` < today.slice(0, 7);',
    caughtBy: 'src/cards/card.test.ts',
  },
  {
    name: 'a session is never over',
    file: SESSIONS,
    find: 'where token_hash = $1 and expires_at > now() and seen_at >',
    put: 'where token_hash = $1 and seen_at >',
    caughtBy: 'test/console/sessions.test.ts',
  },
  {
    name: 'an idle session stays open',
    file: SESSIONS,
    find: " and seen_at > now() - $2 * interval '1 second'\n   ), touched",
    put: ' and $2::integer > 0\n   ), touched',
    caughtBy: 'test/console/sessions.test.ts',
  },
  {
    name: 'a page that looks alive keeps its session from being idle',
    file: SESSIONS,
    find: 'where token_hash = $1 and $3::boolean\n',
    put: 'where token_hash = $1 and $3::boolean is not null\n',
    caughtBy: 'test/console/sessions.test.ts',
  },
  {
    name: 'a link of an invitation opens for ever',
    file: 'src/console/users/links.sql.ts',
    find: 'l.used_at is null and l.expires_at > now() and u.disabled_at is null',
    put: 'l.used_at is null and u.disabled_at is null',
    caughtBy: 'test/console/sessions.test.ts',
  },
  {
    name: 'a link that ended while its page was read lets in',
    file: SESSIONS,
    find: 'and user_id = $8 and used_at is null and expires_at > now() returning',
    put: 'and user_id = $8 and used_at is null returning',
    caughtBy: 'test/console/sessions.test.ts',
  },
  {
    name: 'a link lets in twice',
    file: SESSIONS,
    find: 'and user_id = $8 and used_at is null and expires_at > now() returning',
    put: 'and user_id = $8 and expires_at > now() returning',
    caughtBy: 'test/console/sessions.test.ts',
  },
  {
    name: 'a challenge is good for ever',
    file: 'src/console/users/create-challenge.ts',
    find: 'read === null || read.expiresAt < Date.now()',
    put: 'read === null',
    caughtBy: 'src/console/users/create-challenge.test.ts',
  },
  {
    name: 'a request that waits for a second person never ends',
    file: 'src/console/second-person/second-person.ts',
    find: "return now < request.expiresAt ? 'waiting' : 'expired';",
    put: "return now < request.expiresAt || now > 0 ? 'waiting' : 'expired';",
    caughtBy: 'src/console/second-person/second-person.test.ts',
  },
  {
    name: 'an anti-fraud code never ends',
    file: CODES,
    find: 'where c.expires_at > now() and c.transaction_id is null`',
    put: 'where c.transaction_id is null`',
    caughtBy: 'test/antifraud/claims.test.ts',
  },
  {
    name: 'an anti-fraud code that ends meanwhile is taken',
    file: CODES,
    find: 'where c.transaction_id is null and c.expires_at > now()',
    put: 'where c.transaction_id is null',
    caughtBy: 'test/antifraud/claims.test.ts',
  },
  {
    name: 'the former secret of a webhook signs for ever',
    file: 'src/webhooks/deliveries/to-send.sql.ts',
    find: 'case when s.previous_valid_until > now() then s.previous_sealed_secret end',
    put: 's.previous_sealed_secret',
    caughtBy: 'test/webhooks/endpoints-secrets.test.ts',
  },
  {
    name: 'a pre-authorization is captured behind its time',
    file: RELEASES,
    find: ' and p.capture_until > i.requested_at',
    put: '',
    caughtBy: 'test/payments/captures.test.ts',
  },
  {
    name: 'the time of a pre-authorization is not looked at',
    file: 'src/transactions/capture.ts',
    find: 'preauthorization === null || preauthorization.captureUntil <= wanted.requestedAt',
    put: 'preauthorization === null',
    caughtBy: 'src/transactions/capture.test.ts',
  },
  {
    name: 'a pre-authorization is let go before its time',
    file: 'src/transactions/methods/card/preauthorizations.sql.ts',
    find: 'where expires_at <= now() order by expires_at limit $1',
    put: 'where expires_at is not null order by expires_at limit $1',
    caughtBy: 'test/payments/released.test.ts',
  },
  {
    name: 'a lost request with a key counts as under way for ever',
    file: 'src/idempotency/idempotency-key.ts',
    find: '!isDone && ageMilliseconds >= LOST_MILLISECONDS',
    put: '!isDone && ageMilliseconds >= 1_000 * LOST_MILLISECONDS',
    caughtBy: 'src/idempotency/idempotency-key.test.ts',
  },
  {
    name: 'idempotency keys are forgotten before their time',
    file: 'src/idempotency/idempotency-keys.sql.ts',
    find: "created_at < now() - $2 * interval '1 day'",
    put: "created_at < now() - $2 * interval '1 hour'",
    caughtBy: 'test/payments/idempotency.test.ts',
  },
  {
    name: 'a billing whose charge is under way is found as due',
    file: 'src/recurrence/collection/due-places.sql.ts',
    find: "'(b.lease_expires_at is null or b.lease_expires_at <= now())'",
    put: "'(b.lease_expires_at is null or b.lease_expires_at > now() or true)'",
    caughtBy: 'test/recurrence/charge-commits.test.ts',
  },
];
