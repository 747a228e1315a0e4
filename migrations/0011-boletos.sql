-- Bills that a bank registers, and what it reports of them.

-- Our numbers, eleven digits: one sequence for all merchants, for they may share an agreement with their bank. It starts
-- far above the numbers of other programs that issue under the same agreement, which mostly count from 1.
create sequence boleto_numbers as bigint minvalue 10000000001 maxvalue 99999999999;

create table boletos (
  merchant_id text not null,
  boleto_id uuid not null,
  account_number text not null,
  our_number text not null check (our_number ~ '^[0-9]{11}$'),
  -- Under which the page to print is found: nobody can guess it.
  page_key text not null check (page_key ~ '^[0-9a-f]{32}$'),
  state text not null
    check (state in ('issuing', 'issued', 'overdue', 'canceling', 'paid', 'canceled', 'expired', 'refused')),
  -- Of canceling: what it is shown as, and is again when the bank does not cancel; and whether its time was
  -- over.
  state_before text check (state_before in ('issued', 'overdue')),
  is_expiring boolean not null default false,
  -- Cents.
  amount bigint not null check (amount between 1 and 9999999999),
  issued_on date not null,
  due_on date not null,
  payable_until date not null,
  -- Null: erased.
  payer jsonb,
  payer_erased_at timestamptz,
  reference_transaction text check (char_length(reference_transaction) <= 50),
  instructions text[] not null check (cardinality(instructions) <= 4),
  -- Hundredths of a percent: once, and a month.
  fine_portion integer check (fine_portion between 1 and 9999),
  interest_portion integer check (interest_portion between 1 and 9999),
  discount_amount bigint check (discount_amount > 0),
  discount_until date,
  callback_url text check (char_length(callback_url) <= 500),
  created_by text not null,
  -- Business time: when it was asked for, and when its state changed last.
  requested_at timestamptz not null,
  changed_at timestamptz not null,
  created_at timestamptz not null default now(),
  -- Of the bank.
  bar_code text check (bar_code ~ '^[0-9]{44}$'),
  pix_emv text check (char_length(pix_emv) <= 1000),
  refusal_reason text,
  -- The first payment.
  paid_amount bigint check (paid_amount >= 0),
  paid_on date,
  -- Business time: when it becomes overdue, or its time is over. Null: neither, as it is.
  acts_at timestamptz,
  -- Real time: the end of the lease of a process that asks the bank, or when to ask again.
  due_at timestamptz,
  -- Raised whenever a process takes the row over.
  fence integer not null default 0,
  tries smallint not null default 0,
  unknown_since timestamptz,
  unknown_reason text,
  -- Which bank was asked to register it, before it is asked: while its answer is not known no other one may be
  -- asked. Null: none was asked yet.
  asked_bank text check (asked_bank ~ '^[0-9]{3}$'),
  -- The provider that has it: it alone is asked about it.
  bank text not null default 'default' check (char_length(bank) <= 40),
  primary key (merchant_id, boleto_id),
  -- A return file names no merchant.
  unique (our_number, merchant_id),
  check ((state in ('issuing', 'canceling')) = (due_at is not null)),
  check ((state = 'canceling') = (state_before is not null)),
  check ((state = 'refused') = (refusal_reason is not null)),
  check (state not in ('issued', 'overdue', 'canceling', 'paid', 'canceled', 'expired') or bar_code is not null),
  check ((state = 'paid') = (paid_on is not null)),
  check ((paid_on is null) = (paid_amount is null)),
  check ((state in ('issued', 'overdue')) = (acts_at is not null)),
  check ((discount_amount is null) = (discount_until is null))
);
create index boletos_due on boletos (due_at) where due_at is not null;
create index boletos_acting on boletos (acts_at) where acts_at is not null;
create index boletos_acting_of_merchant on boletos (merchant_id, acts_at) where acts_at is not null;
-- An amount is always more than 0. Only the list says so: a boleto is read by its key.
create index boletos_by_due_day on boletos (merchant_id, account_number, due_on, boleto_id) where amount > 0;
create index boletos_by_page_key on boletos (page_key);

create index boletos_by_document on boletos ((payer ->> 'documentNumber'), merchant_id, boleto_id) where payer is not null;
create index boletos_with_payer on boletos (created_at) where payer is not null;
create index boletos_by_bar_code on boletos (merchant_id, bar_code) where bar_code is not null;

-- For searches of payments alone: of each state a range in the order of time. An amount is always more than 0; only a
-- search says so.
create index boletos_by_state on boletos (merchant_id, state, requested_at, boleto_id) include (state_before)
  where refusal_reason is distinct from 'notSent' and amount > 0;
create index boletos_by_reference on boletos (merchant_id, reference_transaction, requested_at, boleto_id)
  where reference_transaction is not null and refusal_reason is distinct from 'notSent';

-- What a bank is told by file. Each row is taken into exactly one file: by its number, or withdrawn before that.
create table bank_instructions (
  merchant_id text not null,
  our_number text not null check (our_number ~ '^[0-9]{11}$'),
  kind text not null check (kind in ('register', 'writeOff')),
  -- The provider.
  bank text not null check (char_length(bank) <= 40),
  bank_code text not null check (bank_code ~ '^[0-9]{3}$'),
  -- The bank's number of the boleto, without its check digit.
  bank_number text not null check (bank_number ~ '^[0-9]{1,20}$'),
  -- Null: in no file yet.
  file_number integer check (file_number > 0),
  -- Of the bank's return file; withdrawn: it was never in a file. Null: none yet.
  answer text check (answer in ('accepted', 'refused', 'withdrawn')),
  -- What a return file says of a refusal, in Portuguese.
  reason text check (char_length(reason) <= 500),
  created_at timestamptz not null default now(),
  answered_at timestamptz,
  primary key (merchant_id, our_number, kind),
  foreign key (merchant_id, our_number) references boletos (merchant_id, our_number),
  check ((answer is null) = (answered_at is null)),
  check (answer is null or (answer = 'withdrawn') = (file_number is null))
);
create unique index bank_instructions_numbers on bank_instructions (bank, bank_number) where kind = 'register';
create index bank_instructions_waiting on bank_instructions (bank, created_at) where file_number is null and answer is null;
create index bank_instructions_of_boleto on bank_instructions (our_number);
create index bank_instructions_of_file on bank_instructions (bank, file_number) where file_number is not null;

-- Files for banks, numbered without holes. Their lines are written again from the boletos, and must have this hash.
create table remittances (
  bank text not null check (char_length(bank) <= 40),
  file_number integer not null check (file_number > 0),
  made_on date not null,
  content_hash bytea not null check (octet_length(content_hash) = 32),
  created_by text not null,
  created_at timestamptz not null default now(),
  -- When it stood whole in a folder. Null: perhaps in none, and nobody has sent it.
  written_at timestamptz,
  primary key (bank, file_number)
);

-- Every payment that the bank reported, also what nobody expected.
create table boleto_payments (
  merchant_id text not null,
  boleto_id uuid not null,
  -- The bank's change that reported it.
  change_id text not null,
  amount bigint not null check (amount >= 0),
  paid_on date not null,
  -- When the money is in the account, and what the bank keeps of it; null: not reported.
  credited_on date,
  fee bigint check (fee >= 0),
  -- What was to be paid on that day, with fine, interest and discount.
  expected_amount bigint not null check (expected_amount >= 0),
  -- Why nobody expected it; null: it paid the boleto.
  surprise text
    check (surprise in ('paidAgain', 'paidAfterCancel', 'paidAfterExpiry', 'paidAfterRefusal', 'filedAgain')),
  -- Business time.
  happened_at timestamptz not null,
  created_at timestamptz not null default now(),
  kind text not null check (kind in ('expected', 'second', 'afterEnd', 'otherAmount')),
  primary key (merchant_id, boleto_id, change_id),
  foreign key (merchant_id, boleto_id) references boletos (merchant_id, boleto_id)
);
create index boleto_payments_of_day on boleto_payments (merchant_id, paid_on);
create index boleto_payments_unexpected on boleto_payments (created_at) where surprise is not null;

-- How far the bank's changes were read: one row without a merchant in production, in homologation one of each
-- merchant. Each bank has its own.
create table bank_cursors (
  merchant_id text not null,
  bank text not null default 'default' check (char_length(bank) <= 40),
  cursor text check (char_length(cursor) <= 64),
  -- Real time: when to ask next. Whoever asks puts it off first.
  due_at timestamptz not null default now(),
  -- Raised by every answer that is kept: one to an earlier request is dropped.
  fence bigint not null default 0,
  -- Answers in a row that brought nothing.
  quiet_pulls smallint not null default 0,
  -- Which bank gave the cursor; null: none yet.
  bank_code text check (bank_code ~ '^[0-9]{3}$'),
  primary key (merchant_id, bank)
);
create index bank_cursors_due on bank_cursors (due_at);

-- One change as it was brought, kept in the commit that moves the cursor, and applied or refused in a commit
-- of its own. No foreign key: a bank may report boletos that are not ours.
create table bank_changes (
  merchant_id text not null,
  -- The bank's: a change that is reported twice is kept once.
  change_id text not null check (char_length(change_id) <= 161),
  -- The order of arrival.
  change_number bigint generated always as identity,
  our_number text not null check (char_length(our_number) <= 20),
  event text not null check (event in ('paid', 'canceled', 'expired')),
  amount bigint check (amount >= 0),
  paid_on date,
  credited_on date,
  fee bigint check (fee >= 0),
  -- Business time.
  happened_at timestamptz not null,
  state text not null default 'waiting' check (state in ('waiting', 'applied', 'refused')),
  reason text check (char_length(reason) <= 100),
  -- Real time: when to try next.
  due_at timestamptz default now(),
  tries smallint not null default 0,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  -- Of a change of a return file: the day on which that was made, and its number. Null: of the feed.
  filed_in text check (char_length(filed_in) <= 40),
  -- A payment that another file of the bank had reported before: a person looks at it.
  is_filed_again boolean not null default false,
  -- The bank reported it by itself (feed), or one of its files has it (file).
  source text not null check (source in ('feed', 'file')),
  -- Whose feed brought it: it changes no boleto of another bank. Null: a file's.
  bank text check (char_length(bank) <= 40),
  primary key (merchant_id, change_id),
  check ((state = 'waiting') = (due_at is not null)),
  check ((state = 'waiting') = (ended_at is null)),
  check (state <> 'refused' or reason is not null),
  check (event <> 'paid' or (amount is not null and paid_on is not null))
);
create index bank_changes_due on bank_changes (due_at) where state = 'waiting';
create index bank_changes_waiting on bank_changes (merchant_id, change_number) where state = 'waiting';

-- One of a boleto after the other.
create index bank_changes_in_order on bank_changes (merchant_id, our_number, change_number) where state = 'waiting';

-- The same payment may be reported by feed and file.
create index bank_changes_paid on bank_changes (merchant_id, our_number) where event = 'paid';
create index bank_changes_refused on bank_changes (ended_at) where state = 'refused';

-- What the bank reported that is no change, for a person.
create table unreadable_bank_changes (
  merchant_id text not null,
  item_hash bytea not null,
  item text not null check (char_length(item) <= 2000),
  reason text not null check (char_length(reason) <= 100),
  created_at timestamptz not null default now(),
  primary key (merchant_id, item_hash)
);
create index unreadable_bank_changes_newest on unreadable_bank_changes (created_at);

alter table movements add foreign key (merchant_id, boleto_id) references boletos (merchant_id, boleto_id);

-- In the commit of the payment. The id is a UUID of version 7, as the program makes them.
create function open_unexpected_payment() returns trigger language plpgsql as $$
declare
  moment bytea := substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3);
  id uuid := encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing moment from 1 for 6), 52, 1), 53, 1), 'hex')::uuid;
begin
  insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, account_number, boleto_id, amount,
    expected, found, day)
  select new.merchant_id, id, 'boleto:' || new.boleto_id || ':' || new.change_id, 'unexpectedPayment', 'open', b.account_number,
    new.boleto_id, case when new.surprise is null then new.expected_amount else 0 end - new.amount,
    case when new.surprise is null then new.expected_amount::text end, new.amount::text, new.paid_on
  from boletos b where b.merchant_id = new.merchant_id and b.boleto_id = new.boleto_id
  on conflict do nothing;
  return null;
end $$;

create trigger boleto_payments_unexpected after insert on boleto_payments
  for each row when (new.surprise is not null or new.kind = 'otherAmount') execute function open_unexpected_payment();
