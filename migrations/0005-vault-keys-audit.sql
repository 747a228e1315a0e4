-- Cards kept for years, keys that are rotated under way, and the log of who did what.

-- Cards that a merchant stored to charge again. The number only sealed; there is no column for a security code.
create table vault_cards (
  merchant_id text not null,
  vault_id uuid not null,
  sealed_number bytea not null,
  data_key_id integer not null references data_keys,
  brand text not null,
  first_six text not null check (char_length(first_six) = 6),
  last_four text not null check (char_length(last_four) = 4),
  expiration_month text not null check (expiration_month ~ '^(0[1-9]|1[0-2])$'),
  expiration_year text not null check (expiration_year ~ '^[0-9]{2}$'),
  holder_name text not null check (char_length(holder_name) between 1 and 30),
  -- When the acquirer said that the card is good, before it was stored. Real time, like created_at.
  verified_at timestamptz,
  -- The first approved use (the verification, or a charge): later ones are the merchant's, and repeat what the network
  -- called the first.
  first_used_at timestamptz,
  network_transaction_id text check (char_length(network_transaction_id) between 1 and 40),
  created_by text not null,
  created_at timestamptz not null default now(),
  primary key (merchant_id, vault_id),
  check (network_transaction_id is null or first_used_at is not null)
);
-- A rotation looks for what a retired key sealed.
create index vault_cards_by_data_key on vault_cards (data_key_id);

-- A carrier is used up by a transaction or by a card stored in the vault: one id names either.
comment on column card_claims.transaction_id is 'the transaction, or the stored card (vault_id), that used the carrier up';

alter table transactions
  add column vault_id uuid,
  add column initiator text not null default 'cardholder' check (initiator in ('cardholder', 'merchant')),
  -- Which key made card_fingerprint: prints compare only under one key. Null: made before keys were named.
  add column fingerprint_key_id integer;

-- Keys for the seals of the audit log.
alter table data_keys drop constraint data_keys_purpose_check;
alter table data_keys add constraint data_keys_purpose_check
  check (purpose in ('card', 'keyPair', 'fingerprint', 'audit'));

-- Who did what. Each entry holds the seal of the one before under a key that never enters the database: an edit, a
-- removal or another order breaks the chain. Only ever appended to.
create table audit_entries (
  entry_number bigint primary key check (entry_number >= 1),
  -- Real time.
  occurred_at timestamptz not null,
  actor text not null check (char_length(actor) between 1 and 100),
  action text not null check (char_length(action) between 1 and 50),
  outcome text not null check (outcome in ('success', 'failure')),
  -- From where: an address, or the machine of the operator.
  origin text not null check (char_length(origin) between 1 and 200),
  -- What it was done to: `merchants/LOJA/cards/0199…`.
  resource text not null check (char_length(resource) between 1 and 300),
  -- JSON, sealed as it was written; empty when there is nothing more to say.
  detail text not null check (char_length(detail) <= 2000),
  data_key_id integer not null references data_keys,
  previous_seal bytea not null,
  seal bytea not null check (octet_length(seal) = 32)
);
create index audit_entries_by_time on audit_entries (occurred_at);

-- Where the chain ends: a cut tail leaves a head that points behind it. One row.
create table audit_head (
  is_only boolean primary key default true check (is_only),
  entry_number bigint not null check (entry_number >= 0),
  seal bytea not null,
  -- Seals number and seal of the last entry: an older end is no end that can be made up.
  head_seal bytea not null,
  data_key_id integer references data_keys
);

create function refuse_audit_change() returns trigger language plpgsql as
$$ begin raise exception 'the audit log is only ever appended to' using errcode = 'insufficient_privilege'; end $$;
create trigger audit_entries_stand before update or delete on audit_entries
  for each row execute function refuse_audit_change();
create trigger audit_entries_stay before truncate on audit_entries
  for each statement execute function refuse_audit_change();
