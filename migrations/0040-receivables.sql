-- Outside a transaction: an index on cancels is built while they are written. Each command may be repeated.
-- What the acquirer owes for each installment: the fees that it was promised at, and a projection of the sales for reconciliation.

-- Versions of the table of fees. A sale has those of its moment: a version is never changed, and none is put before a sale.
create table if not exists fee_tables (
  -- '': of all merchants that have no version of their own.
  merchant_id text not null,
  -- Business time.
  valid_from timestamptz not null,
  -- As PARCELA_FEES has them; of a merchant's own version an empty text gives it the table of all again.
  rules text not null check (char_length(rules) <= 10000),
  -- `setting`: PARCELA_FEES, as a start found it. Otherwise who set it.
  source text not null check (source in ('setting', 'operator')),
  created_by text not null,
  created_at timestamptz not null default now(),
  primary key (merchant_id, valid_from)
);

-- One row for each installment of an approved transaction, written by a follower of the movements and by what matches the acquirer's
-- files. Amounts are cents.
create table if not exists receivables (
  merchant_id text not null,
  transaction_id uuid not null,
  installment_number smallint not null,
  installment_count smallint not null,
  account_number text not null,
  -- What papers with short order numbers carry: the last 16 hexadecimal digits of the transaction's id.
  reference_tail bigint not null
    generated always as (('x' || right(replace(transaction_id::text, '-', ''), 16))::bit(64)::bigint) stored,
  reference_transaction text,
  nsu text not null,
  authorization_code text not null,
  tid text,
  brand text not null,
  card_first_six text not null,
  card_last_four text not null,
  -- Business time of the sale, and its day in São Paulo.
  sold_at timestamptz not null,
  sold_on date not null,
  -- Of the whole transaction.
  sale_amount bigint not null,
  -- Of the installment as it was sold, and what was given back or taken back of it.
  gross bigint not null check (gross > 0),
  canceled bigint not null check (canceled between 0 and gross),
  installment_state text not null check (installment_state in ('authorized', 'paid', 'canceled', 'blocked')),
  -- Hundredths of a percent; it keeps the fee and the plan of payment that it was born with.
  fee_portion integer not null check (fee_portion between 0 and 9999),
  -- Of what was left of it when it was paid, or is left now.
  expected_fee bigint not null check (expected_fee >= 0),
  expected_net bigint not null check (expected_net >= 0),
  expected_on date not null,
  -- What the acquirer's changes said when it was paid: the day of that change, and fee, net and bank day where it names them.
  paid_on date,
  reported_fee bigint,
  reported_net bigint,
  reported_bank_on date,
  -- What the acquirer's files said.
  filed_fee bigint,
  filed_net bigint,
  filed_anticipation bigint,
  filed_bank_on date,
  -- When the money came; until then, when it is expected.
  payment_on date not null
    generated always as (coalesce(filed_bank_on, reported_bank_on, paid_on, expected_on)) stored,
  primary key (merchant_id, transaction_id, installment_number)
);
-- For matching: a file names no merchant of ours.
create index if not exists receivables_by_reference_tail on receivables (reference_tail);
create index if not exists receivables_by_tid on receivables (tid) where tid is not null;
create index if not exists receivables_by_authorization on receivables (authorization_code, sold_on);
create index if not exists receivables_not_filed on receivables (expected_on, merchant_id) where filed_bank_on is null;
-- For a merchant's days and exports.
create index if not exists receivables_by_expected_day on receivables (merchant_id, account_number, expected_on);
create index if not exists receivables_by_sale on receivables
  (merchant_id, account_number, sold_at, transaction_id, installment_number);
create index if not exists receivables_by_payment_day on receivables
  (merchant_id, account_number, payment_on, transaction_id, installment_number);

-- How far the follower has come in a merchant's movements. Its row is the lock of the process that goes on from there.
create table if not exists receivable_cursors (
  merchant_id text primary key,
  after_number bigint not null default 0,
  -- Real time.
  moved_at timestamptz not null default now()
);

-- A cancel of a part makes no movement while something is left of its installment: so that followers of movements learn of it, it takes
-- a number of theirs in its commit. Null: not carried out, or before this version, whose cancels the first reading of a merchant sees.
alter table cancels add column if not exists recorded_number bigint;
drop index concurrently if exists cancels_by_recorded_number;
create index concurrently cancels_by_recorded_number on cancels (merchant_id, recorded_number)
  where recorded_number is not null;
