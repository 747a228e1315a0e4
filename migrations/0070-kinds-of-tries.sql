-- Outside a transaction: an index on a table that grows is built while it is written. Each command may be repeated.
-- Tests of cards are looked for in verifications and in sales with new cards apart: neither hides the other, and stored cards hide none.
alter table velocity_events add column if not exists is_verification boolean not null default false;
alter table velocity_events add column if not exists is_stored boolean not null default false;
-- What the issuer said was about the card. Stands in no index, as is_declined.
alter table velocity_events add column if not exists is_card_refused boolean not null default false;

drop index concurrently if exists velocity_events_of_verifications;
create index concurrently velocity_events_of_verifications on velocity_events (merchant_id, attempted_at) where is_verification;

drop index concurrently if exists velocity_events_of_new_cards;
create index concurrently velocity_events_of_new_cards on velocity_events (merchant_id, attempted_at)
  where not is_verification and not is_stored;
