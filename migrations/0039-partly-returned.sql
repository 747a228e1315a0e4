-- Outside a transaction: payments are looked at while others write, and the index is built beside them.
-- What went back in part has a mark of its own. An index that named canceled_amount, where a cancel holds its amount before
-- it is sent, had each cancel written to all indexes of transactions once more, and found what was held alone.
-- Null: nothing went back, or all of it.
alter table transactions add column if not exists is_partly_returned boolean;

-- As before, with what went back in part.
create or replace function show_installments_as_one() returns trigger language plpgsql as $$
declare
  t record;
  shown record;
begin
  for t in select distinct merchant_id, transaction_id from changed loop
    select case when bool_or(state = 'blocked') then 'blocked' when bool_or(state = 'authorized') then 'authorized'
        when bool_or(state = 'paid') then 'paid' else 'canceled' end as state,
      nullif(sum(canceled_amount) > 0 and sum(canceled_amount) < sum(amount), false) as is_partly_returned
    into shown from installments where merchant_id = t.merchant_id and transaction_id = t.transaction_id;
    update transactions set installments_state = shown.state, is_partly_returned = shown.is_partly_returned
    where merchant_id = t.merchant_id and transaction_id = t.transaction_id
      and (installments_state is distinct from shown.state or is_partly_returned is distinct from shown.is_partly_returned);
  end loop;
  return null;
end $$;

-- Whoever writes installments locks their transaction before.
do $$
declare
  t record;
begin
  for t in select merchant_id, transaction_id from transactions where canceled_amount > 0 and canceled_amount < amount
    union select merchant_id, transaction_id from cancels where due_at is not null
  loop
    perform from transactions where merchant_id = t.merchant_id and transaction_id = t.transaction_id for no key update;
    update installments set canceled_amount = canceled_amount
    where merchant_id = t.merchant_id and transaction_id = t.transaction_id and canceled_amount > 0;
    commit;
  end loop;
end $$;

drop index concurrently if exists transactions_returned_in_part;
create index concurrently transactions_returned_in_part on transactions (merchant_id, sold_at, transaction_id)
  where is_partly_returned;
drop index concurrently if exists transactions_partly_returned;
