-- Outside a transaction: the indexes are built while others write.
-- By reference, too, a search finds what is decided in transactions_by_reference and what is under way, by entries
-- alone, in transactions_under_way: a sale is written to the former once, and leaves no dead entry. Processes of the
-- version before find by reference more slowly until they end.
-- A build that was cut off leaves an index that is not valid. One that is there and valid is not built again, so that
-- a drop that waited too long repeats nothing else.
do $$
declare
  unfinished text;
begin
  for unfinished in
    select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = 'transactions'::regclass and not i.indisvalid and c.relname in ('transactions_by_reference_of_0030', 'transactions_under_way_of_0030')
  loop
    execute format('drop index %I', unfinished);
  end loop;
end $$;
create index concurrently if not exists transactions_by_reference_of_0030 on transactions
  (merchant_id, reference_transaction, sold_at, transaction_id) where reference_transaction is not null and due_at is null;
create index concurrently if not exists transactions_under_way_of_0030 on transactions
  (merchant_id, sold_at, transaction_id, reference_transaction) where due_at is not null;
drop index concurrently if exists transactions_by_reference_day;
drop index concurrently if exists transactions_by_reference;
drop index concurrently if exists transactions_under_way;
alter index transactions_by_reference_of_0030 rename to transactions_by_reference;
alter index transactions_under_way_of_0030 rename to transactions_under_way;
