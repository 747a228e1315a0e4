-- Outside a transaction: the indexes are built while cards are stored. Each command may be repeated.

-- The fingerprint that a transaction of this card keeps: the copies of one card are counted by it. Null: stored before copies were
-- counted; such a row is no copy.
alter table vault_cards add column if not exists card_fingerprint bytea;
alter table vault_cards drop constraint if exists vault_cards_card_fingerprint_check;
alter table vault_cards add constraint vault_cards_card_fingerprint_check check (octet_length(card_fingerprint) = 32) not valid;
alter table vault_cards validate constraint vault_cards_card_fingerprint_check;

drop index concurrently if exists vault_cards_by_fingerprint;
create index concurrently vault_cards_by_fingerprint on vault_cards (merchant_id, card_fingerprint)
  where card_fingerprint is not null;

-- What retention looks through, of all merchants, from the card that expired first.
drop index concurrently if exists vault_cards_expired;
create index concurrently vault_cards_expired on vault_cards (expiration_year, expiration_month, merchant_id, vault_id);
