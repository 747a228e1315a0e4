-- RSA key pairs: merchants encrypt cards with the public half. The private half is sealed under a data key.
create table card_key_pairs (
  key_id text primary key,
  public_key bytea not null,
  sealed_private_key bytea not null,
  data_key_id integer not null references data_keys,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);
-- One pair is handed out at a time; retired ones still open what is on its way.
create unique index card_key_pairs_in_use on card_key_pairs ((true)) where retired_at is null;

-- Short-lived card tokens. The token itself is not here, only its hash; the card number only sealed. There is no
-- column for a security code anywhere in this database.
create table card_tokens (
  merchant_id text not null,
  token_hash bytea not null,
  sealed_number bytea not null,
  data_key_id integer not null references data_keys,
  expires_at timestamptz not null,
  -- What a payment uses up: the token itself, or the encrypted card that it was made from. All tokens of one encrypted
  -- card together are good for one approval.
  carrier_hash bytea not null,
  carrier_expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (merchant_id, token_hash)
);
create index card_tokens_by_expiry on card_tokens (expires_at);

-- A carrier of a card (token, encrypted card) in use by a transaction: it pays once. Taken in the commit of the intent,
-- given back by a decline.
create table card_claims (
  merchant_id text not null,
  carrier_hash bytea not null,
  transaction_id uuid not null,
  expires_at timestamptz not null,
  primary key (merchant_id, carrier_hash)
);
create index card_claims_by_expiry on card_claims (expires_at);
