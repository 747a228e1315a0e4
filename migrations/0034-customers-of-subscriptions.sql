-- Outside a transaction: the indexes are built while customers subscribe. Each command may be repeated. What locks a table comes
-- first: where the lock is refused, all of it begins again, and no index is built twice.

-- Whom a subscription is for, as the merchant described it: name, email, documentNumber (without mask) and phone, each where it
-- was given. In clear, as the customer of a payment.
alter table subscriptions add column if not exists customer jsonb;
-- Real time: when that was removed, by retention or because the person asked.
alter table subscriptions add column if not exists customer_erased_at timestamptz;

-- That a customer was named or changed; what it was stands nowhere but above.
alter table subscription_events
  drop constraint if exists subscription_events_type_check,
  add constraint subscription_events_type_check
    check (type in ('activated', 'canceled', 'blocked', 'completed', 'cardChanged', 'customerChanged')) not valid,
  drop constraint if exists subscription_events_check,
  add constraint subscription_events_check
    check ((type in ('activated', 'cardChanged', 'customerChanged')) = (reason is null)) not valid;
alter table subscription_events validate constraint subscription_events_type_check;
alter table subscription_events validate constraint subscription_events_check;

-- What a merchant searches by; and, over all merchants, the subscriptions of a person, for the operator alone.
drop index concurrently if exists subscriptions_by_customer_document;
create index concurrently subscriptions_by_customer_document on subscriptions (
  (customer ->> 'documentNumber'), merchant_id, subscription_id
) where customer ->> 'documentNumber' is not null;
drop index concurrently if exists subscriptions_by_customer_email;
create index concurrently subscriptions_by_customer_email on subscriptions (
  merchant_id, lower(customer ->> 'email'), subscription_id
) where customer ->> 'email' is not null;

-- What retention looks through: those that ended, the longest over first.
drop index concurrently if exists subscriptions_with_customer;
create index concurrently subscriptions_with_customer on subscriptions (state_since)
  where customer is not null and state in ('canceled', 'completed');
