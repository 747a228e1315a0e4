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

-- What moves money over the operator's limit, and waits for another person. A row stands as it was written: what
-- became of it is in the table below.
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
  amount bigint not null check (amount > 0),
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
