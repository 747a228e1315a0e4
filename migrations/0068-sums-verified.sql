-- A verification also holds the sums that the database keeps of receivables and billings (0062, 0065) against their rows.

-- A day on which they differ, until a verification finds them at one. A table of its own: a version from before this, running beside,
-- knows differences of installments alone.
create table sum_differences (
  merchant_id text not null,
  -- What is summed up.
  summed text not null check (summed in ('receivables', 'billings')),
  -- '': of all accounts together.
  account_number text not null,
  day date not null,
  -- The first of the day's sums that differs.
  sum text not null check (char_length(sum) <= 40),
  -- Cents: what is kept less what the rows come to, up to a bound; 0 where they differ in their number alone.
  amount bigint not null,
  expected text not null check (char_length(expected) <= 40),
  found text not null check (char_length(found) <= 40),
  -- Real time.
  opened_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (merchant_id, summed, day, account_number)
);
-- The largest first, of all and of each merchant.
create index sum_differences_by_size on sum_differences (abs(amount) desc, opened_at, day) where ended_at is null;
create index sum_differences_of_merchant on sum_differences (merchant_id, abs(amount) desc, opened_at, day) where ended_at is null;

alter table truth_runs
  -- How far it has come: the last day of each kind whose sums were compared; 9999-12-31: all were.
  add column receivable_days_after date not null default '0001-01-01',
  add column billing_days_after date not null default '0001-01-01',
  -- How many were; and those that could not be read.
  add column days bigint not null default 0,
  add column days_left_out bigint not null default 0;
