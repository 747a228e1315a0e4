-- Who did what. Each entry holds the seal of the one before under a key that never enters the database: an
-- edit, a removal or another order breaks the chain. Only ever appended to.
create table audit_entries (
  entry_number bigint primary key check (entry_number >= 1),
  -- Real time.
  occurred_at timestamptz not null,
  actor text not null check (char_length(actor) between 1 and 100),
  action text not null check (char_length(action) between 1 and 50),
  outcome text not null check (outcome in ('success', 'failure')),
  -- From where: an address, or the machine of the operator.
  origin text not null check (char_length(origin) between 1 and 200),
  -- What it was done to: `merchants/LOJA/cards/0199…`.
  resource text not null check (char_length(resource) between 1 and 300),
  -- JSON, sealed as it was written; empty when there is nothing more to say.
  detail text not null check (char_length(detail) <= 2000),
  data_key_id integer not null references data_keys (data_key_id),
  previous_seal bytea not null,
  seal bytea not null check (octet_length(seal) = 32)
);
create index audit_entries_by_time on audit_entries (occurred_at);

-- A retired data key is deleted once no row names it. To know that of the longest table must not take reading
-- all of it.
create index audit_entries_by_data_key on audit_entries (data_key_id);

-- Where the chain ends: a cut tail leaves a head that points behind it. One row.
create table audit_head (
  is_only boolean default true primary key check (is_only),
  entry_number bigint not null check (entry_number >= 0),
  seal bytea not null,
  -- Seals number and seal of the last entry: an older end is no end that can be made up.
  head_seal bytea not null,
  data_key_id integer references data_keys (data_key_id)
);

-- Entries of commands whose lines no service has logged yet. Some may be archived meanwhile.
create table audit_unlogged (entry_number bigint primary key);

create table audit_archives (
  first_number bigint primary key check (first_number >= 1),
  last_number bigint not null unique,
  -- Of the last archived entry, and the key that made it.
  last_seal bytea not null check (octet_length(last_seal) = 32),
  last_key_id integer not null references data_keys (data_key_id),
  file_sha256 bytea not null check (octet_length(file_sha256) = 32),
  -- Over all of it: without the keys a place where the chain begins cannot be made up.
  seal bytea not null check (octet_length(seal) = 32),
  data_key_id integer not null references data_keys (data_key_id),
  archived_at timestamptz not null default now(),
  check (last_number >= first_number)
);

-- What an archive holds may go, and nothing else.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' and is_owner_here(tg_relid) then return new; end if;
  if tg_table_name = 'audit_entries' and tg_op = 'DELETE' then
    if old.entry_number <= (select max(last_number) from audit_archives) then return old; end if;
  end if;
  raise exception 'the audit log is only ever appended to' using errcode = 'insufficient_privilege';
end $$;

-- The end of the log stays, sealed anew, or moves to the last of entries that follow it without a hole, each
-- naming the seal before.
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

-- An entry behind the end would bar the way of the next.
create function keep_audit_end() returns trigger language plpgsql as $$
begin
  if not is_owner_here(tg_relid)
    and exists (select from audit_entries where entry_number > (select entry_number from audit_head where is_only)) then
    raise exception 'an audit entry comes with the end of the log' using errcode = 'insufficient_privilege';
  end if;
  return null;
end $$;

-- Another schema in front of ours must not be read in the place of it.
do $$
declare
  made regprocedure;
begin
  foreach made in array array['refuse_audit_change()', 'keep_audit_head()', 'keep_audit_end()']::regprocedure[]
  loop
    execute format('alter function %s set search_path = %I, pg_temp', made, current_schema());
  end loop;
end $$;

create trigger audit_entries_stand before update or delete on audit_entries
  for each row execute function refuse_audit_change();

create trigger audit_entries_stay before truncate on audit_entries
  for each statement execute function refuse_audit_change();

-- After the whole statement, which adds the entries beside.
create trigger audit_head_stands after update on audit_head for each row execute function keep_audit_head();

create trigger audit_entries_end after insert on audit_entries for each statement execute function keep_audit_end();

-- Whatever rights the service's role is given: only the owner archives.
create trigger audit_archives_are_the_owners before insert on audit_archives
  for each row execute function refuse_audit_change();

create trigger audit_archives_stand before update or delete on audit_archives
  for each row execute function refuse_audit_change();

create trigger audit_archives_stay before truncate on audit_archives
  for each statement execute function refuse_audit_change();
