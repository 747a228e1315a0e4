-- The acquirer's own identifier of a transaction (TID), where its approval names one: files name sales by it. Null: it does not.
alter table transactions add column if not exists tid text;
