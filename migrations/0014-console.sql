-- A user as he was since he was let in last: a new hand at each invitation and recovery. Whom he lets in is
-- let in by the hand that he has then, so that a chain of these stays as it was when somebody in its middle is
-- recovered.
create table console_hands (
  hand_id uuid primary key,
  user_id uuid not null,
  made_at timestamptz not null default now()
);

-- People who look at screens. Of a merchant, or, without one, of the operator: those see all merchants.
create table console_users (
  user_id uuid primary key,
  name text not null check (name ~ '^[a-z0-9][a-z0-9._@+-]{0,59}$') unique,
  role text not null check (role in ('viewer', 'support', 'finance', 'operator', 'admin')),
  merchant_id text references merchants (merchant_id),
  -- Null: as the browser prefers it.
  language text check (language in ('pt', 'en')),
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  hand_id uuid not null references console_hands (hand_id),
  role_given_at timestamptz
);
create index console_users_of_merchant on console_users (merchant_id);

alter table console_hands add foreign key (user_id) references console_users (user_id);

-- Rows are added, and never changed or taken away. No row: the command line let that one in.
create table console_hand_givers (
  hand_id uuid not null references console_hands (hand_id),
  given_by uuid not null references console_hands (hand_id),
  gift text not null check (gift in ('access', 'role')),
  made_at timestamptz not null default now(),
  primary key (hand_id, given_by, gift)
);

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

-- Users who sign in through the operator's identity provider (OIDC). A row is an invitation until somebody
-- signs in under the user's name for the first time, and from then on names the one identity that opens the
-- console.
create table console_identities (
  user_id uuid primary key references console_users (user_id),
  created_by text not null,
  created_at timestamptz not null default now(),
  -- Until when an identity may be bound.
  invited_until timestamptz not null,
  issuer text check (octet_length(issuer) between 1 and 1000),
  subject text check (octet_length(subject) between 1 and 1000),
  bound_at timestamptz,
  unique (issuer, subject),
  check ((issuer is null) = (subject is null) and (issuer is null) = (bound_at is null))
);

-- `opened_by`: the hash of the link or of the challenge that opened it. It opens no other.
create table console_sessions (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  user_id uuid not null references console_users (user_id),
  opened_by bytea not null check (octet_length(opened_by) = 32) unique,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null,
  expires_at timestamptz not null
);
create index console_sessions_of_user on console_sessions (user_id);
create index console_sessions_by_end on console_sessions (expires_at);

-- Each form that a user sent. The key that stands in it does one thing, once.
create table console_actions (
  once_key uuid primary key,
  user_id uuid not null references console_users (user_id),
  -- Where it was sent, and what it said: the same key with others is another wish.
  path_hash bytea not null check (octet_length(path_hash) = 32),
  fields_hash bytea not null check (octet_length(fields_hash) = 32),
  begun_at timestamptz not null default now(),
  -- Null: it is under way, or it is not known what became of it.
  outcome text check (outcome in ('done', 'refused')),
  -- What a refusal said, to say it again.
  refusal jsonb check (octet_length(refusal::text) <= 20000),
  ended_at timestamptz,
  check ((outcome is null) = (ended_at is null)),
  check ((refusal is not null) = (outcome is not distinct from 'refused'))
);
create index console_actions_of_user on console_actions (user_id);
create index console_actions_by_begin on console_actions (begun_at);

-- What is under way at one place: a thing that moves money is moved by one form at a time.
create index console_actions_under_way on console_actions (path_hash) where outcome is null;

-- What moves money over the operator's limit, and waits for another person. A row stands as it was written:
-- what became of it is in the table below.
create table console_requests (
  request_id uuid primary key,
  -- Null: of the operator's pages, which no merchant's user sees.
  merchant_id text references merchants (merchant_id),
  requested_by uuid not null references console_users (user_id),
  operation text not null,
  path text not null check (length(path) <= 500),
  fields jsonb not null check (octet_length(fields::text) <= 20000),
  reason text not null,
  -- What would move, and how the thing stood then: by the books.
  amount bigint not null check (amount >= 0),
  standing text not null check (length(standing) <= 500),
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  -- Over all of the above, by a key that the database does not have.
  seal bytea not null check (octet_length(seal) = 32)
);
create index console_requests_of_merchant on console_requests (merchant_id, requested_at);
create index console_requests_of_user on console_requests (requested_by);
create index console_requests_by_moment on console_requests (requested_at);

-- One for each request: what a second person said.
create table console_decisions (
  request_id uuid primary key references console_requests (request_id) on delete cascade,
  decided_by uuid not null references console_users (user_id),
  decision text not null check (decision in ('approved', 'declined')),
  reason text not null,
  decided_at timestamptz not null default now(),
  -- Of what was approved. Null: it is under way, or it is not known what became of it.
  outcome text check (outcome in ('done', 'refused')),
  -- The reason, of a refusal.
  refusal text check (length(refusal) <= 2000)
);
create index console_decisions_of_user on console_decisions (decided_by);

-- What is under way at one place, beside the forms above.
create index console_decisions_under_way on console_decisions (decided_at)
  where decision = 'approved' and outcome is null;

-- Filters of a list that a user keeps under a name. Each has one of thirty places: there are never more,
-- whatever is sent at once.
create table console_filters (
  merchant_id text not null references merchants (merchant_id),
  user_id uuid not null references console_users (user_id),
  place smallint not null check (place between 1 and 30),
  list text not null check (list in ('payments', 'subscriptions', 'billings', 'boletos', 'exceptions', 'deliveries')),
  name text not null check (char_length(name) between 1 and 40),
  -- As the address of the list has it.
  query text not null check (char_length(query) between 1 and 500),
  created_at timestamptz not null default now(),
  primary key (merchant_id, user_id, place),
  unique (merchant_id, user_id, list, name)
);
