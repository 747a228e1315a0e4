-- Charges by Pix, what arrived for them, and what was given back.

-- Banks of Pix are a kind of provider of their own.
alter table providers drop constraint providers_kind_check,
  add constraint providers_kind_check check (kind in ('acquirer', 'bank', 'pix', 'antifraud'));
alter table provider_rules drop constraint provider_rules_kind_check,
  add constraint provider_rules_kind_check check (kind in ('acquirer', 'bank', 'pix', 'antifraud'));

create table pix_charges (
  merchant_id text not null,
  -- The payment's id.
  pix_id uuid not null,
  account_number text not null,
  -- Made of the id, chosen by us: the bank has at most one charge under it.
  txid text not null check (txid ~ '^[a-zA-Z0-9]{26,35}$'),
  -- Under which the payer's page is found: nobody can guess it.
  page_key text not null check (page_key ~ '^[0-9a-f]{32}$'),
  state text not null
    check (state in ('issuing', 'waiting', 'removing', 'paid', 'returned', 'canceled', 'expired', 'refused')),
  -- Of removing: its time was over.
  is_expiring boolean not null default false,
  -- Cents.
  amount bigint not null check (amount between 1 and 9999999999),
  -- Of a charge that is to be paid at once; null: it has a due day.
  expires_in_seconds integer check (expires_in_seconds between 60 and 31536000),
  due_on date,
  payable_until date,
  -- Hundredths of a percent: once, and a month.
  fine_portion integer check (fine_portion between 1 and 9999),
  interest_portion integer check (interest_portion between 1 and 9999),
  discount_amount bigint check (discount_amount > 0),
  discount_until date,
  -- Business time.
  expires_at timestamptz not null,
  -- Null: not given, or erased.
  payer jsonb,
  payer_erased_at timestamptz,
  description text check (char_length(description) <= 140),
  reference_transaction text check (char_length(reference_transaction) <= 50),
  callback_url text check (char_length(callback_url) <= 500),
  -- As of transactions. Null: all is the merchant's.
  split jsonb,
  created_by text not null,
  -- Business time: when it was asked for, and when its state changed last.
  requested_at timestamptz not null,
  changed_at timestamptz not null,
  created_at timestamptz not null default now(),
  -- The provider that was asked for it: it alone is asked about it.
  bank text not null check (char_length(bank) <= 40),
  -- Paid under an authorization (Pix Automático): its payer needs no code.
  is_collected boolean not null default false,
  -- The text of the QR code, of the bank.
  pix_emv text check (char_length(pix_emv) <= 600),
  refusal_reason text,
  -- What paid it.
  end_to_end_id text check (end_to_end_id ~ '^[a-zA-Z0-9]{32}$'),
  paid_amount bigint check (paid_amount > 0),
  -- Business time.
  paid_at timestamptz,
  -- Business time: when its time is over. Null: it does not matter, as it is.
  acts_at timestamptz,
  -- Real time: the end of the lease of a process that asks the bank, or when to ask again.
  due_at timestamptz,
  -- Raised whenever a process takes the row over.
  fence integer not null default 0,
  tries smallint not null default 0,
  unknown_since timestamptz,
  unknown_reason text,
  primary key (merchant_id, pix_id),
  check ((state in ('issuing', 'removing')) = (due_at is not null)),
  check ((state = 'refused') = (refusal_reason is not null)),
  check (state in ('issuing', 'refused') or is_collected or pix_emv is not null),
  check ((state in ('paid', 'returned')) = (paid_at is not null)),
  check ((paid_at is null) = (paid_amount is null)),
  check ((paid_at is null) = (end_to_end_id is null)),
  check ((state = 'waiting') = (acts_at is not null)),
  check ((expires_in_seconds is null) = (due_on is not null)),
  check ((due_on is null) = (payable_until is null)),
  check ((discount_amount is null) = (discount_until is null))
);
create index pix_charges_due on pix_charges (due_at) where due_at is not null;
create index pix_charges_acting on pix_charges (acts_at) where acts_at is not null;
create index pix_charges_acting_of_merchant on pix_charges (merchant_id, acts_at) where acts_at is not null;
create index pix_charges_by_page_key on pix_charges (page_key);
-- What a bank reports names no merchant.
create index pix_charges_by_txid on pix_charges (txid);
-- For searches alone: of each state a range in the order of time. An amount is always more than 0; only a search
-- says so.
create index pix_charges_by_state on pix_charges (merchant_id, state, requested_at, pix_id)
  where refusal_reason is distinct from 'notSent' and amount > 0;
create index pix_charges_by_reference on pix_charges (merchant_id, reference_transaction, requested_at, pix_id)
  where reference_transaction is not null and refusal_reason is distinct from 'notSent';
create index pix_charges_by_document on pix_charges ((payer ->> 'documentNumber'), merchant_id, pix_id) where payer is not null;
create index pix_charges_with_payer on pix_charges (created_at) where payer is not null;

-- Every Pix that arrived for a charge, also what nobody expected.
create table pix_payments (
  merchant_id text not null,
  pix_id uuid not null,
  end_to_end_id text not null check (end_to_end_id ~ '^[a-zA-Z0-9]{32}$'),
  amount bigint not null check (amount > 0),
  -- What was to be paid on that day, with fine, interest and discount.
  expected_amount bigint not null check (expected_amount >= 0),
  -- Why nobody expected it; null: it paid the charge.
  surprise text check (surprise in ('paidAgain', 'paidAfterCancel', 'paidAfterExpiry', 'paidAfterRefusal')),
  kind text not null check (kind in ('expected', 'second', 'afterEnd', 'otherAmount')),
  -- Cents of devolutions, those under way included, and of those that are done.
  held_amount bigint not null default 0,
  returned_amount bigint not null default 0,
  -- Business time.
  paid_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (merchant_id, pix_id, end_to_end_id),
  foreign key (merchant_id, pix_id) references pix_charges (merchant_id, pix_id),
  check (returned_amount between 0 and held_amount),
  constraint pix_payments_held_check check (held_amount <= amount)
);
-- The last twenty are the nsu of its notifications.
create index pix_payments_by_nsu on pix_payments (merchant_id, right(end_to_end_id, 20), end_to_end_id);

-- One wish to give back what a Pix brought. The row is committed before the bank is asked and again with its
-- answer; an unanswered one holds its amount and is asked for, and sent again, under the same id.
create table pix_refunds (
  merchant_id text not null,
  -- Without hyphens the id of the devolution at the bank.
  refund_id uuid not null,
  -- Nobody here wished it: the bank's id, and who did (receiver: at the bank's own site). Null: a wish of ours.
  bank_return_id text check (bank_return_id ~ '^[a-zA-Z0-9]{1,35}$'),
  nature text check (nature in ('receiver', 'fraud', 'operational', 'automatic')),
  pix_id uuid not null,
  end_to_end_id text not null,
  state text not null check (state in ('refunding', 'pending', 'refunded', 'refused')),
  -- Cents.
  amount bigint not null check (amount between 1 and 9999999999),
  created_by text not null,
  -- Business time, both; created_at and decided_at are real time.
  requested_at timestamptz not null,
  refunded_at timestamptz,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  -- Real time. refunding: the bank refused it at a further try, and has nothing under its id; once a second look finds
  -- nothing either, it is refused.
  refused_at timestamptz,
  refusal_reason text,
  fence integer not null default 0,
  -- The end of the lease, or when to ask again. pending: the bank is carrying it out, and is asked about it.
  due_at timestamptz,
  tries smallint not null default 0,
  unknown_reason text,
  primary key (merchant_id, refund_id),
  foreign key (merchant_id, pix_id, end_to_end_id) references pix_payments (merchant_id, pix_id, end_to_end_id),
  check (state <> 'refused' or refusal_reason is not null),
  check (state not in ('pending', 'refunded') or refusal_reason is null),
  check (state in ('refunding', 'refused') or refused_at is null),
  check (refused_at is null or refusal_reason is not null),
  check ((nature is null) = (bank_return_id is null)),
  check (nature is null or state = 'refunded'),
  check ((state = 'refunded') = (refunded_at is not null)),
  check ((state in ('refunding', 'pending')) = (due_at is not null)),
  check ((state in ('refunding', 'pending')) = (decided_at is null))
);
create index pix_refunds_due on pix_refunds (due_at) where due_at is not null;
create index pix_refunds_pending on pix_refunds (end_to_end_id) where state = 'pending';
create unique index pix_refunds_by_bank_id on pix_refunds (merchant_id, pix_id, end_to_end_id, bank_return_id)
  where bank_return_id is not null;
create index pix_refunds_of_charge on pix_refunds (merchant_id, pix_id);

-- How far each bank was asked what arrived. One row a bank: the bank names no merchant, and has no clock but its own.
create table pix_cursors (
  merchant_id text not null,
  bank text not null check (char_length(bank) <= 40),
  cursor text check (char_length(cursor) <= 64),
  -- Real time: when to ask next. Whoever asks puts it off first.
  due_at timestamptz not null default now(),
  -- Raised by every answer that is kept: one to an earlier request is dropped.
  fence bigint not null default 0,
  quiet_pulls smallint not null default 0,
  -- How much arrived for lost charges while lost_pix_receipts was full, and when last.
  lost_unkept bigint not null default 0,
  lost_unkept_at timestamptz,
  primary key (merchant_id, bank)
);
create index pix_cursors_due on pix_cursors (due_at);

-- The same of what left again, in rounds over all days on which a Pix can be given back.
create table pix_return_cursors (
  merchant_id text not null,
  bank text not null check (char_length(bank) <= 40),
  cursor text check (char_length(cursor) <= 64),
  due_at timestamptz not null default now(),
  fence bigint not null default 0,
  quiet_pulls smallint not null default 0,
  primary key (merchant_id, bank)
);
create index pix_return_cursors_due on pix_return_cursors (due_at);

-- What arrived, kept in the commit that moves the cursor, and applied in a commit of its own. What is for no
-- charge of ours is not kept, unless its txid has the form of ours: an account may receive for others too.
create table pix_receipts (
  merchant_id text not null,
  -- The end-to-end id, of what left again with the devolution's: what is reported twice is kept once.
  receipt_id text not null check (receipt_id ~ '^[a-zA-Z0-9]{32}(:[a-zA-Z0-9]{1,35})?$'),
  return_id text,
  return_nature text check (return_nature in ('receiver', 'fraud', 'operational', 'automatic')),
  -- The order of arrival.
  receipt_number bigint generated always as identity,
  pix_id uuid not null,
  amount bigint not null check (amount > 0),
  -- Real time, of the bank.
  received_at timestamptz not null,
  state text not null default 'waiting' check (state in ('waiting', 'applied')),
  reason text check (char_length(reason) <= 100),
  -- Real time: when to try next.
  due_at timestamptz default now(),
  tries smallint not null default 0,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (merchant_id, pix_id, receipt_id),
  foreign key (merchant_id, pix_id) references pix_charges (merchant_id, pix_id),
  check ((state = 'waiting') = (due_at is not null)),
  check ((state = 'waiting') = (ended_at is null)),
  check ((return_id is null) = (return_nature is null))
);
create index pix_receipts_due on pix_receipts (due_at) where state = 'waiting';
create index pix_receipts_waiting on pix_receipts (merchant_id, receipt_number) where state = 'waiting';

-- What a bank reported that cannot be read, for a person.
create table unreadable_pix_receipts (
  merchant_id text not null,
  item_hash bytea not null,
  item text not null check (char_length(item) <= 2000),
  reason text not null check (char_length(reason) <= 100),
  created_at timestamptz not null default now(),
  primary key (merchant_id, item_hash)
);
create index unreadable_pix_receipts_newest on unreadable_pix_receipts (created_at);

-- What arrived for a charge that this database has lost: under a txid of the form of ours, which nothing here
-- has. Until the charge is here again, a person looks.
create table lost_pix_receipts (
  bank text not null check (char_length(bank) <= 40),
  -- The end-to-end id.
  receipt_id text not null check (receipt_id ~ '^[a-zA-Z0-9]{32}$'),
  txid text not null check (char_length(txid) <= 35),
  amount bigint not null check (amount > 0),
  received_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (bank, receipt_id)
);
create index lost_pix_receipts_newest on lost_pix_receipts (created_at);
create index lost_pix_receipts_by_txid on lost_pix_receipts (txid);

alter table movements add column pix_id uuid,
  add foreign key (merchant_id, pix_id) references pix_charges (merchant_id, pix_id),
  drop constraint movements_subject_check,
  drop constraint movements_type_check,
  drop constraint movements_old_state_check,
  drop constraint movements_new_state_check,
  add constraint movements_subject_check check (num_nonnulls(transaction_id, boleto_id, pix_id) = 1),
  add constraint movements_type_check check (case
    when boleto_id is not null then type = 'Boleto'
    when pix_id is not null then type = 'Pix'
    else type in ('Autorizacao', 'Pagamento', 'Cancelamento', 'Bloqueio', 'Desbloqueio') end),
  add constraint movements_old_state_check check (case
    when boleto_id is not null then old_state in ('issued', 'overdue', 'paid', 'canceled', 'expired')
    when pix_id is not null then old_state in ('waiting', 'paid', 'returned', 'canceled', 'expired')
    else old_state in ('authorized', 'paid', 'canceled', 'blocked') end),
  add constraint movements_new_state_check check (case
    when boleto_id is not null then new_state in ('issued', 'overdue', 'paid', 'canceled', 'expired', 'unexpectedPayment')
    when pix_id is not null then new_state in ('waiting', 'paid', 'returned', 'canceled', 'expired', 'unexpectedPayment', 'takenBack')
    else new_state in ('authorized', 'paid', 'canceled', 'blocked') end);

alter table reconciliation_exceptions add column pix_id uuid;

-- In the commit of the payment, as for boletos.
create function open_unexpected_pix() returns trigger language plpgsql as $$
declare
  moment bytea := substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3);
  id uuid := encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing moment from 1 for 6), 52, 1), 53, 1), 'hex')::uuid;
begin
  insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, account_number, pix_id, amount,
    expected, found, day)
  select new.merchant_id, id, 'pix:' || new.pix_id || ':' || new.end_to_end_id, 'unexpectedPayment', 'open', p.account_number,
    new.pix_id, case when new.surprise is null then new.expected_amount else 0 end - new.amount,
    case when new.surprise is null then new.expected_amount::text end, new.amount::text,
    (new.paid_at at time zone 'America/Sao_Paulo')::date
  from pix_charges p where p.merchant_id = new.merchant_id and p.pix_id = new.pix_id
  on conflict do nothing;
  return null;
end $$;

create trigger pix_payments_unexpected after insert on pix_payments
  for each row when (new.surprise is not null or new.kind = 'otherAmount') execute function open_unexpected_pix();

-- What left by another one's will is for a person, as what came unexpected.
create function open_pix_return() returns trigger language plpgsql as $$
declare
  moment bytea := substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3);
  id uuid := encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing moment from 1 for 6), 52, 1), 53, 1), 'hex')::uuid;
begin
  insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, account_number, pix_id, amount,
    expected, found, day)
  select new.merchant_id, id, 'pixReturn:' || new.pix_id || ':' || new.end_to_end_id || ':' || new.bank_return_id, 'takenBack', 'open',
    p.account_number, new.pix_id, new.amount, null, new.amount::text, (new.refunded_at at time zone 'America/Sao_Paulo')::date
  from pix_charges p where p.merchant_id = new.merchant_id and p.pix_id = new.pix_id
  on conflict do nothing;
  return null;
end $$;

create trigger pix_refunds_taken_back after insert on pix_refunds
  for each row when (new.nature is not null) execute function open_pix_return();
