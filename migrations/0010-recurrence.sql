-- Recurring offers, who is enrolled in them, and what each enrolment owes. All times are business time, save where a
-- line says otherwise.
--
-- Some primary keys are made behind the other indexes of their tables: while a table is all but empty a look-up by key
-- costs the same over any index that begins with the merchant, and the planner takes the newest.

create table plans (
  merchant_id text not null references merchants (merchant_id),
  plan_id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  description text not null check (char_length(description) between 1 and 255),
  -- The name as searches compare it: small letters without accents.
  search_name text not null,
  -- Reais, digit for digit as the merchant wrote them.
  amount numeric(18,6) not null check (amount > 0),
  plan_type text not null check (plan_type in ('weekly', 'monthly', 'bimonthly', 'quarterly', 'semesterly', 'yearly', 'custom')),
  payment_method text not null default 'creditCard' check (payment_method in ('creditCard', 'pixAutomatic')),
  trial_days smallint not null check (trial_days between 0 and 730),
  interval_days smallint not null check (interval_days between 7 and 3650),
  -- 0: no end.
  installments smallint not null check (installments between 0 and 999),
  max_retries smallint not null,
  state text not null check (state in ('active', 'inactive', 'canceled')),
  created_by text not null,
  created_at timestamptz not null,
  modified_by text,
  modified_at timestamptz,
  soft_descriptor text check (char_length(soft_descriptor) between 1 and 13),
  constraint plans_attempts_check check (max_retries between 0 and 4),
  check ((modified_by is null) = (modified_at is null)),
  constraint plans_installments_of_type_check check ((plan_type <> 'custom' or installments > 0)
    and (installments = 0 or plan_type in ('custom', 'monthly'))),
  constraint plans_method_check check (case payment_method
    when 'pixAutomatic' then plan_type not in ('bimonthly', 'custom') and max_retries <= 3 else plan_type <> 'weekly' end)
);
create index plans_by_creation on plans (merchant_id, created_at, plan_id);
alter table plans add primary key (merchant_id, plan_id);

-- A plan that was canceled cancels whoever is enrolled, in bounded batches: by the request that asked for it,
-- and by whoever finds the row when that one died.
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
  foreign key (merchant_id, plan_id) references plans (merchant_id, plan_id)
);
create index plan_cancellations_due on plan_cancellations (lease_expires_at);

create table subscriptions (
  merchant_id text not null,
  subscription_id uuid not null,
  plan_id uuid not null,
  -- No foreign key: the card of one that ended may be removed. Whoever makes one active, or names a card,
  -- locks the card (for key share), and whoever removes a card locks it too and then looks whether an active
  -- or blocked one names it.
  -- Null: it is paid by Pix Automático.
  vault_id uuid,
  payment_method text not null default 'creditCard' check (payment_method in ('creditCard', 'pixAutomatic')),
  order_number text not null check (char_length(order_number) between 1 and 10),
  -- Stamped on the transactions of its charges.
  account_number text not null,
  -- completed: its last installment is finalized; shown as canceled, and never active again.
  -- pending: its payer has not agreed to Pix Automático yet; rejected or expired: he did not.
  state text not null
    check (state in ('pending', 'active', 'blocked', 'canceled', 'completed', 'rejected', 'expired')),
  -- Why it is not active.
  reason text check (reason in ('user', 'plan', 'declined', 'completed', 'cardCanceled', 'chargeback', 'payer', 'rejected', 'expired', 'unanswered')),
  -- Real time: since when it is what it is; blocking does not move it, or the end of its plan, asked for
  -- before, would pass it over.
  state_since timestamptz not null default clock_timestamp(),
  -- The terms of the enrolment: what the plan was then.
  amount numeric(18,6) not null check (amount > 0),
  plan_type text not null check (plan_type in ('weekly', 'monthly', 'bimonthly', 'quarterly', 'semesterly', 'yearly', 'custom')),
  trial_days smallint not null,
  interval_days smallint not null check (interval_days between 7 and 3650),
  installments smallint not null,
  max_retries smallint not null,
  -- The day of the first billing: every other one is a whole number of intervals later.
  first_due_on date not null,
  -- Of a subscription that began at another gateway: the installments that were paid there. Its first billing is the next one.
  installments_paid_before smallint not null default 0 check (installments_paid_before >= 0),
  created_by text not null,
  created_at timestamptz not null,
  modified_by text,
  modified_at timestamptz,
  -- Whom a subscription is for, as the merchant described it: name, email, documentNumber (without mask) and
  -- phone, each where it was given. In clear, as the customer of a payment.
  customer jsonb,
  -- Real time: when that was removed, by retention or because the person asked.
  customer_erased_at timestamptz,
  foreign key (merchant_id, plan_id) references plans (merchant_id, plan_id),
  check ((state in ('active', 'pending')) = (reason is null)),
  check ((vault_id is null) = (payment_method = 'pixAutomatic')),
  check (installments = 0 or installments_paid_before < installments),
  check ((modified_by is null) = (modified_at is null))
);
create index subscriptions_by_creation on subscriptions (merchant_id, created_at, subscription_id);
create index subscriptions_by_state on subscriptions (merchant_id, state, created_at, subscription_id);

-- Whether a plan is in use, who is canceled with it, and searches by its name, which are put in order of
-- creation without a look at the rows.
create index subscriptions_by_plan on subscriptions (merchant_id, plan_id, state, subscription_id) include (created_at);

-- Whether a stored card may go, and searches.
create index subscriptions_by_vault on subscriptions (merchant_id, vault_id);
create index subscriptions_by_order on subscriptions (merchant_id, order_number);
alter table subscriptions add primary key (merchant_id, subscription_id);
create index subscriptions_by_customer_document on subscriptions (
  (customer ->> 'documentNumber'), merchant_id, subscription_id
) where customer ->> 'documentNumber' is not null;
create index subscriptions_by_customer_email on subscriptions (
  merchant_id, lower(customer ->> 'email'), subscription_id
) where customer ->> 'email' is not null;
create index subscriptions_with_customer on subscriptions (state_since)
  where customer is not null and state in ('canceled', 'completed', 'rejected', 'expired');

create table billings (
  merchant_id text not null,
  billing_id uuid not null,
  subscription_id uuid not null,
  installment smallint not null check (installment >= 1),
  -- Cents; what is charged.
  amount bigint not null check (amount >= 0),
  due_on date not null,
  created_by text not null,
  created_at timestamptz not null,
  state text not null check (state in ('opened', 'paymentInvalid', 'canceled', 'denied', 'paid')),
  -- Canceled with its subscription before any charge: it uses up neither its day nor its installment.
  is_skipped boolean not null default false,
  -- The day of the next charge: the due day, or that of a retry. Null: nothing is charged any more.
  charge_on date,
  -- Charges made on schedule so far: the first and its retries.
  charges_made smallint not null default 0 check (charges_made >= 0),
  -- The charge that is under way: the transaction that collects it. Null: none is.
  transaction_id uuid,
  -- Real time: who charges, and until when nobody else does.
  lease_expires_at timestamptz,
  fence integer not null default 0,
  modified_by text,
  modified_at timestamptz,
  foreign key (merchant_id, subscription_id) references subscriptions (merchant_id, subscription_id),
  check ((state = 'opened') = (charge_on is not null)),
  check (not is_skipped or state = 'canceled'),
  check ((modified_by is null) = (modified_at is null))
) with (
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0.01,
  autovacuum_vacuum_insert_threshold = 2000,
  autovacuum_vacuum_cost_delay = 1,
  autovacuum_analyze_scale_factor = 0.05,
  fillfactor = 90
);

-- No day and no installment of a subscription is billed twice, and one billing is open at a time.
create unique index billings_by_installment on billings (merchant_id, subscription_id, installment) where not is_skipped;
create unique index billings_by_day on billings (merchant_id, subscription_id, due_on) where not is_skipped;
create unique index billings_opened on billings (merchant_id, subscription_id) where state = 'opened';

-- Searches: one range per state and days, or all of a merchant's in their order; counted and ordered without
-- looking at the rows.
create index billings_by_creation on billings (merchant_id, created_at, billing_id) include (state, due_on);
create index billings_by_state on billings (merchant_id, state, due_on, billing_id) include (created_at);
alter table billings add primary key (merchant_id, billing_id);

-- A billing that follows another one has the same id wherever it is opened: a database that was restored meets
-- what the acquirer has of it. Version 8: its due day, then a hash. By chance where a skipped one has that id.
create function next_billing_id(merchant text, subscription uuid, installment_number smallint, due date) returns uuid
language sql as $$
  select case when exists (
      select from billings b where b.merchant_id = merchant and b.billing_id = d.billing_id
    ) then gen_random_uuid() else d.billing_id end
  from (
    select (lpad(to_hex(extract(epoch from due)::bigint * 1000), 12, '0') || '8' || substr(h.digits, 1, 3) || '8'
      || substr(h.digits, 4, 15))::uuid as billing_id
    from (
      select encode(sha256(convert_to(concat_ws('|', merchant, subscription, installment_number, to_char(due, 'YYYY-MM-DD')), 'UTF8')),
        'hex') as digits
    ) h
  ) d
$$;

-- Work that falls due: only what is to be charged stands here. Of a day, merchant by merchant, each in a turn
-- that is even over a window of the day; the first charge of a subscription comes before all turns. What
-- changes while a charge is under way stands in no index. Its condition is not that of billings_opened, which
-- finds the open one of a subscription.
create index billings_by_turn on billings (charge_on, merchant_id, (
    case when installment = 1 and charge_on = due_on then -1
    else (get_byte(uuid_send(billing_id), 14) << 8) | get_byte(uuid_send(billing_id), 15) end
  ), billing_id) where charge_on is not null;

-- All billings of a subscription: the others of it stand in the index by installment.
create index billings_skipped on billings (merchant_id, subscription_id, installment) where is_skipped;

-- A day and state have several rows, which are added up: each commit adds what it changed, and waits for no
-- other one.
create table billing_days (
  merchant_id text not null,
  due_on date not null,
  billing_state text not null,
  part_number bigint generated always as identity,
  count bigint not null,
  -- Cents; what only takes away is below zero.
  amount bigint not null,
  primary key (merchant_id, due_on, billing_state, part_number)
) with (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000
);

-- Every try to collect a billing.
create table billing_charges (
  merchant_id text not null,
  billing_id uuid not null,
  charge_number integer not null check (charge_number >= 1),
  -- The first try on schedule is 1, its retries 2 to 5; null: by hand.
  attempt_number smallint,
  -- Null: refused by our own rules, nobody was asked.
  transaction_id uuid,
  -- By chance, of a card's: a repeated statement knows by it what it has begun.
  taker bytea check (octet_length(taker) = 4),
  started_at timestamptz not null,
  created_by text not null,
  ended_at timestamptz,
  -- Null: no answer yet.
  outcome text check (outcome in ('approved', 'funds', 'blocked', 'denied', 'technical', 'invalid', 'voided')),
  response_code text,
  -- The rule that was applied, in a word, and the day of the next charge that came of it.
  rule text
    check (rule in ('paid', 'retry', 'retryAsAdvised', 'noRetriesLeft', 'networkLimit', 'subscriptionEnded', 'cardCanceled', 'neverAgain', 'denied', 'technical', 'invalid', 'declinedByHand', 'cardExpired', 'cardUnusable', 'amountOutOfRange', 'cycleOver', 'sentAgain')),
  next_charge_on date,
  -- Real time: when whoever finds it looks what came of it. Null: it is known.
  due_at timestamptz,
  primary key (merchant_id, billing_id, charge_number),
  foreign key (merchant_id, billing_id) references billings (merchant_id, billing_id),
  constraint billing_charges_attempt_check check (attempt_number between 1 and 5),
  check ((outcome is null) = (ended_at is null))
);
create index billing_charges_under_way on billing_charges (due_at, merchant_id, billing_id) where due_at is not null;

-- A charge by the transaction that it is: a repeated request, a card holder who takes it back.
create index billing_charges_by_transaction on billing_charges (merchant_id, transaction_id) where transaction_id is not null;
create unique index billing_charges_by_attempt on billing_charges (merchant_id, billing_id, attempt_number)
  where outcome is distinct from 'voided';
create index billing_charges_retried on billing_charges (merchant_id, started_at, billing_id)
  include (attempt_number, outcome) where attempt_number > 1;

-- What happened to a subscription after its creation, in order: who did it, why, and through which billing.
create table subscription_events (
  merchant_id text not null,
  subscription_id uuid not null,
  event_number bigint generated always as identity,
  type text not null
    check (type in ('activated', 'canceled', 'blocked', 'completed', 'cardChanged', 'customerChanged', 'rejected', 'expired')),
  -- Why it is not active any more; null for the other types.
  reason text check (reason in ('user', 'plan', 'declined', 'completed', 'cardCanceled', 'chargeback', 'payer', 'rejected', 'expired', 'unanswered')),
  -- The billing whose charge did it; null: none did.
  billing_id uuid,
  created_by text not null,
  -- Business time.
  created_at timestamptz not null,
  primary key (merchant_id, subscription_id, event_number),
  foreign key (merchant_id, subscription_id) references subscriptions (merchant_id, subscription_id),
  check ((type in ('activated', 'cardChanged', 'customerChanged')) = (reason is null))
);

-- A subscription whose card expires soon is told of once. Written under the lock of the alert endpoint, whose row is
-- never deleted: a foreign key would need an index that planners take for look-ups of all endpoints.
create table card_expiry_alerts (
  merchant_id text not null,
  alert_endpoint_id uuid not null,
  subscription_id uuid not null,
  vault_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (merchant_id, alert_endpoint_id, subscription_id, vault_id),
  foreign key (merchant_id, subscription_id) references subscriptions (merchant_id, subscription_id)
);

-- Billings whose day comes within three days, and of which an address was notified: forgotten when their day
-- has come. On the day that `alerted_on` names, it was notified of cards and of billings.
create table upcoming_alerts (
  merchant_id text not null,
  alert_endpoint_id uuid not null,
  due_on date not null,
  billing_id uuid not null,
  primary key (merchant_id, alert_endpoint_id, due_on, billing_id)
);

-- By the owner's right: the service's role writes no sums. One for each kind of statement; they differ in what
-- they read alone. What stays as it was adds no row. About every sixteenth row, by a hash as for receivables, puts
-- those of its day and state together, but for those that another commit is putting together: none waits.
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
      create function add_billing_%1$s() returns trigger language plpgsql security definer
        set search_path = %2$I, pg_temp as $body$
      begin
        with moved as (
          select m.merchant_id, m.due_on, m.state, sum(m.sign) as count, sum(m.sign * m.amount) as amount
          from (%3$s) m group by m.merchant_id, m.due_on, m.state
        ), added as (
          insert into billing_days (merchant_id, due_on, billing_state, count, amount)
          select m.merchant_id, m.due_on, m.state, m.count, m.amount from moved m where m.count <> 0 or m.amount <> 0
          order by m.merchant_id, m.due_on, m.state
          returning merchant_id, due_on, billing_state, part_number
        ), held as materialized (
          select d.merchant_id, d.due_on, d.billing_state, d.part_number
          from added a cross join lateral (
            select * from billing_days
            where merchant_id = a.merchant_id and due_on = a.due_on and billing_state = a.billing_state
            order by part_number for update skip locked
          ) d
          where hashint8(a.part_number) %% 16 = 0
        ), gone as (
          delete from billing_days d using held h
          where d.merchant_id = h.merchant_id and d.due_on = h.due_on and d.billing_state = h.billing_state and d.part_number = h.part_number
          returning d.*
        )
        insert into billing_days (merchant_id, due_on, billing_state, count, amount)
        select merchant_id, due_on, billing_state, sum(count), sum(amount) from gone
        group by merchant_id, due_on, billing_state having sum(count) <> 0 or sum(amount) <> 0;
        return null;
      end $body$$function$, made[1], current_schema(), made[2]);
  end loop;
end $make$;

-- What empties the one empties the other.
create function empty_billing_days() returns trigger language plpgsql security definer as $$
begin
  delete from billing_days;
  return null;
end $$;

-- Another schema in front of ours must not be read in the place of it.
do $$
declare
  made regprocedure;
begin
  foreach made in array array['empty_billing_days()']::regprocedure[]
  loop
    execute format('alter function %s set search_path = %I, pg_temp', made, current_schema());
  end loop;
end $$;

create trigger billings_insert_summed after insert on billings
  referencing new table as after_it for each statement execute function add_billing_insert();

create trigger billings_update_summed after update on billings
  referencing old table as before_it new table as after_it for each statement execute function add_billing_update();

create trigger billings_delete_summed after delete on billings
  referencing old table as before_it for each statement execute function add_billing_delete();

create trigger billings_truncate_summed after truncate on billings
  for each statement execute function empty_billing_days();
