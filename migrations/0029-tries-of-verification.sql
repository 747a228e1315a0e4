-- Card testing: a verification is a try like a charge, for anti-fraud and for the networks.

-- The card that a verification was declined for, as the limits of the networks count it: beside the declines of charges,
-- which stand on their transactions. Nothing else is kept of a card that was not stored.
create table declined_verifications (
  merchant_id text not null,
  -- The id that the stored card would have had; the reference at the acquirer.
  verification_id uuid not null,
  -- The fingerprint that a transaction of this card would keep.
  card_fingerprint bytea not null check (octet_length(card_fingerprint) = 32),
  card_brand text not null,
  response_code text not null,
  advice_code text,
  -- Business time, as sold_at of a transaction.
  asked_at timestamptz not null,
  -- Real time: networks forget after thirty days.
  expires_at timestamptz not null default now() + interval '31 days',
  primary key (merchant_id, verification_id)
);
create index declined_verifications_by_card on declined_verifications (merchant_id, card_fingerprint, asked_at);
create index declined_verifications_by_expiry on declined_verifications (expires_at);
