-- What the acquirer owes for each installment, its files as they were taken, what their lines are about, and where
-- they and our books differ.

-- One row for each installment of an approved transaction, written by a follower of the movements and by what
-- matches the acquirer's files. Amounts are cents.
create table receivables (
  merchant_id text not null,
  transaction_id uuid not null,
  installment_number smallint not null,
  installment_count smallint not null,
  account_number text not null,
  -- What papers with short order numbers carry: the last 16 hexadecimal digits of the transaction's id.
  reference_tail bigint not null
    generated always as (((('x' || "right"(replace((transaction_id)::text, '-', ''), 16)))::bit(64))::bigint) stored,
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
  canceled bigint not null,
  installment_state text not null check (installment_state in ('authorized', 'paid', 'canceled', 'blocked')),
  -- Hundredths of a percent; it keeps the fee and the plan of payment that it was born with.
  fee_portion integer not null check (fee_portion between 0 and 9999),
  -- Of what was left of it when it was paid, or is left now.
  expected_fee bigint not null check (expected_fee >= 0),
  expected_net bigint not null check (expected_net >= 0),
  expected_on date not null,
  -- What the acquirer's changes said when it was paid: the day of that change, and fee, net and bank day where
  -- it names them.
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
  payment_on date not null generated always as (COALESCE(filed_bank_on, reported_bank_on, paid_on, expected_on)) stored,
  -- The first and the last day on which lines of files move something of an installment, where that is not one
  -- payout alone: the days of a merchant look at each of its lines. Null: they move nothing, or one payout on
  -- filed_bank_on.
  apart_from date,
  apart_to date,
  primary key (merchant_id, transaction_id, installment_number),
  check (canceled between 0 and gross)
);

-- For matching: a file names no merchant of ours. The first installment stands for its sale, whose installments
-- are written together. Amounts are always more than 0: each question says of them what its own index does, so that
-- no plan takes another one.
create index receivables_by_reference_tail on receivables (reference_tail) where installment_number = 1 and gross > 0;
create index receivables_by_tid on receivables (tid) where installment_number = 1 and tid is not null;
create index receivables_by_authorization on receivables (authorization_code, sold_on)
  where installment_number = 1 and sale_amount > 0;

-- For a merchant's exports, and for the verification of the days on which money came.
create index receivables_by_sale on receivables
  (merchant_id, account_number, sold_at, transaction_id, installment_number);
create index receivables_by_payment_day on receivables
  (merchant_id, account_number, payment_on, transaction_id, installment_number);

-- Each installment stands in one of the two, until a file has paid it in the first: for the sheet of a day, for the
-- verification of its sums, and for payouts that no file has.
create index receivables_not_filed on receivables (merchant_id, expected_on, transaction_id, installment_number)
  where filed_bank_on is null;
create index receivables_filed on receivables (merchant_id, expected_on, transaction_id, installment_number)
  where filed_bank_on is not null;

-- For the verification of old installments.
create index receivables_open_to_verify on receivables (merchant_id, payment_on, transaction_id, installment_number)
  where installment_state in ('authorized', 'blocked');
create index receivables_apart on receivables
  (merchant_id, account_number, apart_to, transaction_id, installment_number) where apart_to is not null;

-- A day has several rows, which are added up: each commit adds what it changed, and waits for no other one.
-- Now and then they are put together. Amounts are cents; what only takes away is below zero.
create table receivable_days (
  merchant_id text not null,
  account_number text not null,
  day date not null,
  part_number bigint generated always as identity,
  -- On the day on which they were to be paid: those of which anything was left.
  expected_count bigint not null,
  expected_net bigint not null,
  expected_fee bigint not null,
  -- Those of them that have not come, on this day or another.
  open_count bigint not null,
  open_net bigint not null,
  -- On the day on which they came: those that one payout paid, or that the acquirer reported by itself.
  received_count bigint not null,
  received_net bigint not null,
  received_fee bigint not null,
  without_net_count bigint not null,
  unfiled_count bigint not null,
  unfiled_net bigint not null,
  differing_count bigint not null,
  difference bigint not null,
  primary key (merchant_id, account_number, day, part_number)
) with (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000
);

-- How far the follower has come in a merchant's movements. Its row is the lock of the process that goes on
-- from there.
create table receivable_cursors (
  merchant_id text primary key,
  after_number bigint not null default 0,
  -- Real time.
  moved_at timestamptz not null default now()
);

create table settlement_files (
  file_number bigint generated always as identity primary key,
  -- A file is taken once.
  sha256 bytea not null check (octet_length(sha256) = 32) unique,
  name text not null check (char_length(name) <= 200),
  format text not null check (format in ('adiq', 'cielo04', 'redeEevc', 'redeEefi', 'getnet')),
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
  -- How far its lines are matched. `due_at`: the lease of the process that takes or matches it; null: it is
  -- matched.
  matched_line integer not null default 0,
  matched_at timestamptz,
  due_at timestamptz,
  fence bigint not null default 0,
  check ((taken_at is null) or (matched_at is null) = (due_at is not null))
);
create index settlement_files_due on settlement_files (due_at) where taken_at is not null and due_at is not null;
create index settlement_files_by_sequence on settlement_files (format, establishment, sequence) where taken_at is not null;
create index settlement_files_by_time on settlement_files (taken_at) where taken_at is not null;

-- Files of an acquirer that were not taken: each content once, with what was wrong with it the last time.
create table settlement_refusals (
  sha256 bytea primary key check (octet_length(sha256) = 32),
  name text not null check (char_length(name) <= 200),
  size_bytes bigint not null check (size_bytes >= 0),
  -- What is wrong with the whole; null: its lines are.
  reason text check (char_length(reason) <= 200),
  -- JSON: the first faults of its lines, in both languages.
  faults text not null check (char_length(faults) <= 20000),
  refused_by text not null check (char_length(refused_by) <= 100),
  refused_at timestamptz not null default now(),
  times integer not null default 1
);
create index settlement_refusals_by_time on settlement_refusals (refused_at);

-- A line that says something. It is never changed: what it is about stands in settlement_matches, or in an
-- exception.
create table settlement_entries (
  file_number bigint not null,
  line_number integer not null,
  kind text not null,
  establishment text not null,
  order_reference text check (char_length(order_reference) <= 64),
  -- The last 16 hexadecimal digits of our reference, as receivables have it; null: the order number is none of
  -- ours.
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
create index settlement_entries_of_batch on settlement_entries (establishment, batch, file_number, line_number)
  where batch is not null and kind = 'sale';

-- Credits and debits of no sale, by the day of their money.
create index settlement_entries_adjustments on settlement_entries (bank_on) where kind = 'adjustment';

-- What of a line is one installment's. Of a line about a sale or a batch there are several.
create table settlement_matches (
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
create index settlement_matches_by_line on settlement_matches (file_number, line_number);
create index settlement_matches_by_bank_day on settlement_matches
  (bank_on, merchant_id, transaction_id, installment_number);

-- Which establishments pay which merchants, as matching learned it, and up to which day their files tell.
create table settlement_coverages (
  merchant_id text not null,
  format text not null,
  establishment text not null,
  -- What was due before the first file is not missed in it.
  covered_from date not null,
  covered_to date not null,
  -- Up to which day the installments that no file tells of have been looked for.
  looked_to date not null,
  -- Raised by whoever writes an installment of days that were looked through: a look that began before does
  -- not count.
  fence bigint not null default 0,
  primary key (merchant_id, format, establishment)
);
create index settlement_coverages_of_establishment on settlement_coverages (format, establishment);

create table reconciliation_exceptions (
  -- '': no merchant is known for the line.
  merchant_id text not null,
  exception_id uuid not null,
  -- What it is about and its class: a difference is found once.
  exception_key text not null check (char_length(exception_key) <= 250),
  class text not null
    check (class in ('notInFile', 'notInParcela', 'amountDiffers', 'feeDiffers', 'dateDiffers', 'duplicateInFile', 'cancellationUnknown', 'chargebackUnknown', 'heldByPledge', 'unknownCode', 'unexpectedPayment', 'takenBack')),
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
  -- Whether it was open before a rule explained it: its merchant was notified of it then.
  was_open boolean not null default false,
  boleto_id uuid,
  primary key (merchant_id, exception_id),
  unique (merchant_id, exception_key),
  check ((state in ('healed', 'resolved')) = (ended_at is not null)),
  check ((state = 'resolved') = (reason is not null and resolved_by is not null)),
  check (state in ('open', 'explained') or due_at is null)
);
create index reconciliation_exceptions_by_id on reconciliation_exceptions (exception_id);
create index reconciliation_exceptions_due on reconciliation_exceptions (due_at) where due_at is not null;
create index reconciliation_exceptions_of_installment on reconciliation_exceptions
  (merchant_id, transaction_id, installment_number) where transaction_id is not null;
create index reconciliation_exceptions_of_line on reconciliation_exceptions (file_number, line_number)
  where file_number is not null;
create index reconciliation_exceptions_by_day on reconciliation_exceptions (day, class);

-- What is not ended, for lists and metrics of all merchants.
create index reconciliation_exceptions_open on reconciliation_exceptions (class, opened_at) include (amount)
  where state = 'open';
create index reconciliation_exceptions_by_account on reconciliation_exceptions
  (merchant_id, account_number, state, day, exception_id) include (class);
create index reconciliation_exceptions_by_size on reconciliation_exceptions
  (state, class, abs(amount) desc, opened_at, exception_id);
create index reconciliation_exceptions_of_merchant on reconciliation_exceptions
  (merchant_id, state, class, abs(amount) desc, opened_at, exception_id);

-- One verification of a merchant: of a night, or because somebody asked.
create table truth_runs (
  merchant_id text not null,
  run_number bigint generated always as identity,
  -- The merchant's business day.
  day date not null,
  cause text not null check (cause in ('night', 'asked')),
  -- What was to be paid before this day is compared only while it is open.
  from_on date not null,
  -- How far it has come: the last installment that was compared, in the order of the days of payment.
  after_on date not null default '0001-01-01'::date,
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
  -- Those of which books, reports and files all say that they were paid, and what each says: cents before
  -- fees.
  settled bigint not null default 0,
  settled_by_books bigint not null default 0,
  settled_by_feed bigint not null default 0,
  settled_by_files bigint not null default 0,
  -- Of what the files say so much more or less for a known reason: what they take back in lines of its own,
  -- cents of rounding.
  explained bigint not null default 0,
  only_in_feed bigint not null default 0,
  only_in_files bigint not null default 0,
  -- Sales that the acquirer was asked for, and whether it stopped answering.
  asked integer not null default 0,
  is_cut_short boolean not null default false,
  -- By class: how many, and their cents.
  differences jsonb not null default '{}'::jsonb,
  -- Receivables of sales that the acquirer finds no more, and sales that differ and were not asked for.
  beyond_look_up bigint not null default 0,
  left_out bigint not null default 0,
  charges bigint not null default 0,
  -- How far it has come: the last charge that was compared, in the order in which they were sold.
  charge_after_at timestamptz not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  charge_after_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- How far it has come: the last day of each kind whose sums were compared; 9999-12-31: all were.
  receivable_days_after date not null default '0001-01-01'::date,
  billing_days_after date not null default '0001-01-01'::date,
  -- How many were; and those that could not be read.
  days bigint not null default 0,
  days_left_out bigint not null default 0,
  primary key (merchant_id, run_number),
  check ((ended_at is null) = (due_at is not null))
);
create unique index truth_runs_of_nights on truth_runs (merchant_id, day) where cause = 'night';
create index truth_runs_due on truth_runs (due_at) where due_at is not null;

-- What differs and is no exception of matching: between views, not between a file and what was expected.
create table truth_differences (
  merchant_id text not null,
  transaction_id uuid not null,
  installment_number smallint not null,
  class text not null
    check (class in ('chargesDiffer', 'movementsDiffer', 'booksDiffer', 'feedDiffers', 'filesDiffer', 'ledgerDiffers')),
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
create index truth_differences_open on truth_differences (merchant_id, transaction_id, installment_number)
  where ended_at is null;
create index truth_differences_by_size on truth_differences
  (abs(amount) desc, opened_at, transaction_id) where ended_at is null;
create index truth_differences_of_merchant on truth_differences
  (merchant_id, abs(amount) desc, opened_at, transaction_id) where ended_at is null;

-- What a night may ask the acquirer for, of all merchants together, and what a run could not ask for.
create table truth_budgets (
  -- The day of the night, or the id of what somebody asked for.
  budget_key text primary key check (char_length(budget_key) <= 60),
  -- Real time.
  opened_at timestamptz not null default now(),
  -- How many questions it has, and how many merchants share them.
  questions integer not null check (questions >= 0),
  merchants integer not null check (merchants >= 0),
  -- Taken by all, in the hands of a process or asked.
  asked integer not null default 0,
  -- Merchants whose run has ended, and what these have asked: the others share the rest.
  ended_merchants integer not null default 0,
  ended_asked integer not null default 0,
  -- For each question that was not answered its acquirer: after some nobody asks it.
  unanswered text[] not null default '{}'
);

-- What was compared on a day, of all merchants, under a seal of the audit key: written once.
create table truth_reports (
  -- In São Paulo, by real time.
  day date primary key,
  made_at timestamptz not null default now(),
  charges bigint not null,
  differences bigint not null,
  -- JSON, as it was sealed.
  report text not null check (char_length(report) <= 100000),
  data_key_id integer not null references data_keys (data_key_id),
  seal bytea not null check (octet_length(seal) = 32)
);

-- A day on which they differ, until a verification finds them at one.
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

-- What one receivable adds to the day on which it was to be paid, and to the day on which it came. Of what
-- lines of files move otherwise than by one payout (`apart_to`) only the expectation is here. A cent for each
-- installment of the sale is rounding.
create function receivable_day_parts(expected_on date, expected_net bigint, expected_fee bigint, payment_on date,
  installment_count smallint, paid_on date, reported_fee bigint, reported_net bigint, reported_bank_on date, filed_fee bigint,
  filed_net bigint, filed_anticipation bigint, apart_to date)
returns table (day date, expected_count bigint, expected_net bigint, expected_fee bigint, open_count bigint, open_net bigint,
  received_count bigint, received_net bigint, received_fee bigint, without_net_count bigint, unfiled_count bigint,
  unfiled_net bigint, differing_count bigint, difference bigint)
language sql immutable as $$
  select $1, 1::bigint, $2, $3, o.is_open, o.is_open * $2, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint,
    0::bigint
  from (select (num_nonnulls($11, $9, $6) = 0)::integer::bigint as is_open) o where $2 > 0
  union all
  select $4, 0, 0, 0, 0, 0, 1, coalesce(r.net, 0), coalesce(r.fee, 0), (r.net is null)::integer, r.is_unfiled,
    r.is_unfiled * coalesce(r.net, 0), coalesce((abs(r.net - $2) > $5)::integer, 0), coalesce(r.net - $2, 0)
  from (
    select coalesce($11, $8) as net, case when $11 is null then $7 else $10 + coalesce($12, 0) end as fee,
      ($11 is null)::integer::bigint as is_unfiled
  ) r
  where case when $11 is null then coalesce($9, $6) is not null else $13 is null end
$$;

-- By the owner's right: the service's role writes no sums.
-- One for each kind of statement; they differ in what they read alone. What stays as it was adds no row. About
-- every sixteenth row puts those of its day together, but for those that another commit is putting together:
-- none waits for another. Which one does goes by a hash: of statements that all add sixteen rows the same day
-- would always be met.
do $make$
declare
  made text[];
begin
  foreach made slice 1 in array array[
    ['insert', 'select 1 as sign, * from after_it'],
    ['update', 'select 1 as sign, * from after_it union all select -1, * from before_it'],
    ['delete', 'select -1 as sign, * from before_it']
  ] loop
    execute format($function$
      create function add_receivable_%1$s() returns trigger language plpgsql security definer
        set search_path = %2$I, pg_temp as $body$
      begin
        with moved as (
          select m.merchant_id, m.account_number, p.day,
            sum(sign * p.expected_count) as expected_count, sum(sign * p.expected_net) as expected_net,
            sum(sign * p.expected_fee) as expected_fee, sum(sign * p.open_count) as open_count,
            sum(sign * p.open_net) as open_net, sum(sign * p.received_count) as received_count,
            sum(sign * p.received_net) as received_net, sum(sign * p.received_fee) as received_fee,
            sum(sign * p.without_net_count) as without_net_count, sum(sign * p.unfiled_count) as unfiled_count,
            sum(sign * p.unfiled_net) as unfiled_net, sum(sign * p.differing_count) as differing_count,
            sum(sign * p.difference) as difference
          from (%3$s) m cross join lateral receivable_day_parts(
            m.expected_on, m.expected_net, m.expected_fee, m.payment_on, m.installment_count, m.paid_on, m.reported_fee,
            m.reported_net, m.reported_bank_on, m.filed_fee, m.filed_net, m.filed_anticipation, m.apart_to) p
          group by m.merchant_id, m.account_number, p.day
        ), added as (
          insert into receivable_days (merchant_id, account_number, day,
            expected_count, expected_net, expected_fee, open_count, open_net, received_count, received_net, received_fee,
            without_net_count, unfiled_count, unfiled_net, differing_count, difference)
          select * from moved m where num_nonnulls(
            nullif(m.expected_count, 0), nullif(m.expected_net, 0), nullif(m.expected_fee, 0), nullif(m.open_count, 0),
            nullif(m.open_net, 0), nullif(m.received_count, 0), nullif(m.received_net, 0), nullif(m.received_fee, 0),
            nullif(m.without_net_count, 0), nullif(m.unfiled_count, 0), nullif(m.unfiled_net, 0),
            nullif(m.differing_count, 0), nullif(m.difference, 0)) > 0
          order by merchant_id, account_number, day
          returning merchant_id, account_number, day, part_number
        ), held as materialized (
          select d.merchant_id, d.account_number, d.day, d.part_number
          from added a cross join lateral (
            select * from receivable_days
            where merchant_id = a.merchant_id and account_number = a.account_number and day = a.day
            order by part_number for update skip locked
          ) d
          where hashint8(a.part_number) %% 16 = 0
        ), gone as (
          delete from receivable_days d using held h
          where d.merchant_id = h.merchant_id and d.account_number = h.account_number and d.day = h.day
            and d.part_number = h.part_number
          returning d.*
        )
        insert into receivable_days (merchant_id, account_number, day,
          expected_count, expected_net, expected_fee, open_count, open_net, received_count, received_net, received_fee,
          without_net_count, unfiled_count, unfiled_net, differing_count, difference)
        select merchant_id, account_number, day,
          sum(expected_count), sum(expected_net), sum(expected_fee), sum(open_count), sum(open_net), sum(received_count),
          sum(received_net), sum(received_fee), sum(without_net_count), sum(unfiled_count), sum(unfiled_net),
          sum(differing_count), sum(difference)
        from gone group by merchant_id, account_number, day;
        return null;
      end $body$$function$, made[1], current_schema(), made[2]);
  end loop;
end $make$;

-- What empties the one empties the other.
create function empty_receivable_days() returns trigger language plpgsql security definer as $$
begin
  delete from receivable_days;
  return null;
end $$;

-- Another schema in front of ours must not be read in the place of it.
do $$
declare
  made regprocedure;
begin
  foreach made in array array['empty_receivable_days()']::regprocedure[]
  loop
    execute format('alter function %s set search_path = %I, pg_temp', made, current_schema());
  end loop;
end $$;

create trigger receivables_insert_summed after insert on receivables
  referencing new table as after_it for each statement execute function add_receivable_insert();

create trigger receivables_update_summed after update on receivables
  referencing old table as before_it new table as after_it for each statement execute function add_receivable_update();

create trigger receivables_delete_summed after delete on receivables
  referencing old table as before_it for each statement execute function add_receivable_delete();

create trigger receivables_truncate_summed after truncate on receivables
  for each statement execute function empty_receivable_days();
