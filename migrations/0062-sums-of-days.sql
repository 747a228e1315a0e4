-- What an account's installments come to on each day: what was expected of them, and what came. A page or an answer of a month reads
-- these sums instead of every installment of its days. Kept by the database, in the commit of every writer of receivables, so that a
-- version from before this, running beside, keeps them too.

-- A day has several rows, which are added up: each commit adds what it changed, and waits for no other one. Now and then they are
-- put together. Amounts are cents; what only takes away is below zero.
create table receivable_days (
  merchant_id text not null,
  account_number text not null,
  day date not null,
  part_number bigint generated always as identity,
  -- On the day on which they were to be paid: those of which anything was left.
  expected_count bigint not null,
  expected_net bigint not null,
  expected_fee bigint not null,
  -- Those of them that have not come, on this day or another.
  open_count bigint not null,
  open_net bigint not null,
  -- On the day on which they came: those that one payout paid, or that the acquirer reported by itself.
  received_count bigint not null,
  received_net bigint not null,
  received_fee bigint not null,
  without_net_count bigint not null,
  unfiled_count bigint not null,
  unfiled_net bigint not null,
  differing_count bigint not null,
  difference bigint not null,
  primary key (merchant_id, account_number, day, part_number)
-- Rows come and go: what is gone is swept up soon.
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- What one receivable adds to the day on which it was to be paid, and to the day on which it came. Of what lines of files move
-- otherwise than by one payout (`apart_to`) only the expectation is here. A cent for each installment of the sale is rounding.
create function receivable_day_parts(expected_on date, expected_net bigint, expected_fee bigint, payment_on date,
  installment_count smallint, paid_on date, reported_fee bigint, reported_net bigint, reported_bank_on date, filed_fee bigint,
  filed_net bigint, filed_anticipation bigint, apart_to date)
returns table (day date, expected_count bigint, expected_net bigint, expected_fee bigint, open_count bigint, open_net bigint,
  received_count bigint, received_net bigint, received_fee bigint, without_net_count bigint, unfiled_count bigint,
  unfiled_net bigint, differing_count bigint, difference bigint)
language sql immutable as $$
  select $1, 1::bigint, $2, $3, o.is_open, o.is_open * $2, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint,
    0::bigint
  from (select (num_nonnulls($11, $9, $6) = 0)::integer::bigint as is_open) o where $2 > 0
  union all
  select $4, 0, 0, 0, 0, 0, 1, coalesce(r.net, 0), coalesce(r.fee, 0), (r.net is null)::integer, r.is_unfiled,
    r.is_unfiled * coalesce(r.net, 0), coalesce((abs(r.net - $2) > $5)::integer, 0), coalesce(r.net - $2, 0)
  from (
    select coalesce($11, $8) as net, case when $11 is null then $7 else $10 + coalesce($12, 0) end as fee,
      ($11 is null)::integer::bigint as is_unfiled
  ) r
  where case when $11 is null then coalesce($9, $6) is not null else $13 is null end
$$;

-- By the owner's right: the version beside writes receivables before its role is given any on the new table.
-- One for each kind of statement; they differ in what they read alone. What stays as it was adds no row. About every sixteenth row puts
-- those of its day together, but for those that another commit is putting together: none waits for another. Which one does goes by a hash:
-- of statements that all add sixteen rows the same day would always be met.
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
      create function add_receivable_%1$s() returns trigger language plpgsql security definer
        set search_path = %2$I, pg_temp as $body$
      begin
        with moved as (
          select m.merchant_id, m.account_number, p.day,
            sum(sign * p.expected_count) as expected_count, sum(sign * p.expected_net) as expected_net,
            sum(sign * p.expected_fee) as expected_fee, sum(sign * p.open_count) as open_count,
            sum(sign * p.open_net) as open_net, sum(sign * p.received_count) as received_count,
            sum(sign * p.received_net) as received_net, sum(sign * p.received_fee) as received_fee,
            sum(sign * p.without_net_count) as without_net_count, sum(sign * p.unfiled_count) as unfiled_count,
            sum(sign * p.unfiled_net) as unfiled_net, sum(sign * p.differing_count) as differing_count,
            sum(sign * p.difference) as difference
          from (%3$s) m cross join lateral receivable_day_parts(
            m.expected_on, m.expected_net, m.expected_fee, m.payment_on, m.installment_count, m.paid_on, m.reported_fee,
            m.reported_net, m.reported_bank_on, m.filed_fee, m.filed_net, m.filed_anticipation, m.apart_to) p
          group by m.merchant_id, m.account_number, p.day
        ), added as (
          insert into receivable_days (merchant_id, account_number, day,
            expected_count, expected_net, expected_fee, open_count, open_net, received_count, received_net, received_fee,
            without_net_count, unfiled_count, unfiled_net, differing_count, difference)
          select * from moved m where num_nonnulls(
            nullif(m.expected_count, 0), nullif(m.expected_net, 0), nullif(m.expected_fee, 0), nullif(m.open_count, 0),
            nullif(m.open_net, 0), nullif(m.received_count, 0), nullif(m.received_net, 0), nullif(m.received_fee, 0),
            nullif(m.without_net_count, 0), nullif(m.unfiled_count, 0), nullif(m.unfiled_net, 0),
            nullif(m.differing_count, 0), nullif(m.difference, 0)) > 0
          order by merchant_id, account_number, day
          returning merchant_id, account_number, day, part_number
        ), held as materialized (
          select d.merchant_id, d.account_number, d.day, d.part_number
          from added a cross join lateral (
            select * from receivable_days
            where merchant_id = a.merchant_id and account_number = a.account_number and day = a.day
            order by part_number for update skip locked
          ) d
          where hashint8(a.part_number) %% 16 = 0
        ), gone as (
          delete from receivable_days d using held h
          where d.merchant_id = h.merchant_id and d.account_number = h.account_number and d.day = h.day
            and d.part_number = h.part_number
          returning d.*
        )
        insert into receivable_days (merchant_id, account_number, day,
          expected_count, expected_net, expected_fee, open_count, open_net, received_count, received_net, received_fee,
          without_net_count, unfiled_count, unfiled_net, differing_count, difference)
        select merchant_id, account_number, day,
          sum(expected_count), sum(expected_net), sum(expected_fee), sum(open_count), sum(open_net), sum(received_count),
          sum(received_net), sum(received_fee), sum(without_net_count), sum(unfiled_count), sum(unfiled_net),
          sum(differing_count), sum(difference)
        from gone group by merchant_id, account_number, day;
        return null;
      end $body$$function$, made[1], current_schema(), made[2]);
  end loop;
end $make$;
create trigger receivables_insert_summed after insert on receivables
  referencing new table as after_it for each statement execute function add_receivable_insert();
create trigger receivables_update_summed after update on receivables
  referencing old table as before_it new table as after_it for each statement execute function add_receivable_update();
create trigger receivables_delete_summed after delete on receivables
  referencing old table as before_it for each statement execute function add_receivable_delete();

-- What empties the one empties the other.
create function empty_receivable_days() returns trigger language plpgsql security definer as $$
begin
  delete from receivable_days;
  return null;
end $$;
do $$
begin
  execute format('alter function empty_receivable_days() set search_path = %I, pg_temp', current_schema());
end $$;
create trigger receivables_truncate_summed after truncate on receivables
  for each statement execute function empty_receivable_days();
