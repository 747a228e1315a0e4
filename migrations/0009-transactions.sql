-- The acquirers, banks and anti-fraud providers of this installation beside those that its settings name
-- (`default` of each kind). None is ever removed: what was charged there is resolved and canceled there.
create table providers (
  kind text not null check (kind in ('acquirer', 'bank', 'antifraud')),
  name text not null check (name ~ '^[a-z0-9][a-z0-9-]{0,39}$' and name <> 'default'),
  adapter text not null check (char_length(adapter) <= 40),
  url text not null check (char_length(url) <= 500),
  -- Of a call; null: as the settings have it for the kind.
  timeout_milliseconds integer check (timeout_milliseconds between 250 and 60000),
  -- Token, certificate, its key and the trusted authorities, as JSON; null: none.
  sealed_credentials bytea,
  data_key_id integer references data_keys (data_key_id),
  created_by text not null,
  created_at timestamptz not null default now(),
  -- It gets nothing new; what it has is resolved, canceled and followed. Null: enabled.
  disabled_at timestamptz,
  -- Raised by every change but a resealing, so that processes see it.
  revision integer not null default 1,
  primary key (kind, name),
  check ((sealed_credentials is null) = (data_key_id is null))
);
create index providers_by_data_key on providers (data_key_id) where data_key_id is not null;

-- Which provider gets a new charge: the first rule that fits, those of a merchant before those of all.
create table provider_rules (
  kind text not null check (kind in ('acquirer', 'bank', 'antifraud')),
  -- '': of all merchants, behind their own.
  merchant_id text not null,
  position smallint not null check (position between 1 and 50),
  provider text not null check (provider ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  -- As the command has it: what a sale must be for the rule to fit.
  condition text not null check (char_length(condition) <= 200),
  -- Rules are never changed in place: another set has other numbers.
  rule_number bigint generated always as identity,
  primary key (merchant_id, kind, position)
);

-- What the acquirer knows: one authorization under one reference (the transaction's id). The row is committed
-- before the acquirer is called (state charging) and again with what it answered; whatever stays unanswered is
-- resolved.
create table transactions (
  merchant_id text not null,
  transaction_id uuid not null,
  account_number text not null,
  origin text not null check (origin in ('payment', 'billing')),
  installment_count smallint not null check (installment_count between 1 and 99),
  reference_transaction text check (char_length(reference_transaction) <= 50),
  card_brand text not null,
  card_first_six text not null check (char_length(card_first_six) = 6),
  card_last_four text not null check (char_length(card_last_four) = 4),
  -- Keyed: equal cards can be counted, nobody can compute it from a card number without the key.
  card_fingerprint bytea not null,
  -- The carrier that this transaction has in use (card_source_locks), to give it back.
  source_hash bytea,
  anti_fraud_code uuid,
  callback_url text check (char_length(callback_url) <= 500),
  customer jsonb,
  created_by text not null,
  -- Business time of the sale; created_at and decided_at are real time.
  sold_at timestamptz not null,
  created_at timestamptz not null default now(),
  vault_id uuid,
  initiator text not null default 'cardholder' check (initiator in ('cardholder', 'merchant')),
  -- What was decided before the acquirer was asked; a sale that was rejected has no transaction. Null: nobody
  -- decided.
  anti_fraud_verdict text check (anti_fraud_verdict in ('accept', 'review')),
  -- Names of the rules behind it, separated by commas; empty when there is nothing to say.
  anti_fraud_reasons text check (char_length(anti_fraud_reasons) <= 500),
  -- How the merchant asked the sale to be divided; null: not at all. {"kind", "feePortion", "entries":
  -- [{"beneficiary", "portion"}]}, portions in hundredths of a percent.
  split jsonb,
  -- The provider that has it: it alone is asked about it.
  acquirer text not null default 'default' check (char_length(acquirer) <= 40),
  -- The provider of anti-fraud that was asked; null: none was.
  anti_fraud_provider text check (char_length(anti_fraud_provider) <= 40),
  -- What updates change stands last: each then logs the end of the row alone. Likewise of cancels and captures.
  -- Cents.
  amount bigint not null check (amount between 1 and 9999999999),
  state text not null
    check (state in ('charging', 'unresolved', 'preauthorized', 'capturing', 'approved', 'declined', 'voided')),
  decided_at timestamptz,
  authorization_code text,
  nsu text,
  network_transaction_id text,
  -- The acquirer's own identifier of a transaction (TID), where its approval names one: files name sales by
  -- it. Null: it does not.
  tid text,
  response_code text,
  advice_code text,
  -- Raised whenever another process takes the row over: what the former one still brings is refused.
  fence integer not null default 0,
  -- Charging: the end of the lease. Unresolved: when to look again.
  due_at timestamptz,
  resolve_tries smallint not null default 0,
  -- Why the outcome was unknown: a word for people.
  unknown_reason text,
  -- Business time of the answer that the caller was given, so that a repetition is told the same. Null: not
  -- approved.
  approved_at timestamptz,
  -- A charge of a billing that nobody answered is kept when the acquirer approved it. Real time: when an undo
  -- of it may have been sent, which may arrive late: from then on it is not kept, whatever the acquirer says.
  -- Null: none was.
  void_sent_at timestamptz,
  -- A charge of a billing whose holder took it back: when that was applied (real time), until its subscription
  -- is blocked for it. Null: there is nothing to hear.
  unprocessed_chargeback_at timestamptz,
  -- Real time: since when the outcome of a charge is being found out. A billing's charge that the acquirer
  -- does not know is looked for for a while before it is voided. Null: its first answer is still awaited, or
  -- came.
  unresolved_since timestamptz,
  -- Real time: when the customer's data was removed, by retention or because the person asked. What was sold
  -- stays.
  customer_erased_at timestamptz,
  installments_state text not null default 'authorized'
    check (installments_state in ('authorized', 'paid', 'canceled', 'blocked')),
  -- Cents that cancels took or hold: those of `canceled` and of `canceling` together. Never more than was
  -- charged.
  canceled_amount bigint not null default 0,
  primary key (merchant_id, transaction_id),
  check (state <> 'approved' or (authorization_code is not null and nsu is not null)),
  check ((state = 'declined') = (response_code is not null)),
  constraint transactions_canceled_amount_check check (canceled_amount between 0 and amount),
  constraint transactions_due_check check ((state in ('charging', 'unresolved')) = (due_at is not null)),
  constraint transactions_decided_check check ((state in ('charging', 'unresolved')) = (decided_at is null)),
  constraint transactions_preauthorized_check check (state not in ('preauthorized', 'capturing')
    or (authorization_code is not null and nsu is not null))
) with (
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0.01,
  autovacuum_vacuum_insert_threshold = 2000
);

-- Work that falls due: only rows without a final state stand here.
create index transactions_due on transactions (due_at) where due_at is not null;

-- The declines of a card at a merchant, newest first. Only a decline has a response code, so an approval never
-- writes here; and the condition names no column that an approval changes, as `state` would be. sold_at:
-- business time.
create index transactions_declined_by_card on transactions (merchant_id, card_fingerprint, sold_at)
  where response_code is not null;
create index transactions_unheard_chargebacks on transactions (unprocessed_chargeback_at, merchant_id, transaction_id)
  where unprocessed_chargeback_at is not null;

-- A card that told a merchant "never again" is not charged again for ever, also when the key of its
-- fingerprint is gone: its declines are found by the stored card. Only declines stand here, as in
-- transactions_declined_by_card.
create index transactions_declined_by_vault on transactions (merchant_id, vault_id, sold_at)
  where response_code is not null and vault_id is not null;
-- The indexes of searches have only what is decided, so that a sale is written to each once and leaves no dead
-- entry there. What is under way, of which there is little, has this one.
create index transactions_under_way on transactions (merchant_id, sold_at, transaction_id) where due_at is not null;
create index transactions_with_customer on transactions (created_at) where customer is not null and due_at is null;
create index transactions_by_nsu on transactions (merchant_id, nsu) where nsu is not null;
create index transactions_by_authorization_code on transactions (merchant_id, authorization_code)
  where authorization_code is not null;

-- An amount is always more than 0. Only a search says so: declines of a card are read from
-- transactions_declined_by_vault.
create index transactions_by_vault_card on transactions (merchant_id, vault_id, transaction_id)
  where vault_id is not null and amount > 0 and due_at is null;
create index transactions_by_sale_day on transactions
  (merchant_id, sold_at, transaction_id, state, installments_state, card_last_four)
  include (card_brand, response_code, advice_code) where installments_state is not null and due_at is null;
create index transactions_by_last_four on transactions
  (merchant_id, card_last_four, sold_at, transaction_id, state, installments_state)
  where installments_state is not null and due_at is null;
create index transactions_by_status on transactions
  (merchant_id, state, installments_state, sold_at, transaction_id)
  where state <> 'charging' and (state <> 'approved' or installments_state <> 'authorized') and installments_state is not null;
create index transactions_by_reference_day on transactions
  (merchant_id, reference_transaction, sold_at, transaction_id) where reference_transaction is not null;
create index transactions_by_customer_day on transactions (
  upper(regexp_replace(customer ->> 'documentNumber', '[^0-9A-Za-z]', '', 'g')), merchant_id, sold_at, transaction_id
) where customer ->> 'documentNumber' is not null and due_at is null;

create table installments (
  merchant_id text not null,
  transaction_id uuid not null,
  installment_number smallint not null,
  amount bigint not null check (amount > 0),
  state text not null check (state in ('authorized', 'paid', 'canceled', 'blocked')),
  -- Cents given back: what is done, not what is only reserved.
  canceled_amount bigint not null default 0,
  -- What a blocked one was, and is again when the block is lifted.
  state_before_block text check (state_before_block in ('authorized', 'paid')),
  fee bigint,
  net bigint,
  bank_on date,
  primary key (merchant_id, transaction_id, installment_number),
  foreign key (merchant_id, transaction_id) references transactions (merchant_id, transaction_id),
  constraint installments_canceled_amount_check check (canceled_amount between 0 and amount),
  constraint installments_canceled_check check ((state = 'canceled') = (canceled_amount = amount)),
  constraint installments_blocked_check check (state <> 'blocked' or state_before_block is not null)
);

-- What a beneficiary gets of an installment. Position is the place in the request, from 1.
create table shares (
  merchant_id text not null,
  transaction_id uuid not null,
  installment_number smallint not null,
  position smallint not null check (position between 1 and 100),
  -- CPF or CNPJ without mask.
  beneficiary text not null check (char_length(beneficiary) in (11, 14)),
  -- Cents; canceled_amount of them were given back.
  amount bigint not null check (amount >= 0),
  canceled_amount bigint not null default 0,
  primary key (merchant_id, transaction_id, installment_number, "position"),
  foreign key (merchant_id, transaction_id, installment_number)
    references installments (merchant_id, transaction_id, installment_number),
  check (canceled_amount between 0 and amount)
);

create sequence movement_ids as bigint maxvalue 9007199254740991;

-- One recorded change of state of an installment, committed with the change; never altered.
create table movements (
  merchant_id text not null,
  movement_id bigint not null default nextval('movement_ids'::regclass),
  account_number text not null,
  transaction_id uuid,
  installment_number smallint not null,
  type text not null,
  old_state text,
  new_state text not null,
  nsu text not null,
  authorization_code text not null,
  -- Business time.
  moment timestamptz not null,
  -- Movements of boletos stand among those of transactions, so that numbers, watermark and lists are the same.
  boleto_id uuid,
  primary key (merchant_id, movement_id),
  foreign key (merchant_id, transaction_id, installment_number)
    references installments (merchant_id, transaction_id, installment_number),
  constraint movements_subject_check check (num_nonnulls(transaction_id, boleto_id) = 1),
  constraint movements_type_check check (case
    when boleto_id is null then type in ('Autorizacao', 'Pagamento', 'Cancelamento', 'Bloqueio', 'Desbloqueio')
    else type = 'Boleto' end),
  constraint movements_old_state_check check (case
    when boleto_id is null then old_state in ('authorized', 'paid', 'canceled', 'blocked')
    else old_state in ('issued', 'overdue', 'paid', 'canceled', 'expired') end),
  constraint movements_new_state_check check (case
    when boleto_id is null then new_state in ('authorized', 'paid', 'canceled', 'blocked')
    else new_state in ('issued', 'overdue', 'paid', 'canceled', 'expired', 'unexpectedPayment') end)
);

-- A merchant catches up: movements of one account in order.
create index movements_by_account on movements (merchant_id, account_number, movement_id);
-- Only the nightly comparison reads them by transaction: few, and in no order.
create index movements_by_transaction on movements (transaction_id) where transaction_id is not null;

-- What a pre-authorized sale has beside its transaction, whose amount becomes what is captured.
create table preauthorizations (
  merchant_id text not null,
  transaction_id uuid not null,
  -- Cents.
  authorized_amount bigint not null check (authorized_amount between 1 and 9999999999),
  -- Business time, all of them.
  authorized_at timestamptz not null,
  capture_until timestamptz not null,
  -- When it is let go by itself: `capture_until` while it waits for its capture. Null: it is being captured,
  -- was captured, or was let go.
  expires_at timestamptz,
  -- Who let it go and when: a cancel of the merchant (its id), or its time was over.
  released_at timestamptz,
  released_by text,
  release_id uuid,
  primary key (merchant_id, transaction_id),
  foreign key (merchant_id, transaction_id) references transactions (merchant_id, transaction_id),
  check (expires_at = capture_until),
  check (expires_at is null or released_at is null),
  check ((released_at is null) = (released_by is null)),
  check (release_id is null or released_at is not null)
);
create index preauthorizations_due on preauthorizations (expires_at) where expires_at is not null;
create index preauthorizations_due_of_merchant on preauthorizations (merchant_id, expires_at) where expires_at is not null;

-- A request to capture. The row is committed before the acquirer is asked (state capturing) and again with its
-- answer; an unanswered one is asked for, and sent again under the same id, until the acquirer says yes or no.
create table captures (
  merchant_id text not null,
  capture_id uuid not null,
  transaction_id uuid not null,
  created_by text not null,
  -- Business time, both; created_at and decided_at are real time.
  requested_at timestamptz not null,
  created_at timestamptz not null default now(),
  -- Cents.
  amount bigint not null check (amount between 1 and 9999999999),
  state text not null check (state in ('capturing', 'captured', 'refused')),
  captured_at timestamptz,
  decided_at timestamptz,
  -- The acquirer's word for a no.
  refusal_reason text,
  -- Raised whenever a process takes the row over.
  fence integer not null default 0,
  -- The end of the lease, or when to ask again.
  due_at timestamptz,
  tries smallint not null default 0,
  -- Why the last answer was unknown: a word for people. Null while the first answer is awaited.
  unknown_reason text,
  primary key (merchant_id, capture_id),
  foreign key (merchant_id, transaction_id) references preauthorizations (merchant_id, transaction_id),
  check ((state = 'capturing') = (due_at is not null)),
  check ((state = 'capturing') = (decided_at is null)),
  check ((state = 'captured') = (captured_at is not null)),
  check ((state = 'refused') = (refusal_reason is not null))
);
create index captures_due on captures (due_at) where due_at is not null;

-- A sale is captured once; those that were refused stay beside.
create unique index captures_of_transaction on captures (merchant_id, transaction_id) where state <> 'refused';

-- One wish to give money back. The row is committed before the acquirer is asked (state canceling) and again
-- with its answer; an unanswered one holds its amount and is sent again, under the same id, until the acquirer
-- says yes or no.
create table cancels (
  merchant_id text not null,
  cancel_id uuid not null,
  transaction_id uuid not null,
  -- Cents.
  amount bigint not null check (amount between 1 and 9999999999),
  created_by text not null,
  -- Business time; created_at and decided_at are real time.
  requested_at timestamptz not null,
  created_at timestamptz not null default now(),
  state text not null check (state in ('canceling', 'pending', 'canceled', 'refused')),
  decided_at timestamptz,
  canceled_at timestamptz,
  -- The acquirer's word for a no.
  refusal_reason text,
  -- Raised whenever a process takes the row over.
  fence integer not null default 0,
  -- The end of the lease, or when to send it again.
  due_at timestamptz,
  tries smallint not null default 0,
  -- Why the last answer was unknown: a word for people. Null while the first answer is awaited.
  unknown_reason text,
  -- At an acquirer that knows no reference of a cancel: real time, committed before each request that asks for it.
  sent_at timestamptz,
  -- That acquirer's own identifier of an accepted one.
  refund_id text,
  -- pending: the acquirer accepted it and decides later; its amount stays held, and it is asked for now and
  -- then (due_at).
  accepted_at timestamptz,
  -- The due_at of a pending one that nobody asks for now; another due_at is the lease of a process that does.
  rests_until timestamptz,
  -- A cancel of a part makes no movement while something is left of its installment: so that followers of
  -- movements learn of it, it takes a number of theirs in its commit. Null: not carried out.
  recorded_number bigint,
  primary key (merchant_id, cancel_id),
  foreign key (merchant_id, transaction_id) references transactions (merchant_id, transaction_id),
  check ((state = 'refused') = (refusal_reason is not null)),
  check ((state in ('canceling', 'pending')) = (due_at is not null)),
  check ((state in ('canceling', 'pending')) = (decided_at is null)),
  constraint cancels_accepted_check check (state <> 'pending' or accepted_at is not null)
);
create index cancels_due on cancels (due_at) where due_at is not null;
create index cancels_by_transaction on cancels (merchant_id, transaction_id);
create index cancels_by_recorded_number on cancels (merchant_id, recorded_number)
  where recorded_number is not null;

-- The card that a verification was declined for, as the limits of the networks count it: beside the declines
-- of charges, which stand on their transactions. Nothing else is kept of a card that was not stored.
create table declined_verifications (
  merchant_id text not null,
  -- The id that the stored card would have had; the reference at the acquirer.
  verification_id uuid not null,
  -- The fingerprint that a transaction of this card would keep.
  card_fingerprint bytea not null check (octet_length(card_fingerprint) = 32),
  card_brand text not null,
  response_code text not null,
  advice_code text,
  -- Business time, as sold_at of a transaction.
  asked_at timestamptz not null,
  -- Real time: networks forget after thirty days.
  expires_at timestamptz not null default (now() + '31 days'::interval),
  primary key (merchant_id, verification_id)
);
create index declined_verifications_by_card on declined_verifications (merchant_id, card_fingerprint, asked_at);
create index declined_verifications_by_expiry on declined_verifications (expires_at);

-- Versions of the table of fees. A sale has those of its moment: a version is never changed, and none is put
-- before a sale.
create table fee_tables (
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

-- How far the acquirer's changes were read. One row without a merchant in production, where one question
-- brings those of all; in homologation one of each merchant, by whose clock they happen. Each acquirer has its
-- own.
create table acquirer_cursors (
  merchant_id text not null,
  acquirer text not null default 'default' check (char_length(acquirer) <= 40),
  -- The acquirer's own word; null: from the beginning.
  cursor text check (char_length(cursor) <= 64),
  -- Real time: when to ask next. Whoever asks puts it off first, so that others leave it alone meanwhile.
  due_at timestamptz not null default now(),
  -- Raised by every answer that is kept: one to an earlier question is dropped.
  fence bigint not null default 0,
  -- Answers in a row that brought nothing: the next question waits a little longer each time.
  quiet_pulls smallint not null default 0,
  primary key (merchant_id, acquirer)
);
create index acquirer_cursors_due on acquirer_cursors (due_at);

-- One change as it was brought, kept in the commit that moves the cursor, and applied or refused in a commit
-- of its own. No foreign key: an acquirer may tell of charges that are not ours.
create table acquirer_changes (
  merchant_id text not null,
  -- The acquirer's: a change that is told twice is kept once. That of an acquirer of the table of providers
  -- begins with its name and a slash, for each acquirer has numbers of its own.
  change_id text not null check (char_length(change_id) <= 105),
  -- The order in which they came.
  change_number bigint generated always as identity,
  reference text not null check (char_length(reference) <= 64),
  installment_number smallint not null check (installment_number between 1 and 99),
  event text not null check (event in ('settle', 'block', 'unblock', 'chargeback')),
  -- Business time.
  happened_at timestamptz not null,
  state text not null default 'waiting' check (state in ('waiting', 'applied', 'refused')),
  -- Why it was refused, or waits: a word for people.
  reason text check (char_length(reason) <= 100),
  -- Real time: when to try next. No fence: the lock of the transaction says who applies it, and the state that
  -- it is done.
  due_at timestamptz default now(),
  tries smallint not null default 0,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  -- What a chargeback took back in all. Null: what is left of its installment, and all other changes.
  amount bigint check (amount between 1 and 9999999999),
  -- What the acquirer kept and paid out when it settled an installment, in cents, and the day on which the
  -- money is at the bank; null: it did not report it.
  fee bigint,
  net bigint,
  bank_on date,
  -- When a chargeback that has to wait, behind a pending cancel for days, marked the charge of its billing;
  -- applying it does not mark it again.
  marked_at timestamptz,
  -- The acquirer reported it by itself (feed), or one of its files has it (file).
  source text not null check (source in ('feed', 'file')),
  -- Whose feed brought it: it changes no charge of another acquirer. Null: a file's.
  acquirer text check (char_length(acquirer) <= 40),
  primary key (merchant_id, change_id),
  check ((state = 'waiting') = (due_at is not null)),
  check ((state = 'waiting') = (ended_at is null)),
  check (state <> 'refused' or reason is not null),
  constraint acquirer_changes_settled_check check (fee >= 0 and net >= 0)
);
create index acquirer_changes_due on acquirer_changes (due_at) where state = 'waiting';
create index acquirer_changes_waiting on acquirer_changes (merchant_id, change_number) where state = 'waiting';

-- One of an installment after the other.
create index acquirer_changes_in_order on acquirer_changes (merchant_id, reference, installment_number, change_number)
  where state = 'waiting';

-- The operator's view of what came to nothing.
create index acquirer_changes_refused on acquirer_changes (ended_at) where state = 'refused';
create index acquirer_changes_settling on acquirer_changes (merchant_id, reference, installment_number)
  where event = 'settle';
create index acquirer_changes_chargebacks on acquirer_changes (merchant_id, reference, installment_number)
  where event = 'chargeback';

-- What the acquirer told of that is no change: kept for a person, so that what comes behind it is not held up.
create table unreadable_changes (
  -- Whose question brought it; empty: that of all merchants.
  merchant_id text not null,
  -- Of the item: one that is told twice is kept once.
  item_hash bytea not null check (octet_length(item_hash) = 32),
  -- What it was: bounded, and without anything that could be of a card.
  item text not null check (char_length(item) <= 500),
  reason text not null check (char_length(reason) <= 100),
  created_at timestamptz not null default now(),
  primary key (merchant_id, item_hash)
);
create index unreadable_changes_newest on unreadable_changes (created_at);

-- The first of these that occurs. Every writer of installments has locked their transaction before, so that
-- none is missed. Looked up one by one: a join may be planned while tables are small. `is distinct from`: see
-- transactions_by_day.
create function show_installments_as_one() returns trigger language plpgsql as $$
declare
  t record;
  shown text;
begin
  for t in select distinct merchant_id, transaction_id from changed loop
    select case when bool_or(state = 'blocked') then 'blocked' when bool_or(state = 'authorized') then 'authorized'
        when bool_or(state = 'paid') then 'paid' else 'canceled' end
    into shown from installments where merchant_id = t.merchant_id and transaction_id = t.transaction_id;
    update transactions set installments_state = shown
    where merchant_id = t.merchant_id and transaction_id = t.transaction_id and installments_state is distinct from shown;
  end loop;
  return null;
end $$;

create trigger installments_shown_as_one after update on installments
  referencing new table as changed for each statement execute function show_installments_as_one();
