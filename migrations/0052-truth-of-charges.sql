-- Outside a transaction: an index on movements is built while they are written. Each command may be repeated.
-- A verification goes over charges and movements too, and each day has a sealed report of what was verified on it.

alter table truth_runs
  add column if not exists charges bigint not null default 0,
  -- How far it has come: the last charge that was compared, in the order in which they were sold.
  add column if not exists charge_after_at timestamptz not null default '1970-01-01T00:00:00Z',
  add column if not exists charge_after_id uuid not null default '00000000-0000-0000-0000-000000000000';

alter table truth_differences drop constraint if exists truth_differences_class_check;
alter table truth_differences add constraint truth_differences_class_check
  check (class in ('chargesDiffer', 'movementsDiffer', 'booksDiffer', 'feedDiffers', 'filesDiffer', 'ledgerDiffers')) not valid;
alter table truth_differences validate constraint truth_differences_class_check;

-- What was compared on a day, of all merchants, under a seal of the audit key: written once.
create table if not exists truth_reports (
  -- In São Paulo, by real time.
  day date primary key,
  made_at timestamptz not null default now(),
  charges bigint not null,
  differences bigint not null,
  -- JSON, as it was sealed.
  report text not null check (char_length(report) <= 100000),
  data_key_id integer not null references data_keys,
  seal bytea not null check (octet_length(seal) = 32)
);

-- The movements of an installment, in their order.
drop index concurrently if exists movements_by_transaction;
create index concurrently movements_by_transaction on movements (merchant_id, transaction_id, installment_number, movement_id)
  where transaction_id is not null;
