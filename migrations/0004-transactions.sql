-- What the acquirer knows: one authorization under one reference (the transaction's id). The row is committed before the
-- acquirer is called (state charging) and again with what it answered; whatever stays unanswered is settled.
create table transactions (
  merchant_id text not null,
  transaction_id uuid not null,
  account_number text not null,
  origin text not null check (origin in ('payment', 'billing')),
  state text not null check (state in ('charging', 'settling', 'approved', 'declined', 'undone')),
  -- Cents.
  amount bigint not null check (amount between 1 and 9999999999),
  installment_count smallint not null check (installment_count between 1 and 99),
  reference_transaction text check (char_length(reference_transaction) <= 50),
  card_brand text not null,
  card_first_six text not null check (char_length(card_first_six) = 6),
  card_last_four text not null check (char_length(card_last_four) = 4),
  -- Keyed: equal cards can be counted, nobody can compute it from a card number without the key.
  card_fingerprint bytea not null,
  -- The carrier that this transaction has in use (card_claims), to give it back.
  carrier_hash bytea,
  anti_fraud_code uuid,
  callback_url text check (char_length(callback_url) <= 500),
  customer jsonb,
  created_by text not null,
  -- Business time of the sale; created_at and decided_at are real time.
  sold_at timestamptz not null,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  authorization_code text,
  nsu text,
  network_transaction_id text,
  response_code text,
  advice_code text,
  -- Raised whenever another process takes the row over: what the former one still brings is refused.
  fence integer not null default 0,
  -- Charging: the end of the lease. Settling: when to look again.
  due_at timestamptz,
  settle_tries smallint not null default 0,
  -- Why the outcome was unknown: a word for people.
  unknown_reason text,
  primary key (merchant_id, transaction_id),
  check ((state in ('charging', 'settling')) = (due_at is not null)),
  check ((state in ('charging', 'settling')) = (decided_at is null)),
  check (state <> 'approved' or (authorization_code is not null and nsu is not null)),
  check ((state = 'declined') = (response_code is not null))
);
-- Work that falls due: only rows without a final state stand here.
create index transactions_due on transactions (due_at) where due_at is not null;

create table installments (
  merchant_id text not null,
  transaction_id uuid not null,
  installment_number smallint not null,
  amount bigint not null check (amount > 0),
  state text not null check (state in ('authorized', 'paid', 'canceled', 'blocked')),
  primary key (merchant_id, transaction_id, installment_number),
  foreign key (merchant_id, transaction_id) references transactions
);

create sequence movement_ids as bigint maxvalue 9007199254740991;

-- One recorded change of state of an installment, committed with the change; never altered.
create table movements (
  merchant_id text not null,
  movement_id bigint not null default nextval('movement_ids'),
  account_number text not null,
  transaction_id uuid not null,
  installment_number smallint not null,
  type text not null check (type in ('Autorizacao', 'Pagamento', 'Cancelamento', 'Bloqueio', 'Desbloqueio')),
  old_state text check (old_state in ('authorized', 'paid', 'canceled', 'blocked')),
  new_state text not null check (new_state in ('authorized', 'paid', 'canceled', 'blocked')),
  nsu text not null,
  authorization_code text not null,
  -- Business time.
  moment timestamptz not null,
  -- The writer: readers who page by movement_id stay below the oldest writer still at work, and skip nothing.
  written_by xid8 not null default pg_current_xact_id(),
  primary key (merchant_id, movement_id),
  foreign key (merchant_id, transaction_id, installment_number) references installments
);
