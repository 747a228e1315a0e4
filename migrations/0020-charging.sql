-- The recurring engine: what it looks for, what it tells, and what is kept to say why.

-- Work that falls due: only what is to be charged stands here. Of a day, merchant by merchant, each in a turn that is even over a window of
-- the day; the first charge of a subscription comes before all turns. What changes while a charge is under way
-- stands in no index. Its condition is not that of billings_opened, which finds the open one of a subscription.
create index billings_by_turn on billings (charge_on, merchant_id, (
    case when installment = 1 and charge_on = due_on then -1
    else (get_byte(uuid_send(billing_id), 14) << 8) | get_byte(uuid_send(billing_id), 15) end
  ), billing_id) where charge_on is not null;
drop index billings_due;
-- All billings of a subscription: the others of it stand in the index by installment.
create index billings_skipped on billings (merchant_id, subscription_id, installment) where is_skipped;
-- Room for the row that says that a charge is under way beside the one before it: no index is written then.
alter table billings set (fillfactor = 90);

alter table billing_charges
  -- What nobody answers is made again for as long as nobody does.
  alter column charge_number type integer,
  -- Real time: when whoever finds it looks what came of it. Null: it is known.
  add column due_at timestamptz,
  drop constraint billing_charges_rule_check,
  add constraint billing_charges_rule_check check (rule in ('paid', 'retry', 'retryAsAdvised', 'noRetriesLeft', 'networkLimit',
    'subscriptionEnded', 'cardCanceled', 'neverAgain', 'denied', 'technical', 'invalid', 'declinedByHand', 'cardExpired',
    'cardUnusable', 'amountOutOfRange', 'sentAgain'));
create index billing_charges_under_way on billing_charges (due_at, merchant_id, billing_id) where due_at is not null;
-- A charge by the transaction that it is: a repeated request, a card holder who takes it back.
create index billing_charges_by_transaction on billing_charges (merchant_id, transaction_id) where transaction_id is not null;

-- A charge of a billing that nobody answered is kept when the acquirer approved it. Real time: when an undo of it may have been
-- sent, which may arrive late: from then on it is not kept, whatever the acquirer says. Null: none was.
alter table transactions add column undo_sent_at timestamptz;
-- The fence under which it was last taken for settling by a program that marks its undos. Another fence is the program's before this, which
-- may still be running: it undoes whatever it takes, and marks nothing.
alter table transactions add column settling_fence integer not null default 0;

-- A charge of a billing whose holder took it back: when that was applied (real time), until its subscription is blocked for it.
-- Null: there is nothing to hear.
alter table transactions add column unheard_chargeback_at timestamptz;
create index transactions_unheard_chargebacks on transactions (unheard_chargeback_at, merchant_id, transaction_id)
  where unheard_chargeback_at is not null;

-- What happened to a subscription after its creation, in order: who did it, why, and through which billing.
create table subscription_events (
  merchant_id text not null,
  subscription_id uuid not null,
  event_number bigint generated always as identity,
  type text not null check (type in ('activated', 'canceled', 'blocked', 'completed', 'cardChanged')),
  -- Why it is not active any more; null for the other types.
  reason text check (reason in ('user', 'plan', 'declined', 'completed', 'cardCanceled', 'chargeback')),
  -- The billing whose charge did it; null: none did.
  billing_id uuid,
  created_by text not null,
  -- Business time.
  created_at timestamptz not null,
  foreign key (merchant_id, subscription_id) references subscriptions,
  check ((type in ('activated', 'cardChanged')) = (reason is null))
);
alter table subscription_events add primary key (merchant_id, subscription_id, event_number);

-- Who is told of failed charges and of cards that expire, beside the webhook of an account.
create table merchant_notifiers (
  merchant_id text not null references merchants,
  notifier_id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  description text not null check (char_length(description) between 1 and 255),
  -- The name as searches compare it: small letters without accents.
  search_name text not null,
  callback_url text not null check (char_length(callback_url) between 1 and 500),
  -- The server behind it, as deliveries name it.
  target text not null check (target ~ '^origin:.' and char_length(target) <= 520),
  state text not null check (state in ('active', 'inactive')),
  -- The business day up to which it was looked for cards that expire; null: never.
  expiries_told_on date,
  created_by text not null,
  created_at timestamptz not null,
  modified_by text,
  modified_at timestamptz,
  check ((modified_by is null) = (modified_at is null))
);
create index merchant_notifiers_by_creation on merchant_notifiers (merchant_id, created_at, notifier_id);
-- Whoever tells: active ones only, however many there were.
create index merchant_notifiers_active on merchant_notifiers (merchant_id, notifier_id) where state = 'active';
create index merchant_notifiers_due on merchant_notifiers (expiries_told_on nulls first, merchant_id, notifier_id)
  where state = 'active';
alter table merchant_notifiers add primary key (merchant_id, notifier_id);

-- A subscription whose card expires soon is told of once.
create table card_expiry_notices (
  merchant_id text not null,
  notifier_id uuid not null,
  subscription_id uuid not null,
  vault_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (merchant_id, notifier_id, subscription_id, vault_id),
  foreign key (merchant_id, notifier_id) references merchant_notifiers,
  foreign key (merchant_id, subscription_id) references subscriptions
);
-- Only who names a year may take it: planned while the table is small, a look-up of a card by its key would else read all of the merchant's.
create index vault_cards_by_expiry on vault_cards (merchant_id, expiration_year, expiration_month, vault_id)
  where expiration_year is not null;

-- Deliveries of those notices: each brings its address, as callbacks do. `transaction_id` is then what it tells about.
alter table deliveries
  drop constraint deliveries_kind_check,
  add constraint deliveries_kind_check check (kind in ('movement', 'callback', 'test', 'notice')) not valid,
  drop constraint deliveries_check2,
  add constraint deliveries_own_url_check check ((kind in ('callback', 'notice')) = (url is not null)) not valid;
