-- Outside a transaction: rows are looked at while others write.
-- Mastercard's Transaction Link Identifier of a charge, and of the use that later charges of a card refer to.
alter table transactions add column if not exists transaction_link_id text;
alter table transactions drop constraint if exists transactions_transaction_link_id_check;
alter table transactions add constraint transactions_transaction_link_id_check
  check (char_length(transaction_link_id) = 22) not valid;
alter table transactions validate constraint transactions_transaction_link_id_check;
alter table vault_cards add column if not exists transaction_link_id text;
alter table vault_cards drop constraint if exists vault_cards_transaction_link_id_check;
alter table vault_cards add constraint vault_cards_transaction_link_id_check
  check (transaction_link_id is null or (char_length(transaction_link_id) = 22 and first_used_at is not null)) not valid;
alter table vault_cards validate constraint vault_cards_transaction_link_id_check;
