-- A retired data key is deleted once no row names it. To know that of the longest table must not take reading all of it.
create index audit_entries_by_data_key on audit_entries (data_key_id);
