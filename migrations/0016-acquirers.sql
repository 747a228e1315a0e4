-- What an acquirer without tombstones may still book after all: a charge whose outcome was lost and that was
-- then found to be gone, or declined. It is looked for a day longer, and voided with an alarm if it appears.
create table watched_charges (
  merchant_id text not null,
  transaction_id uuid not null,
  -- Real time, both.
  due_at timestamptz not null,
  watched_until timestamptz not null,
  primary key (merchant_id, transaction_id),
  foreign key (merchant_id, transaction_id) references transactions (merchant_id, transaction_id)
);
create index watched_charges_due on watched_charges (due_at);

-- How this provider is spoken to, by names of its adapter; nothing secret.
alter table providers add column settings jsonb not null default '{}'
  check (jsonb_typeof(settings) = 'object' and char_length(settings::text) <= 2000);

-- Of a charge that its acquirer surely did not make: the id of the transaction that went, or was to go, to another.
alter table transactions add column next_attempt_id uuid;
create unique index transactions_by_next_attempt on transactions (merchant_id, next_attempt_id)
  where next_attempt_id is not null;

-- Of a sale that came with a 3-D Secure authentication: what it said, and the version of the protocol. Its proof
-- (CAVV) is never stored.
alter table transactions
  add column eci text check (eci ~ '^0[0-7]$'),
  add column three_d_secure_version text check (char_length(three_d_secure_version) <= 5),
  add check ((eci is null) = (three_d_secure_version is null));
