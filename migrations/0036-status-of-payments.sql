-- What the installments of an approved transaction show as one, beside it: a search by status reads one row, not up to 99. Kept by
-- the database, so that a version from before this, running beside, keeps it too. Of a transaction that is not approved it says
-- nothing. Approving one costs no more: the default is what an approval makes.

alter table transactions
  add column installments_state text not null default 'authorized',
  -- Of new values; there are no others.
  add constraint transactions_installments_state_check
    check (installments_state in ('authorized', 'paid', 'canceled', 'blocked')) not valid;

-- The first of these that occurs. Every writer of installments has locked their transaction before, so that none is missed. Looked
-- up one by one: a join may be planned while tables are small. `is distinct from`: see transactions_by_day.
create function show_installments_as_one() returns trigger language plpgsql as $$
declare
  t record;
  shown text;
begin
  for t in select distinct merchant_id, transaction_id from changed loop
    select case when bool_or(state = 'blocked') then 'blocked' when bool_or(state = 'authorized') then 'authorized'
        when bool_or(state = 'paid') then 'paid' else 'canceled' end
    into shown from installments where merchant_id = t.merchant_id and transaction_id = t.transaction_id;
    update transactions set installments_state = shown
    where merchant_id = t.merchant_id and transaction_id = t.transaction_id and installments_state is distinct from shown;
  end loop;
  return null;
end $$;
create trigger installments_shown_as_one after update on installments
  referencing new table as changed for each statement execute function show_installments_as_one();

-- Searches read an index alone where vacuum has been: it comes after a hundredth of the rows, not after a fifth.
alter table transactions set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 2000);
