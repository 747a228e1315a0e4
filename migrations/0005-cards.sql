-- RSA key pairs: merchants encrypt cards with the public half. The private half is sealed under a data key.
create table card_key_pairs (
  key_id text primary key,
  public_key bytea not null,
  sealed_private_key bytea not null,
  data_key_id integer not null references data_keys (data_key_id),
  created_at timestamptz not null default now(),
  retired_at timestamptz
);

-- One pair is handed out at a time; retired ones still open what is on its way.
create unique index card_key_pairs_in_use on card_key_pairs ((true)) where retired_at is null;

-- Short-lived card tokens. The token itself is not here, only its hash; the card number only sealed. There is
-- no column for a security code anywhere in this database.
create table card_tokens (
  merchant_id text not null,
  token_hash bytea not null,
  sealed_number bytea not null,
  data_key_id integer not null references data_keys (data_key_id),
  expires_at timestamptz not null,
  -- What a payment uses up: the token itself, or the encrypted card that it was made from. All tokens of one
  -- encrypted card together are good for one approval.
  source_hash bytea not null,
  source_expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (merchant_id, token_hash)
);
create index card_tokens_by_expiry on card_tokens (expires_at);

-- A carrier of a card (token, encrypted card) in use by a transaction: it pays once. Taken in the commit of
-- the intent, given back by a decline.
create table card_source_locks (
  merchant_id text not null,
  source_hash bytea not null,
  transaction_id uuid not null,
  expires_at timestamptz not null,
  primary key (merchant_id, source_hash)
);
create index card_source_locks_by_expiry on card_source_locks (expires_at);

-- Cards that a merchant stored to charge again. The number only sealed; there is no column for a security
-- code.
create table vault_cards (
  merchant_id text not null,
  vault_id uuid not null,
  sealed_number bytea not null,
  data_key_id integer not null references data_keys (data_key_id),
  brand text not null,
  first_six text not null check (char_length(first_six) = 6),
  last_four text not null check (char_length(last_four) = 4),
  expiration_month text not null check (expiration_month ~ '^(0[1-9]|1[0-2])$'),
  expiration_year text not null check (expiration_year ~ '^[0-9]{2}$'),
  holder_name text not null check (char_length(holder_name) between 1 and 30),
  -- When the acquirer said that the card is good, before it was stored. Real time, like created_at.
  verified_at timestamptz,
  -- The first approved use (the verification, or a charge): later ones are the merchant's, and repeat what the
  -- network called the first.
  first_used_at timestamptz,
  network_transaction_id text check (char_length(network_transaction_id) between 1 and 40),
  created_by text not null,
  created_at timestamptz not null default now(),
  -- The fingerprint that a transaction of this card keeps: the copies of one card are counted by it.
  card_fingerprint bytea check (octet_length(card_fingerprint) = 32),
  primary key (merchant_id, vault_id),
  check (network_transaction_id is null or first_used_at is not null)
);

-- A rotation looks for what a retired key sealed.
create index vault_cards_by_data_key on vault_cards (data_key_id);

-- Only who names a year may take it: planned while the table is small, a look-up of a card by its key would
-- else read all of the merchant's.
create index vault_cards_by_expiry on vault_cards (merchant_id, expiration_year, expiration_month, vault_id)
  where expiration_year is not null;
create index vault_cards_by_fingerprint on vault_cards (merchant_id, card_fingerprint)
  where card_fingerprint is not null;
create index vault_cards_expired on vault_cards (expiration_year, expiration_month, merchant_id, vault_id);
create index vault_cards_by_last_four on vault_cards (merchant_id, last_four, vault_id)
  where last_four is not null;
