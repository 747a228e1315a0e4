-- Anti-fraud: the codes that pages ask for, and what the velocity rules count.

-- A code that a merchant's page was given: one hour, one approval. Real time.
create table anti_fraud_codes (
  merchant_id text not null,
  code uuid not null,
  -- What the page told of its buyer, as keyed prints bound to the merchant: they can be counted and not read. One print of 32
  -- bytes after the other, under each key that compared when the code was given, the key in use first: afterwards nobody has
  -- the text to make a print under another key. Null: not told.
  address_prints bytea check (octet_length(address_prints) > 0 and octet_length(address_prints) % 32 = 0),
  device_prints bytea check (octet_length(device_prints) > 0 and octet_length(device_prints) % 32 = 0),
  expires_at timestamptz not null,
  -- The transaction that has the code in use; an approval keeps it, whatever else ends gives it back.
  transaction_id uuid,
  primary key (merchant_id, code)
) with (fillfactor = 80);
create index anti_fraud_codes_by_expiry on anti_fraud_codes (expires_at);

-- One try to pay, as the velocity rules see it. Written with the intent, forgotten when no window reaches it any more. No document, no
-- address, no card stands here in clear: keyed prints only, which differ from merchant to merchant. No counter is shared:
-- counting reads, so that payments never wait for each other. Each print is under the key in use when it was made; no key has to
-- be named, for a print is looked up under all keys that compare, and the attempt is forgotten long before its key is.
create table anti_fraud_attempts (
  merchant_id text not null,
  transaction_id uuid not null,
  -- Real time.
  attempted_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '25 hours',
  card_print bytea not null,
  document_print bytea check (octet_length(document_print) = 32),
  address_print bytea check (octet_length(address_print) = 32),
  device_print bytea check (octet_length(device_print) = 32),
  -- Stands in no index, so that a decline rewrites the row and nothing else.
  is_declined boolean not null default false,
  primary key (merchant_id, transaction_id)
) with (fillfactor = 80);
create index anti_fraud_attempts_by_card on anti_fraud_attempts (merchant_id, card_print, attempted_at);
create index anti_fraud_attempts_by_document on anti_fraud_attempts (merchant_id, document_print, attempted_at)
  where document_print is not null;
create index anti_fraud_attempts_by_address on anti_fraud_attempts (merchant_id, address_print, attempted_at)
  where address_print is not null;
create index anti_fraud_attempts_by_device on anti_fraud_attempts (merchant_id, device_print, attempted_at)
  where device_print is not null;
create index anti_fraud_attempts_by_merchant on anti_fraud_attempts (merchant_id, attempted_at);
-- A time of its own: an index on attempted_at alone would look good to the planner for "the newest of a merchant", and read
-- all merchants' attempts to find one's.
create index anti_fraud_attempts_by_expiry on anti_fraud_attempts (expires_at);

-- What was decided before the acquirer was asked; a sale that was rejected has no transaction. Null: nobody decided.
alter table transactions
  add column anti_fraud_verdict text check (anti_fraud_verdict in ('accept', 'review')),
  -- Names of the rules behind it, separated by commas; empty when there is nothing to say.
  add column anti_fraud_reasons text check (char_length(anti_fraud_reasons) <= 500);
