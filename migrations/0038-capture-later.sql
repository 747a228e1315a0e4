-- Sales that are authorized now and captured later. Only such a sale has a row in the tables below, and only it has the two new states:
-- a version from before this, running beside, makes none, resolves and cancels none (it looks for the states that it knows), and the
-- void of one that is let go is left to the state `unresolved`, which it knows how to end.
alter table transactions
  drop constraint transactions_state_check,
  -- The rows that are there passed the narrower check.
  add constraint transactions_state_check
    check (state in ('charging', 'unresolved', 'preauthorized', 'capturing', 'approved', 'declined', 'voided')) not valid,
  add constraint transactions_preauthorized_check
    check (state not in ('preauthorized', 'capturing') or (authorization_code is not null and nsu is not null)) not valid;

-- What a pre-authorized sale has beside its transaction, whose amount becomes what is captured.
create table preauthorizations (
  merchant_id text not null,
  transaction_id uuid not null,
  -- Cents.
  authorized_amount bigint not null check (authorized_amount between 1 and 9999999999),
  -- Business time, all of them.
  authorized_at timestamptz not null,
  capture_until timestamptz not null,
  -- When it is let go by itself: `capture_until` while it waits for its capture. Null: it is being captured, was captured, or was let go.
  expires_at timestamptz,
  -- Who let it go and when: a cancel of the merchant (its id), or its time was over.
  released_at timestamptz,
  released_by text,
  release_id uuid,
  primary key (merchant_id, transaction_id),
  foreign key (merchant_id, transaction_id) references transactions,
  check (expires_at = capture_until),
  check (expires_at is null or released_at is null),
  check ((released_at is null) = (released_by is null)),
  check (release_id is null or released_at is not null)
);
create index preauthorizations_due on preauthorizations (expires_at) where expires_at is not null;
create index preauthorizations_due_of_merchant on preauthorizations (merchant_id, expires_at) where expires_at is not null;

-- A request to capture. The row is committed before the acquirer is asked (state capturing) and again with its answer; an unanswered one
-- is asked for, and sent again under the same id, until the acquirer says yes or no.
create table captures (
  merchant_id text not null,
  capture_id uuid not null,
  transaction_id uuid not null,
  state text not null check (state in ('capturing', 'captured', 'refused')),
  -- Cents.
  amount bigint not null check (amount between 1 and 9999999999),
  created_by text not null,
  -- Business time, both; created_at and decided_at are real time.
  requested_at timestamptz not null,
  captured_at timestamptz,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  -- The acquirer's word for a no.
  refusal_reason text,
  -- Raised whenever a process takes the row over.
  fence integer not null default 0,
  -- The end of the lease, or when to ask again.
  due_at timestamptz,
  tries smallint not null default 0,
  -- Why the last answer was unknown: a word for people. Null while the first answer is awaited.
  unknown_reason text,
  primary key (merchant_id, capture_id),
  foreign key (merchant_id, transaction_id) references preauthorizations,
  check ((state = 'capturing') = (due_at is not null)),
  check ((state = 'capturing') = (decided_at is null)),
  check ((state = 'captured') = (captured_at is not null)),
  check ((state = 'refused') = (refusal_reason is not null))
);
create index captures_due on captures (due_at) where due_at is not null;
-- A sale is captured once; those that were refused stay beside.
create unique index captures_of_transaction on captures (merchant_id, transaction_id) where state <> 'refused';
