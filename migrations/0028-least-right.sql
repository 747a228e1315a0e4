-- What somebody who has taken over the service may not do with the role that it works as: delete data keys, make one what it is not,
-- write over the end of the audit log, or put entries behind it, so that nothing can be written any more. The owner of the tables is
-- not bound: it restores. What a version from before this does still goes, but for deleting keys, which it leaves to this one.

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
create trigger data_keys_stand before update on data_keys for each row execute function keep_data_key();

-- Deletes a data key that was retired long enough ago; gives its number. A row that names it still keeps it (23503). Keys of the
-- audit log stay for as long as it does. An hour: no process still reads a row as it was before it was sealed again. 90 days:
-- longer than any network counts tries by fingerprints.
create function delete_retired_data_key(key_id integer) returns setof integer language sql security definer as $$
  delete from data_keys
  where data_key_id = key_id
    and ((purpose in ('card', 'keyPair', 'secret') and retired_at < now() - interval '1 hour')
      or (purpose = 'fingerprint' and retired_at < now() - interval '90 days'))
  returning data_key_id
$$;
revoke execute on function delete_retired_data_key(integer) from public;

-- The end of the log stays, sealed anew, or moves to the last of entries that follow it without a hole, each naming the seal before.
create function keep_audit_head() returns trigger language plpgsql as $$
declare
  is_chain boolean;
begin
  if is_owner_here(tg_relid) or (new.entry_number = old.entry_number and new.seal = old.seal) then return null; end if;
  select count(*) = new.entry_number - old.entry_number and bool_and(previous_seal = seal_before)
    and (array_agg(seal order by entry_number desc))[1] = new.seal
  into is_chain
  from (
    select entry_number, seal, previous_seal, lag(seal, 1, old.seal) over (order by entry_number) as seal_before
    from audit_entries where entry_number > old.entry_number and entry_number <= new.entry_number
  ) added;
  if is_chain is distinct from true then
    raise exception 'the end of the audit log moves only to the last entry of its chain' using errcode = 'insufficient_privilege';
  end if;
  return null;
end $$;
-- After the whole statement, which adds the entries beside.
create trigger audit_head_stands after update on audit_head for each row execute function keep_audit_head();

-- An entry behind the end would bar the way of the next.
create function keep_audit_end() returns trigger language plpgsql as $$
begin
  if not is_owner_here(tg_relid)
    and exists (select from audit_entries where entry_number > (select entry_number from audit_head where is_only)) then
    raise exception 'an audit entry comes with the end of the log' using errcode = 'insufficient_privilege';
  end if;
  return null;
end $$;
create trigger audit_entries_end after insert on audit_entries for each statement execute function keep_audit_end();

do $$
declare
  made regprocedure;
begin
  foreach made in array array['is_owner_here(oid)', 'keep_data_key()', 'delete_retired_data_key(integer)', 'keep_audit_head()',
    'keep_audit_end()']::regprocedure[]
  loop
    execute format('alter function %s set search_path = %I, pg_temp', made, current_schema());
  end loop;
end $$;
