-- What a merchant's billings come to on each due day, by state: the calendar of a month reads these sums instead of every billing of its
-- days. Kept by the database as those of receivables are (0062), in the commit of every writer of billings, so that a version from before
-- this, running beside, keeps them too.

-- A day and state have several rows, which are added up: each commit adds what it changed, and waits for no other one.
create table billing_days (
  merchant_id text not null,
  due_on date not null,
  billing_state text not null,
  part_number bigint generated always as identity,
  count bigint not null,
  -- Cents; what only takes away is below zero.
  amount bigint not null,
  primary key (merchant_id, due_on, billing_state, part_number)
-- Rows come and go: what is gone is swept up soon.
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- By the owner's right: the version beside writes billings before its role is given any on the new table.
-- One for each kind of statement; they differ in what they read alone. What stays as it was adds no row. About every sixteenth row, by a
-- hash as in 0062, puts those of its day and state together, but for those that another commit is putting together: none waits for another.
do $make$
declare
  made text[];
begin
  foreach made slice 1 in array array[
    ['insert', 'select 1 as sign, * from after_it'],
    ['update', 'select 1 as sign, * from after_it union all select -1, * from before_it'],
    ['delete', 'select -1 as sign, * from before_it']
  ] loop
    execute format($function$
      create function add_billing_%1$s() returns trigger language plpgsql security definer
        set search_path = %2$I, pg_temp as $body$
      begin
        with moved as (
          select m.merchant_id, m.due_on, m.state, sum(m.sign) as count, sum(m.sign * m.amount) as amount
          from (%3$s) m group by m.merchant_id, m.due_on, m.state
        ), added as (
          insert into billing_days (merchant_id, due_on, billing_state, count, amount)
          select m.merchant_id, m.due_on, m.state, m.count, m.amount from moved m where m.count <> 0 or m.amount <> 0
          order by m.merchant_id, m.due_on, m.state
          returning merchant_id, due_on, billing_state, part_number
        ), held as materialized (
          select d.merchant_id, d.due_on, d.billing_state, d.part_number
          from added a cross join lateral (
            select * from billing_days
            where merchant_id = a.merchant_id and due_on = a.due_on and billing_state = a.billing_state
            order by part_number for update skip locked
          ) d
          where hashint8(a.part_number) %% 16 = 0
        ), gone as (
          delete from billing_days d using held h
          where d.merchant_id = h.merchant_id and d.due_on = h.due_on and d.billing_state = h.billing_state and d.part_number = h.part_number
          returning d.*
        )
        insert into billing_days (merchant_id, due_on, billing_state, count, amount)
        select merchant_id, due_on, billing_state, sum(count), sum(amount) from gone
        group by merchant_id, due_on, billing_state having sum(count) <> 0 or sum(amount) <> 0;
        return null;
      end $body$$function$, made[1], current_schema(), made[2]);
  end loop;
end $make$;
create trigger billings_insert_summed after insert on billings
  referencing new table as after_it for each statement execute function add_billing_insert();
create trigger billings_update_summed after update on billings
  referencing old table as before_it new table as after_it for each statement execute function add_billing_update();
create trigger billings_delete_summed after delete on billings
  referencing old table as before_it for each statement execute function add_billing_delete();

-- What empties the one empties the other.
create function empty_billing_days() returns trigger language plpgsql security definer as $$
begin
  delete from billing_days;
  return null;
end $$;
do $$
begin
  execute format('alter function empty_billing_days() set search_path = %I, pg_temp', current_schema());
end $$;
create trigger billings_truncate_summed after truncate on billings
  for each statement execute function empty_billing_days();
