-- Outside a transaction: indexes on receivables and changes are built while these are written. Each command may be repeated.
-- Whether books, the acquirer's reports, its files and its ledger agree, as it was verified.

-- One verification of a merchant: of a night, or because somebody asked.
create table if not exists truth_runs (
  merchant_id text not null,
  run_number bigint generated always as identity,
  -- The merchant's business day.
  day date not null,
  cause text not null check (cause in ('night', 'asked')),
  -- What was to be paid before this day is compared only while it is open.
  from_on date not null,
  -- How far it has come: the last installment that was compared, in the order of the days of payment.
  after_on date not null default '0001-01-01',
  after_transaction_id uuid not null default '00000000-0000-0000-0000-000000000000',
  after_installment_number smallint not null default 0,
  -- Real time, all of them.
  began_at timestamptz not null default now(),
  ended_at timestamptz,
  -- The lease of the process that compares a batch, or when the next batch is due; null: it has ended.
  due_at timestamptz default now(),
  fence bigint not null default 0,
  receivables bigint not null default 0,
  -- Cents; what stands of them by our books.
  standing bigint not null default 0,
  -- Those of which books, reports and files all say that they were paid, and what each says: cents before fees.
  settled bigint not null default 0,
  settled_by_books bigint not null default 0,
  settled_by_feed bigint not null default 0,
  settled_by_files bigint not null default 0,
  -- Of what the files say so much more or less for a known reason: what they take back in lines of its own, cents of rounding.
  explained bigint not null default 0,
  only_in_feed bigint not null default 0,
  only_in_files bigint not null default 0,
  -- Sales that the acquirer was asked for, and whether it stopped answering.
  asked integer not null default 0,
  is_cut_short boolean not null default false,
  -- By class: how many, and their cents.
  differences jsonb not null default '{}',
  primary key (merchant_id, run_number),
  check ((ended_at is null) = (due_at is not null))
);
create unique index if not exists truth_runs_of_nights on truth_runs (merchant_id, day) where cause = 'night';
create index if not exists truth_runs_due on truth_runs (due_at) where due_at is not null;

-- What differs and is no exception of matching: between views, not between a file and what was expected.
create table if not exists truth_differences (
  merchant_id text not null,
  transaction_id uuid not null,
  installment_number smallint not null,
  class text not null check (class in ('booksDiffer', 'feedDiffers', 'filesDiffer', 'ledgerDiffers')),
  -- Cents: what was found less what was expected.
  amount bigint not null,
  expected text check (char_length(expected) <= 40),
  found text check (char_length(found) <= 40),
  -- Real time.
  opened_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (merchant_id, transaction_id, installment_number, class)
);
create index if not exists truth_differences_open on truth_differences (merchant_id, transaction_id, installment_number)
  where ended_at is null;

drop index concurrently if exists receivables_to_verify;
create index concurrently receivables_to_verify on receivables (merchant_id, payment_on, transaction_id, installment_number);
drop index concurrently if exists receivables_open_to_verify;
create index concurrently receivables_open_to_verify on receivables (merchant_id, payment_on, transaction_id, installment_number)
  where installment_state in ('authorized', 'blocked');
-- What the acquirer reported of the payout of an installment.
drop index concurrently if exists acquirer_changes_settling;
create index concurrently acquirer_changes_settling on acquirer_changes (merchant_id, reference, installment_number)
  where event = 'settle';
