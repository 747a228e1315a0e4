-- Outside a transaction, like its neighbours: each command may be repeated.
-- The acquirers' files as they were taken, what their lines are about, and where they and our books differ.

create table if not exists settlement_files (
  file_number bigint generated always as identity primary key,
  -- A file is taken once.
  sha256 bytea not null unique check (octet_length(sha256) = 32),
  name text not null check (char_length(name) <= 200),
  format text not null check (format in ('adiq', 'cielo04', 'redeEevc', 'redeEefi')),
  version text not null check (char_length(version) <= 40),
  establishment text not null check (char_length(establishment) <= 40),
  made_on date not null,
  from_on date not null,
  to_on date not null,
  -- The acquirer's number of the file; null: the format has none.
  sequence bigint,
  is_repetition boolean not null,
  -- How many numbers are missing between the file before and this one.
  missing_before bigint not null default 0,
  -- The file that was sent anew by this one; and the one that this one was sent anew by.
  replaces bigint,
  replaced_by bigint,
  entries integer not null default 0,
  -- Cents.
  gross bigint not null default 0,
  net bigint not null default 0,
  began_at timestamptz not null default now(),
  -- Null: it is being taken, and nothing of it is seen; a process that died left its lines to the next one.
  taken_at timestamptz,
  taken_by text not null check (char_length(taken_by) <= 100),
  -- How far its lines are matched. `due_at`: the lease of the process that takes or matches it; null: it is matched.
  matched_line integer not null default 0,
  matched_at timestamptz,
  due_at timestamptz,
  fence bigint not null default 0,
  check ((taken_at is null) or (matched_at is null) = (due_at is not null))
);
create index if not exists settlement_files_due on settlement_files (due_at) where taken_at is not null and due_at is not null;
create index if not exists settlement_files_by_sequence on settlement_files (format, establishment, sequence) where taken_at is not null;
create index if not exists settlement_files_by_time on settlement_files (taken_at) where taken_at is not null;

-- A line that says something. It is never changed: what it is about stands in settlement_matches, or in an exception.
create table if not exists settlement_entries (
  file_number bigint not null,
  line_number integer not null,
  kind text not null,
  establishment text not null,
  order_reference text check (char_length(order_reference) <= 64),
  -- The last 16 hexadecimal digits of our reference, as receivables have it; null: the order number is none of ours.
  reference_tail bigint,
  tid text check (char_length(tid) <= 40),
  nsu text check (char_length(nsu) <= 40),
  authorization_code text check (char_length(authorization_code) <= 40),
  brand text,
  card_last_four text check (char_length(card_last_four) <= 4),
  sold_on date,
  installment_number smallint,
  installment_count smallint,
  -- Cents, negative where the merchant is debited.
  gross bigint not null,
  fee bigint,
  net bigint,
  anticipation_fee bigint,
  bank_on date,
  batch text check (char_length(batch) <= 40),
  receivable_unit text check (char_length(receivable_unit) <= 100),
  description text check (char_length(description) <= 200),
  -- Of the order of a credit or debit: the line that announces one and the line that settles it have the same.
  document text check (char_length(document) <= 40),
  -- As the file has it, the digits of cards masked.
  line text not null check (char_length(line) <= 800),
  primary key (file_number, line_number)
);
-- The sales of a batch that is paid for in one line.
create index if not exists settlement_entries_of_batch on settlement_entries (establishment, batch, file_number, line_number)
  where batch is not null and kind = 'sale';
-- Credits and debits of no sale, by the day of their money.
create index if not exists settlement_entries_adjustments on settlement_entries (bank_on) where kind = 'adjustment';

-- What of a line is one installment's. Of a line about a sale or a batch there are several.
create table if not exists settlement_matches (
  merchant_id text not null,
  transaction_id uuid not null,
  installment_number smallint not null,
  file_number bigint not null,
  line_number integer not null,
  kind text not null,
  rule text not null check (rule in ('reference', 'tid', 'nsu', 'authorization', 'batch')),
  gross bigint not null,
  fee bigint,
  net bigint,
  anticipation_fee bigint,
  bank_on date,
  document text,
  -- Of the change that it became in acquirer_changes; null: none.
  change_id text check (char_length(change_id) <= 64),
  primary key (merchant_id, transaction_id, installment_number, file_number, line_number)
);
create index if not exists settlement_matches_by_line on settlement_matches (file_number, line_number);
create index if not exists settlement_matches_by_bank_day on settlement_matches
  (bank_on, merchant_id, transaction_id, installment_number);
-- For the sheet of a day, of all merchants.
create index if not exists receivables_of_day on receivables (expected_on, merchant_id, transaction_id, installment_number);

-- Which establishments pay which merchants, as matching learned it, and up to which day their files tell.
create table if not exists settlement_coverages (
  merchant_id text not null,
  format text not null,
  establishment text not null,
  -- What was due before the first file is not missed in it.
  covered_from date not null,
  covered_to date not null,
  -- Up to which day the installments that no file tells of have been looked for.
  looked_to date not null,
  primary key (merchant_id, format, establishment)
);
create index if not exists settlement_coverages_of_establishment on settlement_coverages (format, establishment);

create table if not exists reconciliation_exceptions (
  -- '': no merchant is known for the line.
  merchant_id text not null,
  exception_id uuid not null,
  -- What it is about and its class: a difference is found once.
  exception_key text not null check (char_length(exception_key) <= 120),
  class text not null check (class in ('notInFile', 'notInParcela', 'amountDiffers', 'feeDiffers', 'dateDiffers', 'duplicateInFile',
    'cancellationUnknown', 'chargebackUnknown', 'heldByPledge')),
  state text not null check (state in ('open', 'explained', 'healed', 'resolved')),
  account_number text,
  transaction_id uuid,
  installment_number smallint,
  -- The line that it is about; null: of an installment, which shows its own lines.
  file_number bigint,
  line_number integer,
  -- Cents that the merchant lacks; negative: has too much.
  amount bigint not null,
  expected text check (char_length(expected) <= 40),
  found text check (char_length(found) <= 40),
  -- When the money was expected, or came.
  day date,
  explanation text,
  -- Real time, all of them.
  opened_at timestamptz not null default now(),
  ended_at timestamptz,
  resolved_by text check (char_length(resolved_by) <= 100),
  reason text check (char_length(reason) <= 200),
  -- When it is looked at again: the sale of its line may come yet, or the books catch up.
  due_at timestamptz,
  tries smallint not null default 0,
  primary key (merchant_id, exception_id),
  unique (merchant_id, exception_key),
  check ((state in ('healed', 'resolved')) = (ended_at is not null)),
  check ((state = 'resolved') = (reason is not null and resolved_by is not null)),
  check (state in ('open', 'explained') or due_at is null)
);
create index if not exists reconciliation_exceptions_by_id on reconciliation_exceptions (exception_id);
create index if not exists reconciliation_exceptions_due on reconciliation_exceptions (due_at) where due_at is not null;
create index if not exists reconciliation_exceptions_of_installment on reconciliation_exceptions
  (merchant_id, transaction_id, installment_number) where transaction_id is not null;
create index if not exists reconciliation_exceptions_of_account on reconciliation_exceptions
  (merchant_id, account_number, day, exception_id);
create index if not exists reconciliation_exceptions_of_line on reconciliation_exceptions (file_number, line_number)
  where file_number is not null;
create index if not exists reconciliation_exceptions_by_day on reconciliation_exceptions (day, class);
-- What is not ended, for lists and metrics of all merchants.
create index if not exists reconciliation_exceptions_open on reconciliation_exceptions (class, opened_at) include (amount)
  where state = 'open';

-- Where an account is notified of exceptions, when its merchant wants it.
create table if not exists reconciliation_notifiers (
  merchant_id text not null,
  account_number text not null,
  callback_url text not null check (char_length(callback_url) <= 500),
  -- The server behind the address, as deliveries name it.
  endpoint text not null,
  created_by text not null,
  created_at timestamptz not null,
  primary key (merchant_id, account_number)
);
