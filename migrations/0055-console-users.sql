-- People who look at screens. Of a merchant, or, without one, of the operator: those see all merchants.
create table console_users (
  user_id uuid primary key,
  name text not null unique check (name ~ '^[a-z0-9][a-z0-9._@+-]{0,59}$'),
  role text not null check (role in ('viewer', 'support', 'finance', 'operator', 'admin')),
  merchant_id text references merchants (merchant_id),
  -- Null: as the browser prefers it.
  language text check (language in ('pt', 'en')),
  created_at timestamptz not null default now(),
  disabled_at timestamptz
);
create index console_users_of_merchant on console_users (merchant_id);

create table console_passkeys (
  credential_id bytea primary key check (octet_length(credential_id) between 1 and 1023),
  user_id uuid not null references console_users (user_id),
  public_key bytea not null check (octet_length(public_key) <= 4096),
  sign_count bigint not null check (sign_count >= 0),
  transports text[] not null,
  created_at timestamptz not null default now(),
  used_at timestamptz
);
create index console_passkeys_of_user on console_passkeys (user_id);

-- Invitations, and links to sign in with in homologation: each is used once.
create table console_links (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  user_id uuid not null references console_users (user_id),
  created_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index console_links_of_user on console_links (user_id);
create index console_links_by_end on console_links (expires_at);

-- `opened_by`: the hash of the link or of the challenge that opened it. It opens no other.
create table console_sessions (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  user_id uuid not null references console_users (user_id),
  opened_by bytea not null unique check (octet_length(opened_by) = 32),
  created_at timestamptz not null default now(),
  seen_at timestamptz not null,
  expires_at timestamptz not null
);
create index console_sessions_of_user on console_sessions (user_id);
create index console_sessions_by_end on console_sessions (expires_at);
