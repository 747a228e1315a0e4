-- What there is of billings, less what their days come to so far, a merchant at a time, each in a transaction of its own. Both are read in
-- one statement, of one moment, so that what is written meanwhile is added to it and counted once. Where both agree it writes nothing.
do $$
declare
  seller text;
begin
  for seller in select merchant_id from billings union select merchant_id from billing_days order by 1 loop
    insert into billing_days (merchant_id, due_on, billing_state, count, amount)
    select seller, due_on, state, sum(count), sum(amount)
    from (
      select due_on, state, 1 as count, amount from billings where merchant_id = seller
      union all
      select due_on, billing_state, -count, -amount from billing_days where merchant_id = seller
    ) s
    group by due_on, state having sum(count) <> 0 or sum(amount) <> 0;
    commit;
  end loop;
end $$;
