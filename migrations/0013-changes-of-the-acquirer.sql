-- What the acquirer makes of charges after it approved them: paid, blocked, released, charged back.

alter table installments
  -- What a blocked one was, and is again when the block is lifted.
  add column state_before_block text check (state_before_block in ('authorized', 'paid')),
  add constraint installments_blocked_check check (state <> 'blocked' or state_before_block is not null);

-- How far the acquirer's changes were read. One row without a merchant in production, where one question brings those of
-- all; in homologation one of each merchant, by whose clock they happen.
create table acquirer_cursors (
  merchant_id text primary key,
  -- The acquirer's own word; null: from the beginning.
  cursor text check (char_length(cursor) <= 64),
  -- Real time: when to ask next. Whoever asks puts it off first, so that others leave it alone meanwhile.
  due_at timestamptz not null default now(),
  -- Raised by every answer that is kept: one to an earlier question is dropped.
  fence bigint not null default 0,
  -- Answers in a row that brought nothing: the next question waits a little longer each time.
  quiet_pulls smallint not null default 0
);
create index acquirer_cursors_due on acquirer_cursors (due_at);

-- One change as it was brought, kept in the commit that moves the cursor, and applied or refused in a commit of its own. No
-- foreign key: an acquirer may tell of charges that are not ours.
create table acquirer_changes (
  merchant_id text not null,
  -- The acquirer's: a change that is told twice is kept once.
  change_id text not null check (char_length(change_id) <= 64),
  -- The order in which they came.
  change_number bigint generated always as identity,
  reference text not null check (char_length(reference) <= 64),
  installment_number smallint not null check (installment_number between 1 and 99),
  event text not null check (event in ('settle', 'block', 'unblock', 'chargeback')),
  -- Business time.
  happened_at timestamptz not null,
  state text not null default 'waiting' check (state in ('waiting', 'applied', 'refused')),
  -- Why it was refused, or waits: a word for people.
  reason text check (char_length(reason) <= 100),
  -- Real time: when to try next. No fence: the lock of the transaction says who applies it, and the state that it is done.
  due_at timestamptz default now(),
  tries smallint not null default 0,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (merchant_id, change_id),
  check ((state = 'waiting') = (due_at is not null)),
  check ((state = 'waiting') = (ended_at is null)),
  check (state <> 'refused' or reason is not null)
);
create index acquirer_changes_due on acquirer_changes (due_at) where state = 'waiting';
create index acquirer_changes_waiting on acquirer_changes (merchant_id, change_number) where state = 'waiting';
-- One of an installment after the other.
create index acquirer_changes_in_order on acquirer_changes (merchant_id, reference, installment_number, change_number)
  where state = 'waiting';
