-- Outside a transaction: the indexes are built while others write.
-- What people of the console did to a merchant, and to one thing of it, newest first.
drop index concurrently if exists audit_entries_of_merchants;
create index concurrently audit_entries_of_merchants on audit_entries (split_part(resource, '/', 2), entry_number)
  where action like 'console.%' and resource like 'merchants/%';
drop index concurrently if exists audit_entries_of_things;
create index concurrently audit_entries_of_things
  on audit_entries (split_part(resource, '/', 2), split_part(resource, '/', 4), entry_number)
  where action like 'console.%' and resource like 'merchants/%' and split_part(resource, '/', 4) <> '';
