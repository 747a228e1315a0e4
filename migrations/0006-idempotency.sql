-- Repeated requests: one key, one effect.

-- A key that a merchant's request brought along, committed with what the request made. Only the name of that
-- resource is kept: a repetition is answered from the resource as it stands, so that what was settled
-- meanwhile is told as it ended.
create table idempotency_keys (
  merchant_id text not null,
  -- SHA-256 of method, path and key: of one length, and whatever a caller wrote into its key stands nowhere in
  -- clear.
  key_hash bytea not null check (octet_length(key_hash) = 32),
  -- Keyed print of the body, without what carries a card and without the security code; behind it, of a body
  -- that carries one, that of the card.
  body_fingerprint bytea not null check (octet_length(body_fingerprint) in (32, 64)),
  -- The data key of the print.
  body_fingerprint_key_id integer not null,
  -- A transaction, a cancel, a stored card, an anti-fraud code: the path that made it says which.
  resource_id uuid not null,
  -- False: the resource does not exist yet. A card is verified between the claim on its carrier, which is
  -- committed with the key, and the card itself.
  is_done boolean not null default true,
  -- Real time.
  created_at timestamptz not null default now(),
  primary key (merchant_id, key_hash)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
