-- Outside a transaction: rows are looked at while others write.
-- Mastercard's Transaction Link Identifier of a charge, and of the use that later charges of a card refer to.
alter table transactions
  add column if not exists transaction_link_id text,
  drop constraint if exists transactions_transaction_link_id_check,
  add constraint transactions_transaction_link_id_check
    check (transaction_link_id ~ '^[A-Za-z0-9_-]{22}$') not valid;
alter table transactions validate constraint transactions_transaction_link_id_check;
alter table vault_cards
  add column if not exists transaction_link_id text,
  drop constraint if exists vault_cards_transaction_link_id_check,
  add constraint vault_cards_transaction_link_id_check
    check (transaction_link_id is null or (transaction_link_id ~ '^[A-Za-z0-9_-]{22}$' and first_used_at is not null)) not valid;
alter table vault_cards validate constraint vault_cards_transaction_link_id_check;
