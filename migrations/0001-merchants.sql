-- A company that sells, registered by the operator.
create table merchants (
  merchant_id text primary key check (merchant_id ~ '^[A-Za-z0-9._-]{1,20}$'),
  -- Without mask; letters since July 2026. The check digits are the program's to check. Not unique: one
  -- company may keep two shops apart by registering twice.
  cnpj text not null check (cnpj ~ '^[0-9A-Z]{12}[0-9]{2}$'),
  legal_name text not null check (char_length(legal_name) between 1 and 200),
  contact_name text not null check (char_length(contact_name) between 1 and 100),
  contact_email text not null check (char_length(contact_email) between 3 and 254),
  contact_phone text not null check (char_length(contact_phone) between 8 and 30),
  -- Addresses and blocks of the servers that call in production; what a credential without a list of its own
  -- may use.
  production_addresses text[] not null check (cardinality(production_addresses) <= 100),
  created_at timestamptz not null default now(),
  -- What the buyer reads on the card's statement: the merchant's default, and a plan's.
  soft_descriptor text check (char_length(soft_descriptor) between 1 and 13),
  -- Street, city and postal code, printed on boletos.
  business_address text check (char_length(business_address) between 1 and 150),
  -- What the operator holds of a merchant: who calls in its name is locked out, or what its subscriptions owe
  -- is not charged.
  disabled_at timestamptz,
  billings_held_at timestamptz,
  -- That the billings of a merchant are held because its database was restored, and nobody has said since that
  -- what it canceled in the lost time is canceled here. A hold by hand is none.
  is_held_by_restore boolean not null default false,
  constraint merchants_held_by_restore check (not is_held_by_restore or billings_held_at is not null)
);

-- An account number of a merchant: every transaction is stamped with one.
create table accounts (
  merchant_id text not null references merchants (merchant_id),
  account_number text not null check (account_number ~ '^[A-Za-z0-9-]{1,20}$'),
  -- The first account is the one of credentials that name none.
  position integer not null check (position >= 1),
  created_at timestamptz not null default now(),
  primary key (merchant_id, account_number),
  unique (merchant_id, "position")
);

create table credentials (
  merchant_id text not null references merchants (merchant_id),
  credential_id uuid not null,
  -- Unique over all merchants: a login names nothing else.
  user_name text not null check (user_name ~ '^[A-Za-z0-9._@-]{3,30}$') unique,
  account_number text not null,
  scopes text[] not null check (cardinality(scopes) between 1 and 3
    and scopes <@ array['gateway', 'recurrence', 'integration']),
  -- argon2id in the PHC text form, which names its own parameters: they can grow without touching older rows.
  password_hash text not null check (password_hash like '$argon2id$%'),
  -- After a rotation with overlap the password before is good until then. Both or neither.
  previous_password_hash text check (previous_password_hash like '$argon2id$%'),
  previous_password_valid_until timestamptz,
  password_changed_at timestamptz not null default now(),
  -- Tokens made before are dead: a rotation without overlap says that the old password, and what it gave, may
  -- be in wrong hands. One row to write, whatever the number of tokens.
  tokens_valid_since timestamptz not null default now(),
  -- Empty: the merchant's production_addresses hold.
  allowed_addresses text[] not null check (cardinality(allowed_addresses) <= 100),
  created_at timestamptz not null default now(),
  -- Set once and for ever: a new credential is cheap, and a disabled one never comes back by mistake.
  disabled_at timestamptz,
  -- The day of the last login with a credential, São Paulo's; a token lives for an hour, so nothing is used on
  -- a day without one. Noted by the first login of a day. Null: never.
  last_used_on date,
  primary key (merchant_id, credential_id),
  foreign key (merchant_id, account_number) references accounts (merchant_id, account_number),
  check (disabled_at >= created_at),
  check ((previous_password_hash is null) = (previous_password_valid_until is null)),
  check (previous_password_valid_until <= password_changed_at + interval '24 hours')
);

-- What a login gives. Only the hash of the token is here: a stolen dump calls nothing. Looked up by hash
-- alone, since the token is all that a caller shows.
create table access_tokens (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  merchant_id text not null,
  credential_id uuid not null,
  api text not null check (api in ('gateway', 'integration')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  foreign key (merchant_id, credential_id) references credentials (merchant_id, credential_id),
  check (expires_at > created_at)
);
create index access_tokens_by_expiry on access_tokens (expires_at);

-- The operator sees and ends the tokens of one credential.
create index access_tokens_by_credential on access_tokens (merchant_id, credential_id);

-- Wrong logins, counted by user name and address, by user name, and by address. Nobody is known yet, so there
-- is no merchant. The bucket is a hash: a name that nobody has is often a password typed into the wrong field.
create table login_failures (
  bucket_hash bytea primary key check (octet_length(bucket_hash) = 32),
  -- 1 name and address, 2 name, 3 address. Statements that touch several buckets lock them in this order.
  breadth smallint not null check (breadth between 1 and 3),
  failures integer not null check (failures >= 1),
  -- Until then it counts; while it is full, until then the bucket refuses. Expired rows count as absent.
  expires_at timestamptz not null
) with (
  fillfactor = 70
);
create index login_failures_by_expiry on login_failures (expires_at);

-- Homologation's test clock: how far a merchant's business time runs ahead of the real one. Empty in
-- production.
create table merchant_clocks (
  merchant_id text primary key references merchants (merchant_id),
  shift_milliseconds bigint not null default 0 check (shift_milliseconds >= 0),
  -- Business time. Null: the clock is in no jump.
  target_at timestamptz,
  -- Whoever waits for the end of a jump knows it from the next one.
  jump_number integer not null default 0,
  -- What this jump has run, or the last one: a count by kind of work. And to how many instants it went.
  ran jsonb not null default '{}'::jsonb,
  steps integer not null default 0,
  -- Real time: until when a process takes the clock along, and that process's word against a later one's.
  lease_expires_at timestamptz,
  fence integer not null default 0,
  constraint merchant_clocks_lease_in_jump check (lease_expires_at is null or target_at is not null)
);
create index merchant_clocks_jumping on merchant_clocks (merchant_id) where target_at is not null;
