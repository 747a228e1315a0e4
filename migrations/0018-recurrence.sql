-- Recurring offers, who is enrolled in them, and what each enrolment owes. States and terms are words of the house; the wire's
-- words are the contracts' business. All times are business time, save where a line says otherwise.
--
-- Primary keys are made after the other indexes of their tables: while a table is all but empty a look-up by key costs the same over
-- any index that begins with the merchant, and the planner then takes the youngest.

create table plans (
  merchant_id text not null references merchants,
  plan_id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  description text not null check (char_length(description) between 1 and 255),
  -- The name as searches compare it: small letters without accents.
  search_name text not null,
  -- Reais, digit for digit as the merchant wrote them.
  amount numeric(18, 6) not null check (amount > 0),
  plan_type text not null check (plan_type in ('monthly', 'bimonthly', 'quarterly', 'semesterly', 'yearly', 'custom')),
  trial_days smallint not null check (trial_days between 0 and 730),
  interval_days smallint not null check (interval_days between 20 and 3650),
  -- 0: no end.
  installments smallint not null check (installments between 0 and 999),
  attempts smallint not null check (attempts between 0 and 4),
  state text not null check (state in ('active', 'inactive', 'canceled')),
  created_by text not null,
  created_at timestamptz not null,
  modified_by text,
  modified_at timestamptz,
  check ((plan_type = 'custom') = (installments > 0)),
  check ((modified_by is null) = (modified_at is null))
);
create index plans_by_creation on plans (merchant_id, created_at, plan_id);
alter table plans add primary key (merchant_id, plan_id);

-- A plan that was canceled cancels whoever is enrolled, in bounded batches: by the request that asked for it, and by whoever
-- finds the row when that one died.
create table plan_cancellations (
  merchant_id text not null,
  plan_id uuid not null,
  canceled_by text not null,
  -- Business time, written to what it cancels.
  canceled_at timestamptz not null,
  -- Real time, taken under the lock of the plan: enrolments that became active later are not meant.
  asked_at timestamptz not null,
  -- Real time: until when somebody works on it.
  lease_expires_at timestamptz not null,
  primary key (merchant_id, plan_id),
  foreign key (merchant_id, plan_id) references plans
);
create index plan_cancellations_due on plan_cancellations (lease_expires_at);

create table subscriptions (
  merchant_id text not null,
  subscription_id uuid not null,
  plan_id uuid not null,
  -- No foreign key: the card of one that ended may be removed. Whoever makes one active, or names a card, locks the card (for key share),
  -- and whoever removes a card locks it too and then looks whether an active or blocked one names it.
  vault_id uuid not null,
  order_number text not null check (char_length(order_number) between 1 and 10),
  -- Stamped on the transactions of its charges.
  account_number text not null,
  -- completed: its last installment is finalized; shown as canceled, and never active again.
  state text not null check (state in ('active', 'blocked', 'canceled', 'completed')),
  -- Why it is not active.
  reason text check (reason in ('user', 'plan', 'declined', 'completed', 'cardCanceled', 'chargeback')),
  -- Real time: since when it is what it is; blocking does not move it, or the end of its plan, asked for before, would pass it over.
  state_since timestamptz not null default clock_timestamp(),
  -- The terms of the enrolment: what the plan was then.
  amount numeric(18, 6) not null check (amount > 0),
  plan_type text not null check (plan_type in ('monthly', 'bimonthly', 'quarterly', 'semesterly', 'yearly', 'custom')),
  trial_days smallint not null,
  interval_days smallint not null check (interval_days between 20 and 3650),
  installments smallint not null,
  attempts smallint not null,
  -- The day of the first billing: every other one is a whole number of intervals later.
  first_due_on date not null,
  created_by text not null,
  created_at timestamptz not null,
  modified_by text,
  modified_at timestamptz,
  foreign key (merchant_id, plan_id) references plans,
  check ((state = 'active') = (reason is null)),
  check ((modified_by is null) = (modified_at is null))
);
create index subscriptions_by_creation on subscriptions (merchant_id, created_at, subscription_id);
create index subscriptions_by_state on subscriptions (merchant_id, state, created_at, subscription_id);
-- Whether a plan is in use, who is canceled with it, and searches by its name, which are put in order of creation without a look
-- at the rows.
create index subscriptions_by_plan on subscriptions (merchant_id, plan_id, state, subscription_id) include (created_at);
-- Whether a stored card may go, and searches.
create index subscriptions_by_vault on subscriptions (merchant_id, vault_id);
create index subscriptions_by_order on subscriptions (merchant_id, order_number);
alter table subscriptions add primary key (merchant_id, subscription_id);

create table billings (
  merchant_id text not null,
  billing_id uuid not null,
  subscription_id uuid not null,
  installment smallint not null check (installment >= 1),
  state text not null check (state in ('opened', 'paymentInvalid', 'canceled', 'denied', 'paid')),
  -- Canceled with its subscription before any charge: it uses up neither its day nor its installment.
  is_skipped boolean not null default false,
  -- Cents; what is charged.
  amount bigint not null check (amount >= 0),
  due_on date not null,
  -- The day of the next charge: the due day, or that of a retry. Null: nothing is charged any more.
  charge_on date,
  -- Charges made on schedule so far: the first and its retries.
  attempts smallint not null default 0 check (attempts >= 0),
  -- The charge that is under way: the transaction that collects it. Null: none is.
  transaction_id uuid,
  -- Real time: who charges, and until when nobody else does.
  lease_expires_at timestamptz,
  fence integer not null default 0,
  created_by text not null,
  created_at timestamptz not null,
  modified_by text,
  modified_at timestamptz,
  foreign key (merchant_id, subscription_id) references subscriptions,
  check ((state = 'opened') = (charge_on is not null)),
  check (not is_skipped or state = 'canceled'),
  check ((modified_by is null) = (modified_at is null))
-- Searches read the indexes alone where vacuum has been: it comes after a hundredth of the rows, not after a fifth.
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_scale_factor = 0.01,
  autovacuum_vacuum_insert_threshold = 2000, autovacuum_vacuum_cost_delay = 1, autovacuum_analyze_scale_factor = 0.05);
-- No day and no installment of a subscription is billed twice, and one billing is open at a time.
create unique index billings_by_installment on billings (merchant_id, subscription_id, installment) where not is_skipped;
create unique index billings_by_day on billings (merchant_id, subscription_id, due_on) where not is_skipped;
create unique index billings_opened on billings (merchant_id, subscription_id) where state = 'opened';
-- Searches: one range per state and days, or all of a merchant's in their order; counted and ordered without looking at the rows.
create index billings_by_creation on billings (merchant_id, created_at, billing_id) include (state, due_on);
create index billings_by_state on billings (merchant_id, state, due_on, created_at, billing_id);
-- Work that falls due: only opened ones stand here.
create index billings_due on billings (charge_on, merchant_id, billing_id) where state = 'opened';
alter table billings add primary key (merchant_id, billing_id);

-- Every try to collect a billing.
create table billing_charges (
  merchant_id text not null,
  billing_id uuid not null,
  charge_number smallint not null check (charge_number >= 1),
  -- The first try on schedule is 1, its retries 2 to 5; null: by hand.
  attempt smallint check (attempt between 1 and 5),
  -- Null: refused by our own rules, nobody was asked.
  transaction_id uuid,
  started_at timestamptz not null,
  ended_at timestamptz,
  -- Null: no answer yet.
  outcome text check (outcome in ('approved', 'funds', 'blocked', 'denied', 'technical', 'invalid', 'undone')),
  response_code text,
  -- The rule that was applied, in a word, and the day of the next charge that came of it.
  rule text check (rule in ('paid', 'retry', 'retryAsAdvised', 'noRetriesLeft', 'networkLimit', 'subscriptionEnded', 'cardCanceled',
    'neverAgain', 'denied', 'technical', 'invalid', 'declinedByHand')),
  next_charge_on date,
  created_by text not null,
  primary key (merchant_id, billing_id, charge_number),
  foreign key (merchant_id, billing_id) references billings,
  check ((outcome is null) = (ended_at is null))
);
create unique index billing_charges_by_attempt on billing_charges (merchant_id, billing_id, attempt) where outcome is distinct from 'undone';
