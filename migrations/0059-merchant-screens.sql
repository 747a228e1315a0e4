-- Outside a transaction: indexes on tables that grow are built while they are written. Each command may be repeated.
-- What the console keeps for a merchant's users, and what it counts for them in indexes alone.

-- Filters of a list that a user keeps under a name. Each has one of thirty places: there are never more, whatever is sent at once.
create table if not exists console_filters (
  merchant_id text not null references merchants (merchant_id),
  user_id uuid not null references console_users (user_id),
  place smallint not null check (place between 1 and 30),
  list text not null check (list in ('payments', 'subscriptions', 'billings', 'boletos', 'exceptions', 'deliveries')),
  name text not null check (char_length(name) between 1 and 40),
  -- As the address of the list has it.
  query text not null check (char_length(query) between 1 and 500),
  created_at timestamptz not null default now(),
  primary key (merchant_id, user_id, place),
  unique (merchant_id, user_id, list, name)
);

-- A merchant's sales by day, as before, with what is counted of them for charts. The columns beside the key are written with the
-- state, which stands in it: no payment writes more entries than before.
drop index concurrently if exists transactions_by_sale_day;
create index concurrently transactions_by_sale_day on transactions
  (merchant_id, sold_at, transaction_id, state, installments_state, card_last_four)
  include (card_brand, response_code, advice_code) where installments_state is not null;
drop index concurrently if exists transactions_by_day;

-- Retries by the day on which they were made. Of a first charge nothing stands here.
drop index concurrently if exists billing_charges_retried;
create index concurrently billing_charges_retried on billing_charges (merchant_id, started_at, billing_id)
  include (attempt_number, outcome) where attempt_number > 1;

-- A boleto by what its payer types.
drop index concurrently if exists boletos_by_bar_code;
create index concurrently boletos_by_bar_code on boletos (merchant_id, bar_code) where bar_code is not null;
