-- Outside a transaction: everything is done while payments go on. Each command may be repeated.

-- What was sold before shows its installments as one too, a thousand transactions at a time, each time in a transaction of its own.
-- They are locked first, in the order of every other writer, and read after: what changes meanwhile is not written over.
do $$
declare
  seller text;
  upto uuid;
  ids uuid[];
begin
  for seller in select merchant_id from merchants order by merchant_id loop
    upto := '00000000-0000-0000-0000-000000000000';
    loop
      select array_agg(transaction_id order by transaction_id) into ids from (
        select transaction_id from transactions where merchant_id = seller and transaction_id > upto
        order by transaction_id limit 1000
      ) n;
      exit when ids is null;
      perform from transactions where merchant_id = seller and transaction_id = any (ids) and state = 'approved'
      order by transaction_id for no key update;
      update transactions t set installments_state = o.shown
      from (
        select transaction_id, case when bool_or(state = 'blocked') then 'blocked'
          when bool_or(state = 'authorized') then 'authorized' when bool_or(state = 'paid') then 'paid'
          else 'canceled' end as shown
        from installments where merchant_id = seller and transaction_id = any (ids) group by transaction_id
      ) o
      where t.merchant_id = seller and t.transaction_id = o.transaction_id and t.installments_state is distinct from o.shown;
      upto := ids[array_upper(ids, 1)];
      commit;
    end loop;
  end loop;
end $$;

-- A merchant's sales by day, with all that a search by day filters by: it reads this alone. Only a search names `installments_state`:
-- a look-up by key that was planned while the table was small is kept from reading all that a merchant has.
drop index concurrently if exists transactions_by_day;
create index concurrently transactions_by_day on transactions
  (merchant_id, sold_at, transaction_id, state, installments_state, card_last_four)
  where installments_state is not null;

-- What a notification, a receipt or a stored card names.
drop index concurrently if exists transactions_by_nsu;
create index concurrently transactions_by_nsu on transactions (merchant_id, nsu) where nsu is not null;
drop index concurrently if exists transactions_by_authorization_code;
create index concurrently transactions_by_authorization_code on transactions (merchant_id, authorization_code)
  where authorization_code is not null;
drop index concurrently if exists transactions_by_vault_card;
-- An amount is always more than 0. Only a search says so: declines of a card are read from transactions_declined_by_vault.
create index concurrently transactions_by_vault_card on transactions (merchant_id, vault_id, transaction_id)
  where vault_id is not null and amount > 0;

-- The stored cards that end in four digits. Named by their list only, as above.
drop index concurrently if exists vault_cards_by_last_four;
create index concurrently vault_cards_by_last_four on vault_cards (merchant_id, last_four, vault_id)
  where last_four is not null;
