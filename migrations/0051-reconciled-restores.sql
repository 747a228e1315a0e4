-- A database that was restored is compared with the acquirer's books before it acts: how far that went, and what of a charge differed.
create table restore_runs (
  run_number bigint generated always as identity primary key,
  -- By the acquirer's clock: what it did before is not asked for.
  since timestamptz not null,
  -- When the services of the lost database ended, as the operator says; null: not known.
  stopped_at timestamptz,
  -- The newest authorization in the acquirer's books: until then they lived. Null: it has none.
  last_sale_at timestamptz,
  -- Of the acquirer's list; null: at its beginning.
  cursor text,
  -- Charges by what was found of them.
  seen bigint not null default 0,
  ended bigint not null default 0,
  left_to_services bigint not null default 0,
  not_ours bigint not null default 0,
  begun_at timestamptz not null default now(),
  finished_at timestamptz
);

-- Charges that were put into the books, voided, or wait for a person. The merchant may be one that the books have lost too.
create table restored_charges (
  merchant_id text not null,
  transaction_id uuid not null,
  run_number bigint not null,
  decision text not null check (decision in ('filled', 'voided', 'undecided')),
  reason text not null check (char_length(reason) between 1 and 40),
  -- As the acquirer has it, without anything of a card but its first six and last four digits.
  charge jsonb not null,
  found_at timestamptz not null default now(),
  decided_at timestamptz,
  decided_by text,
  primary key (merchant_id, transaction_id),
  check ((decision = 'undecided') = (decided_at is null)),
  check ((decided_by is null) = (decided_at is null))
);
create index restored_charges_undecided on restored_charges (found_at, merchant_id, transaction_id) where decision = 'undecided';
