-- Anti-fraud: the codes that pages ask for, and what the velocity rules count.

-- A code that a merchant's page was given: one hour, one approval. Real time.
create table anti_fraud_codes (
  merchant_id text not null,
  code uuid not null,
  -- What the page told of its buyer, as keyed prints bound to the merchant: they can be counted and not read.
  -- One print of 32 bytes after the other, under each key that compared when the code was given, the key in
  -- use first: afterwards nobody has the text to make a print under another key. Null: not told.
  address_fingerprints bytea,
  device_fingerprints bytea,
  expires_at timestamptz not null,
  -- The transaction that has the code in use; an approval keeps it, whatever else ends gives it back.
  transaction_id uuid,
  primary key (merchant_id, code),
  constraint anti_fraud_codes_address_prints_check check (octet_length(address_fingerprints) > 0
    and octet_length(address_fingerprints) % 32 = 0),
  constraint anti_fraud_codes_device_prints_check check (octet_length(device_fingerprints) > 0
    and octet_length(device_fingerprints) % 32 = 0)
) with (
  fillfactor = 80
);
create index anti_fraud_codes_by_expiry on anti_fraud_codes (expires_at);

-- One try to pay, as the velocity rules see it. Written with the intent, forgotten when no window reaches it
-- any more. No document, no address, no card stands here in clear: keyed prints only, which differ from
-- merchant to merchant. No counter is shared: counting reads, so that payments never wait for each other. Each
-- print is under the key in use when it was made; no key has to be named, for a print is looked up under all
-- keys that compare, and the attempt is forgotten long before its key is.
create table velocity_events (
  merchant_id text not null,
  transaction_id uuid not null,
  -- Real time.
  attempted_at timestamptz not null default now(),
  expires_at timestamptz not null default (now() + '25:00:00'::interval),
  card_fingerprint bytea not null,
  document_fingerprint bytea,
  address_fingerprint bytea,
  device_fingerprint bytea,
  -- Stands in no index, so that a decline rewrites the row and nothing else.
  is_declined boolean not null default false,
  -- Tests of cards are looked for in verifications and in sales with new cards apart: neither hides the other,
  -- and stored cards hide none.
  is_verification boolean not null default false,
  is_stored boolean not null default false,
  -- What the issuer said was about the card. Stands in no index, as is_declined.
  is_card_refused boolean not null default false,
  primary key (merchant_id, transaction_id),
  check (octet_length(document_fingerprint) = 32),
  check (octet_length(address_fingerprint) = 32),
  check (octet_length(device_fingerprint) = 32)
) with (
  fillfactor = 80
);
create index velocity_events_by_card on velocity_events (merchant_id, card_fingerprint, attempted_at);
create index velocity_events_by_document on velocity_events (merchant_id, document_fingerprint, attempted_at)
  where document_fingerprint is not null;
create index velocity_events_by_address on velocity_events (merchant_id, address_fingerprint, attempted_at)
  where address_fingerprint is not null;
create index velocity_events_by_device on velocity_events (merchant_id, device_fingerprint, attempted_at)
  where device_fingerprint is not null;

-- A time of its own: an index on attempted_at alone would look good to the planner for "the newest of a
-- merchant", and read all merchants' attempts to find one's.
create index velocity_events_by_expiry on velocity_events (expires_at);
create index velocity_events_by_merchant on velocity_events ((merchant_id || ''), attempted_at);
create index velocity_events_of_verifications on velocity_events (merchant_id, attempted_at) where is_verification;
create index velocity_events_of_new_cards on velocity_events (merchant_id, attempted_at)
  where not is_verification and not is_stored;
