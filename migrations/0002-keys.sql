-- Data keys: what seals cards and other secrets at rest. Each is itself wrapped by a key-encryption key that
-- never enters the database: a stolen dump without that key opens nothing.
create table data_keys (
  data_key_id integer generated always as identity primary key,
  purpose text not null check (purpose in ('card', 'keyPair', 'fingerprint', 'audit', 'secret', 'id')),
  -- A key of homologation must never meet production's data.
  environment text not null check (environment in ('homologation', 'production')),
  wrapped_key bytea not null,
  -- Which key-encryption key wrapped it: a check value, so that a wrong key is refused by name at the start.
  key_encryption_key_id text not null,
  created_at timestamptz not null default now(),
  -- A retired key opens what it sealed, and seals nothing more.
  retired_at timestamptz,
  constraint data_keys_id_stays check (purpose <> 'id' or retired_at is null)
);
create unique index data_keys_in_use on data_keys (purpose) where retired_at is null;

-- Another schema in front of ours, or a table of the session's own, must not be read in the place of these.
create function is_owner_here(table_id oid) returns boolean language sql stable as
$$ select pg_catalog.pg_has_role(current_user, relowner, 'member') from pg_catalog.pg_class where oid = table_id $$;

create function keep_data_key() returns trigger language plpgsql as $$
begin
  if is_owner_here(tg_relid) then return new; end if;
  if (new.data_key_id, new.purpose, new.environment, new.created_at)
       is distinct from (old.data_key_id, old.purpose, old.environment, old.created_at)
    -- Retired once, and now: a moment made up would let it be deleted.
    or (new.retired_at is distinct from old.retired_at and (old.retired_at is not null or new.retired_at <> now())) then
    raise exception 'of a data key only the wrapping changes, and once its retirement' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;

-- Deletes a data key that was retired long enough ago; gives its number. A row that names it still keeps it
-- (23503). Keys of the audit log stay for as long as it does. An hour: no process still reads a row as it was
-- before it was sealed again. 90 days: longer than any network counts tries by fingerprints.
create function delete_retired_data_key(key_id integer) returns setof integer language sql security definer as $$
  delete from data_keys
  where data_key_id = key_id
    and ((purpose in ('card', 'keyPair', 'secret') and retired_at < now() - interval '1 hour')
      or (purpose = 'fingerprint' and retired_at < now() - interval '90 days'))
  returning data_key_id
$$;
revoke execute on function delete_retired_data_key(integer) from public;

-- Another schema in front of ours must not be read in the place of it.
do $$
declare
  made regprocedure;
begin
  foreach made in array array['is_owner_here(oid)', 'keep_data_key()', 'delete_retired_data_key(integer)']::regprocedure[]
  loop
    execute format('alter function %s set search_path = %I, pg_temp', made, current_schema());
  end loop;
end $$;

create trigger data_keys_stand before update on data_keys for each row execute function keep_data_key();
