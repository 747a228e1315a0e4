-- Telling merchants: where, what is waiting to be told, and what came of each try.

-- Every address at which a merchant is notified, of four kinds: the webhook of an account (`account:<account number>`),
-- the server behind callback addresses of payments (`origin:https://host:port`), who is alerted of subscriptions
-- (`alerts:<id>`), and who is notified of the exceptions of an account (`exceptions:<account number>`). Deliveries name
-- the first two, which succeed or fail as one; those of the other two go to the server behind them. The times of
-- breaker and holding are business time of the merchant.
create table webhook_endpoints (
  merchant_id text not null references merchants (merchant_id),
  endpoint text not null,
  kind text not null generated always as (case split_part(endpoint, ':', 1)
    when 'account' then 'webhook' when 'origin' then 'callback' else split_part(endpoint, ':', 1) end) stored,
  alert_endpoint_id uuid generated always as (case when endpoint like 'alerts:%' then substr(endpoint, 8)::uuid end) stored,
  -- Of a registration; a callback brings its own.
  url text,
  -- The server behind the address, where deliveries wait for that.
  server text,
  sealed_basic_auth bytea,
  basic_auth_key_id integer references data_keys (data_key_id),
  -- Held: failed for days, waits for a test or a new registration. Removed: nothing is written for it any
  -- more.
  state text not null default 'active' check (state in ('active', 'disabled', 'removed')),
  -- The breaker: nothing is sent until then, and then one probe. Null: closed.
  opened_until timestamptz,
  -- How often in a row it opened, which says for how long.
  openings smallint not null default 0,
  -- Since when nothing succeeded; null: the last try did.
  failing_since timestamptz,
  -- When it last came back: whatever was put off before is due.
  returned_at timestamptz,
  -- Raised by every registration and removal: what is found out about an earlier one changes nothing here.
  registration integer not null default 0,
  -- Of an alert endpoint; the name once more as searches compare it: small letters without accents.
  name text,
  description text,
  search_name text,
  events text[],
  -- The business day up to which it was alerted of what a day brings; null: of none yet.
  alerted_on date,
  -- Of a registration: business time.
  created_at timestamptz not null default now(),
  created_by text not null,
  -- Who removed or restored it last: business time.
  modified_at timestamptz,
  modified_by text,
  -- Real time.
  changed_at timestamptz not null default now(),
  primary key (merchant_id, endpoint),
  check (endpoint ~ '^(account|origin|alerts|exceptions):.' and char_length(endpoint) <= 520),
  check (char_length(url) between 1 and 500),
  check ((kind = 'callback') = (url is null)),
  check (server ~ '^origin:.' and char_length(server) <= 520),
  check ((kind in ('alerts', 'exceptions')) = (server is not null)),
  check (openings >= 0),
  check ((sealed_basic_auth is null) = (basic_auth_key_id is null)),
  check (sealed_basic_auth is null or kind = 'webhook'),
  check (num_nonnulls(name, description, search_name, events) = case when kind = 'alerts' then 4 else 0 end),
  check (char_length(name) between 1 and 255),
  check (char_length(description) between 1 and 255),
  check (cardinality(events) > 0 and events <@ '{failed,paid,canceled,blocked,reactivated,completed,cardExpiring,upcoming}'),
  check (alerted_on is null or kind = 'alerts'),
  check ((modified_by is null) = (modified_at is null))
);
create index webhook_endpoints_by_data_key on webhook_endpoints (basic_auth_key_id) where basic_auth_key_id is not null;

-- What waits for them is still to be given up.
create index webhook_endpoints_removed on webhook_endpoints (merchant_id, endpoint)
  where state = 'removed' and kind = 'webhook';

create index webhook_endpoints_of_alerts on webhook_endpoints (merchant_id, alert_endpoint_id) where kind = 'alerts';

-- Whoever alerts: active ones only, however many there were.
create index webhook_endpoints_alerts on webhook_endpoints (merchant_id, alert_endpoint_id)
  where kind = 'alerts' and state = 'active';
create index webhook_endpoints_to_alert on webhook_endpoints (alerted_on nulls first, merchant_id, alert_endpoint_id)
  where kind = 'alerts' and state = 'active';

-- What signs the messages of an account. Real time: the one before signs too until its time is over.
create table webhook_secrets (
  merchant_id text not null,
  account_number text not null,
  sealed_secret bytea not null,
  data_key_id integer not null references data_keys (data_key_id),
  previous_sealed_secret bytea,
  previous_data_key_id integer references data_keys (data_key_id),
  previous_valid_until timestamptz,
  created_by text not null,
  created_at timestamptz not null default now(),
  primary key (merchant_id, account_number),
  foreign key (merchant_id, account_number) references accounts (merchant_id, account_number),
  check ((previous_sealed_secret is null) = (previous_data_key_id is null)),
  check ((previous_sealed_secret is null) = (previous_valid_until is null))
);
create index webhook_secrets_by_data_key on webhook_secrets (data_key_id);
create index webhook_secrets_by_previous_key on webhook_secrets (previous_data_key_id) where previous_data_key_id is not null;

-- One message on its way to one target, written in the commit of what it tells. No foreign key to the target:
-- every payment of a merchant would lock that one row.
create table deliveries (
  merchant_id text not null,
  -- Of the sequence movement_ids: the movement's own number where it tells one. Later news has the larger
  -- number.
  delivery_number bigint not null,
  kind text not null check (kind in ('movement', 'callback', 'test', 'notice')),
  endpoint text not null,
  account_number text not null,
  -- What it tells about, and its order: of one transaction and installment (0: the payment as a whole) one
  -- after the other.
  transaction_id uuid,
  installment_number smallint not null default 0,
  nsu text,
  -- Of a callback; null: where the account is registered when it is sent.
  url text check (char_length(url) <= 500),
  -- The very bytes that are sent and signed.
  body text not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'givenUp')),
  tries smallint not null default 0,
  -- Tries made before it was sent again by hand: the schedule counts from there.
  tries_before smallint not null default 0,
  -- Business time: when the next try is due, and when that was decided.
  due_at timestamptz,
  scheduled_at timestamptz not null,
  -- Real time: until when a process is sending it, and that process's word against a later one's.
  lease_expires_at timestamptz,
  fence integer not null default 0,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (merchant_id, delivery_number),
  check ((state = 'waiting') = (due_at is not null)),
  check ((state = 'waiting') = (ended_at is null)),
  constraint deliveries_own_url_check check ((kind in ('callback', 'notice')) = (url is not null))
) with (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 1,
  autovacuum_analyze_scale_factor = 0.1
);
create index deliveries_waiting on deliveries (merchant_id, endpoint, due_at) where state = 'waiting';
create index deliveries_by_nsu on deliveries (merchant_id, nsu, delivery_number) where nsu is not null;
create index deliveries_in_order on deliveries
  (merchant_id, endpoint, transaction_id, installment_number, delivery_number) where due_at is not null;
create index deliveries_by_account on deliveries (merchant_id, account_number, state, created_at) include (delivery_number)
  where account_number is not null;

-- What came of each try. Real time.
create table delivery_tries (
  merchant_id text not null,
  delivery_number bigint not null,
  try_number smallint not null check (try_number >= 1),
  tried_at timestamptz not null,
  milliseconds integer not null check (milliseconds >= 0),
  -- Of the answer; null: none came.
  status smallint check (status >= 100 and status < 1000),
  -- Why it failed, in a word; null: it was delivered.
  failure text check (char_length(failure) <= 100),
  -- The beginning of the answer, printable characters only.
  answer text check (char_length(answer) <= 200),
  primary key (merchant_id, delivery_number, try_number)
) with (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 2000
);
