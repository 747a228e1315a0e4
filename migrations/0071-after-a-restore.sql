-- The ids of what requests with a key make are derived under a data key of their own. Another one would derive others, and a request that
-- is repeated would not meet what it made: it is never retired.
alter table data_keys drop constraint data_keys_purpose_check;
alter table data_keys add constraint data_keys_purpose_check
  check (purpose in ('card', 'keyPair', 'fingerprint', 'audit', 'secret', 'id'));
alter table data_keys add constraint data_keys_id_stays check (purpose <> 'id' or retired_at is null);

-- That the billings of a merchant are held because its database was restored, and nobody has said since that what it canceled in the
-- lost time is canceled here. A hold by hand is none.
alter table merchants add column is_held_by_restore boolean not null default false,
  add constraint merchants_held_by_restore check (not is_held_by_restore or billings_held_at is not null) not valid;

-- Shipped lines of the audit log, from behind the restored instant, whose change was done again or found done: each once.
create table restore_redone (
  audit_seal bytea primary key check (octet_length(audit_seal) = 32),
  audit_entry bigint not null,
  redone_at timestamptz not null default now()
);
