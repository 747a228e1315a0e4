-- Audit entries that were written to a file and are deleted here. Each row is an anchor: the chain goes on behind `last_number`, from
-- `last_seal`. The service's role only reads it; the owner archives.

create table audit_archives (
  first_number bigint primary key check (first_number >= 1),
  last_number bigint not null unique check (last_number >= first_number),
  -- Of the last archived entry, and the key that made it.
  last_seal bytea not null check (octet_length(last_seal) = 32),
  last_key_id integer not null references data_keys,
  file_sha256 bytea not null check (octet_length(file_sha256) = 32),
  -- Over all of it: without the keys a place where the chain begins cannot be made up.
  seal bytea not null check (octet_length(seal) = 32),
  data_key_id integer not null references data_keys,
  archived_at timestamptz not null default now()
);

-- What an archive holds may go, and nothing else.
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' and is_owner_here(tg_relid) then return new; end if;
  if tg_table_name = 'audit_entries' and tg_op = 'DELETE' then
    if old.entry_number <= (select max(last_number) from audit_archives) then return old; end if;
  end if;
  raise exception 'the audit log is only ever appended to' using errcode = 'insufficient_privilege';
end $$;
-- A version of before that starts beside this one gives the service's role all rights to tables that it does not know.
create trigger audit_archives_are_the_owners before insert on audit_archives
  for each row execute function refuse_audit_change();
create trigger audit_archives_stand before update or delete on audit_archives
  for each row execute function refuse_audit_change();
create trigger audit_archives_stay before truncate on audit_archives
  for each statement execute function refuse_audit_change();

-- Another schema in front of ours must not be read in the place of it.
do $$ begin
  execute format('alter function refuse_audit_change() set search_path = %I, pg_temp', current_schema());
end $$;
