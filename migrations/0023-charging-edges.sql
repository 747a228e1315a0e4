-- A card that told a merchant "never again" is not charged again for ever, also when the key of its fingerprint is gone: its declines are
-- found by the stored card. Only declines stand here, as in transactions_declined_by_card.
create index transactions_declined_by_vault on transactions (merchant_id, vault_id, sold_at)
  where response_code is not null and vault_id is not null;

-- Real time: since when the outcome of a charge is being found out. A billing's charge that the acquirer does not know is looked for
-- for a while before it is voided. Null: its first answer is still awaited, or came.
alter table transactions add column settling_since timestamptz;
