-- A database that was restored is compared with the acquirer's books before it acts: how far that went, and
-- what of a charge differed.
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
  finished_at timestamptz,
  -- The process that walks the acquirer's list, and until when it counts as alive; in a cell whose list it is
  -- at.
  of_merchant text,
  also_merchants text[] not null default '{}'::text[],
  -- Whose lists are walked: kind/name. One that is added later is in no comparison.
  providers text[] not null default '{}'::text[],
  -- Acquirers that list no charges: kind/name. Nothing of theirs is in the comparison.
  unlisted text[] not null default '{}'::text[],
  walker uuid,
  walking_until timestamptz
);

-- Charges that were put into the books, voided, or wait for a person. The merchant may be one that the books
-- have lost too.
create table restored_charges (
  merchant_id text not null,
  transaction_id uuid not null,
  run_number bigint not null,
  decision text not null check (decision in ('filled', 'voided', 'undecided', 'unfinished')),
  reason text not null check (char_length(reason) between 1 and 40),
  -- As the acquirer has it, without anything of a card but its first six and last four digits.
  charge jsonb not null,
  found_at timestamptz not null default now(),
  decided_at timestamptz,
  decided_by text,
  -- What of a restored charge is not in the books yet, and who decides on one at this moment.
  detail text check (char_length(detail) between 1 and 200),
  -- Of what a service goes on with; null: it waits for a person, or has ended.
  due_at timestamptz,
  tries integer not null default 0,
  -- Raised by each process that goes on with it.
  fence integer not null default 0,
  claimed_as text check (claimed_as in ('kept', 'voided')),
  claimed_by text,
  claimed_until timestamptz,
  primary key (merchant_id, transaction_id),
  check ((decided_by is null) = (decided_at is null)),
  check ((decision in ('undecided', 'unfinished')) = (decided_at is null))
);
create index restored_charges_undecided on restored_charges (found_at, merchant_id, transaction_id) where decision = 'undecided';
create index restored_charges_unfinished on restored_charges (due_at) where decision = 'unfinished';

-- Shipped lines of the audit log, from behind the restored instant, whose change was done again or found done:
-- each once.
create table restore_redone (
  audit_seal bytea primary key check (octet_length(audit_seal) = 32),
  audit_entry bigint not null,
  redone_at timestamptz not null default now()
);

-- Providers that were added in the lost time, as shipped lines say: their charges are in a comparison only once
-- they are here again.
create table restore_lost_providers (
  audit_seal bytea primary key check (octet_length(audit_seal) = 32),
  kind text not null,
  name text not null,
  noted_at timestamptz not null default now()
);
