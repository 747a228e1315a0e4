-- Data keys: what seals cards and other secrets at rest. Each is itself wrapped by a key-encryption key that never
-- enters the database: a stolen dump without that key opens nothing.
create table data_keys (
  data_key_id integer generated always as identity primary key,
  purpose text not null check (purpose in ('card', 'keyPair', 'fingerprint')),
  -- A key of homologation must never meet production's data.
  environment text not null check (environment in ('homologation', 'production')),
  wrapped_key bytea not null,
  -- Which key-encryption key wrapped it: a check value, so that a wrong key is refused by name at the start.
  key_encryption_key_id text not null,
  created_at timestamptz not null default now(),
  -- A retired key opens what it sealed, and seals nothing more.
  retired_at timestamptz
);
create unique index data_keys_in_use on data_keys (purpose) where retired_at is null;
