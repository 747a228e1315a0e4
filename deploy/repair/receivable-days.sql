-- What there is of receivables, less what their days come to so far, a merchant at a time, each in a transaction of its own. Both are read
-- in one statement, of one moment, so that what is written meanwhile is added to it and counted once. Where both agree it writes nothing.
do $$
declare
  seller text;
begin
  for seller in select merchant_id from receivables union select merchant_id from receivable_days order by 1 loop
    insert into receivable_days (merchant_id, account_number, day,
      expected_count, expected_net, expected_fee, open_count, open_net, received_count, received_net, received_fee,
      without_net_count, unfiled_count, unfiled_net, differing_count, difference)
    select seller, account_number, day,
      sum(expected_count), sum(expected_net), sum(expected_fee), sum(open_count), sum(open_net), sum(received_count),
      sum(received_net), sum(received_fee), sum(without_net_count), sum(unfiled_count), sum(unfiled_net),
      sum(differing_count), sum(difference)
    from (
      select r.account_number, p.*
      from receivables r cross join lateral receivable_day_parts(
        r.expected_on, r.expected_net, r.expected_fee, r.payment_on, r.installment_count, r.paid_on, r.reported_fee,
        r.reported_net, r.reported_bank_on, r.filed_fee, r.filed_net, r.filed_anticipation, r.apart_to) p
      where r.merchant_id = seller
      union all
      select account_number, day,
        -expected_count, -expected_net, -expected_fee, -open_count, -open_net, -received_count, -received_net,
        -received_fee, -without_net_count, -unfiled_count, -unfiled_net, -differing_count, -difference
      from receivable_days where merchant_id = seller
    ) s
    group by account_number, day
    having num_nonnulls(
      nullif(sum(expected_count), 0), nullif(sum(expected_net), 0), nullif(sum(expected_fee), 0),
      nullif(sum(open_count), 0), nullif(sum(open_net), 0), nullif(sum(received_count), 0), nullif(sum(received_net), 0),
      nullif(sum(received_fee), 0), nullif(sum(without_net_count), 0), nullif(sum(unfiled_count), 0),
      nullif(sum(unfiled_net), 0), nullif(sum(differing_count), 0), nullif(sum(difference), 0)) > 0;
    commit;
  end loop;
end $$;
