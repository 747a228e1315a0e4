-- Who may call: merchants, their accounts and credentials, and the access tokens that logins give.

-- A company that sells, registered by the operator.
create table merchants (
  merchant_id text primary key check (merchant_id ~ '^[A-Za-z0-9._-]{1,20}$'),
  -- Without mask; letters since July 2026. The check digits are the program's to check. Not unique: one company may keep
  -- two shops apart by registering twice.
  cnpj text not null check (cnpj ~ '^[0-9A-Z]{12}[0-9]{2}$'),
  legal_name text not null check (char_length(legal_name) between 1 and 200),
  contact_name text not null check (char_length(contact_name) between 1 and 100),
  contact_email text not null check (char_length(contact_email) between 3 and 254),
  contact_phone text not null check (char_length(contact_phone) between 8 and 30),
  -- Addresses and blocks of the servers that call in production; what a credential without a list of its own may use.
  production_addresses text[] not null check (cardinality(production_addresses) <= 100),
  created_at timestamptz not null default now()
);

-- An account number of a merchant: every transaction is stamped with one.
create table accounts (
  merchant_id text not null references merchants,
  account_number text not null check (account_number ~ '^[A-Za-z0-9-]{1,20}$'),
  -- The first account is the one of credentials that name none.
  position integer not null check (position >= 1),
  created_at timestamptz not null default now(),
  primary key (merchant_id, account_number),
  unique (merchant_id, position)
);

create table credentials (
  merchant_id text not null references merchants,
  credential_id uuid not null,
  -- Unique over all merchants: a login names nothing else.
  user_name text not null unique check (user_name ~ '^[A-Za-z0-9._@-]{3,30}$'),
  account_number text not null,
  scopes text[] not null check (cardinality(scopes) between 1 and 3 and scopes <@ array['gateway', 'recurrence', 'integration']),
  -- argon2id in the PHC text form, which names its own parameters: they can grow without touching older rows.
  password_hash text not null check (password_hash like '$argon2id$%'),
  -- After a rotation with overlap the password before is good until then. Both or neither.
  previous_password_hash text check (previous_password_hash like '$argon2id$%'),
  previous_password_valid_until timestamptz,
  password_changed_at timestamptz not null default now(),
  -- Tokens made before are dead: a rotation without overlap says that the old password, and what it gave, may be in
  -- wrong hands. One row to write, whatever the number of tokens.
  tokens_valid_since timestamptz not null default now(),
  -- Empty: the merchant's production_addresses hold.
  allowed_addresses text[] not null check (cardinality(allowed_addresses) <= 100),
  created_at timestamptz not null default now(),
  -- Set once and for ever: a new credential is cheap, and a disabled one never comes back by mistake.
  disabled_at timestamptz check (disabled_at >= created_at),
  primary key (merchant_id, credential_id),
  foreign key (merchant_id, account_number) references accounts (merchant_id, account_number),
  check ((previous_password_hash is null) = (previous_password_valid_until is null)),
  check (previous_password_valid_until <= password_changed_at + interval '24 hours')
);

-- What a login gives. Only the hash of the token is here: a stolen dump calls nothing. Looked up by hash alone, since
-- the token is all that a caller shows.
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

-- Wrong logins, counted by user name and address, by user name, and by address. Nobody is known yet, so there is no
-- merchant. The bucket is a hash: a name that nobody has is often a password typed into the wrong field.
create table login_failures (
  bucket_hash bytea primary key check (octet_length(bucket_hash) = 32),
  -- 1 name and address, 2 name, 3 address. Statements that touch several buckets lock them in this order.
  breadth smallint not null check (breadth between 1 and 3),
  failures integer not null check (failures >= 1),
  -- Until then it counts; while it is full, until then the bucket refuses. Expired rows count as absent.
  expires_at timestamptz not null
) with (fillfactor = 70);
create index login_failures_by_expiry on login_failures (expires_at);
