-- Outside a transaction: what lines of files did not get from the version before is marked file by file. Each command may be repeated.

-- What of a restored charge is not in the books yet, and who decides on one at this moment.
alter table restored_charges
  add column if not exists detail text check (char_length(detail) between 1 and 200),
  -- Of what a service goes on with; null: it waits for a person, or has ended.
  add column if not exists due_at timestamptz,
  add column if not exists tries integer not null default 0,
  -- Raised by each process that goes on with it.
  add column if not exists fence integer not null default 0,
  add column if not exists claimed_as text check (claimed_as in ('kept', 'voided')),
  add column if not exists claimed_by text,
  add column if not exists claimed_until timestamptz;
alter table restored_charges drop constraint if exists restored_charges_decision_check;
alter table restored_charges add constraint restored_charges_decision_check
  check (decision in ('filled', 'voided', 'undecided', 'unfinished'));
alter table restored_charges drop constraint if exists restored_charges_check;
alter table restored_charges add constraint restored_charges_check
  check ((decision in ('undecided', 'unfinished')) = (decided_at is null));
create index if not exists restored_charges_unfinished on restored_charges (due_at) where decision = 'unfinished';

-- The process that walks the acquirer's list, and until when it counts as alive; in a cell whose list it is at.
alter table restore_runs
  add column if not exists of_merchant text,
  add column if not exists also_merchants text[] not null default '{}',
  add column if not exists walker uuid,
  add column if not exists walking_until timestamptz;

-- Lines of files that the version before matches, also from now on: it does not say on which days they move something of their
-- installment apart, so a process of this version judges these again. What stands there was judged by 0054.
alter table settlement_matches add column if not exists is_judged_apart boolean not null default true;
alter table settlement_matches alter column is_judged_apart set default false;
drop index concurrently if exists settlement_matches_judged_before;
create index concurrently settlement_matches_judged_before on settlement_matches (file_number, line_number) where not is_judged_apart;
-- What it has matched since 0053, where that was applied earlier than this: of files that it has matched or taken since, and lines that
-- it had not known before. 0054 passes each merchant once, and does not see what is matched behind it.
do $$
declare
  filed bigint;
  since timestamptz;
begin
  if to_regclass('schema_migrations') is null then
    return;
  end if;
  select applied_at into since from schema_migrations where number = 53;
  for filed in select f.file_number from settlement_files f
    where f.taken_at is not null and (f.taken_at >= since or f.matched_at is null or f.matched_at >= since) order by f.file_number
  loop
    update settlement_matches set is_judged_apart = false where file_number = filed and is_judged_apart;
    commit;
  end loop;
  update settlement_matches m set is_judged_apart = false from reconciliation_exceptions e
  where e.merchant_id = '' and e.state = 'healed' and e.ended_at >= since
    and m.file_number = e.file_number and m.line_number = e.line_number and m.is_judged_apart;
end $$;
