-- Outside a transaction: everything is done while payments go on. Each command may be repeated.

drop index concurrently if exists receivables_apart;
create index concurrently receivables_apart on receivables
  (merchant_id, account_number, apart_to, transaction_id, installment_number) where apart_to is not null;

-- What was matched before, a thousand sales at a time, each time in a transaction of its own. They are locked first, in the order of
-- every other writer, and read after: what changes meanwhile is not written over.
do $$
declare
  seller text;
  upto uuid;
  ids uuid[];
begin
  for seller in select merchant_id from merchants order by merchant_id loop
    upto := '00000000-0000-0000-0000-000000000000';
    loop
      select array_agg(transaction_id order by transaction_id) into ids from (
        select distinct transaction_id from settlement_matches where merchant_id = seller and transaction_id > upto
        order by transaction_id limit 1000
      ) n;
      exit when ids is null;
      perform from receivables where merchant_id = seller and transaction_id = any (ids)
      order by transaction_id, installment_number for no key update;
      update receivables r set apart_from = a.from_on, apart_to = a.to_on
      from (
        select m.transaction_id, m.installment_number, min(m.moved_on) as from_on, max(m.moved_on) as to_on
        from (
          select p.*, coalesce(p.bank_on, case when p.kind in ('payout', 'anticipation', 'pledge') then o.expected_on end) as moved_on
          from settlement_matches p join receivables o on o.merchant_id = p.merchant_id
            and o.transaction_id = p.transaction_id and o.installment_number = p.installment_number
          where p.merchant_id = seller and p.transaction_id = any (ids) and p.kind in
            ('payout', 'anticipation', 'pledge', 'cancel', 'cancelReversal', 'chargeback', 'chargebackReversal')
        ) m
        group by m.transaction_id, m.installment_number
        having not (count(*) = 1 and bool_and(m.kind in ('payout', 'anticipation') and m.bank_on is not null))
      ) a
      where r.merchant_id = seller and r.transaction_id = a.transaction_id and r.installment_number = a.installment_number;
      upto := ids[array_upper(ids, 1)];
      commit;
    end loop;
  end loop;
end $$;
