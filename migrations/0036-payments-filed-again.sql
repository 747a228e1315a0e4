-- A payment that a second file has may be the first once more: it brings its link nothing until a person has found out.
create or replace function open_unexpected_payment() returns trigger language plpgsql as $$
declare
  moment bytea := substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3);
  id uuid := encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing moment from 1 for 6), 52, 1), 53, 1), 'hex')::uuid;
  bill record;
  is_for_nothing boolean := new.surprise is not null;
begin
  select account_number, link_id into bill from boletos where merchant_id = new.merchant_id and boleto_id = new.boleto_id;
  if bill.link_id is not null and new.amount > 0 and new.surprise is distinct from 'filedAgain' then
    is_for_nothing := receive_for_link(new.merchant_id, bill.link_id, new.boleto_id, new.amount) or is_for_nothing;
  end if;
  if is_for_nothing or new.kind = 'otherAmount' then
    insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, account_number, boleto_id, link_id,
      amount, expected, found, day)
    values (new.merchant_id, id, 'boleto:' || new.boleto_id || ':' || new.change_id, 'unexpectedPayment', 'open',
      bill.account_number, new.boleto_id, bill.link_id, case when is_for_nothing then 0 else new.expected_amount end - new.amount,
      case when is_for_nothing then null else new.expected_amount::text end, new.amount::text, new.paid_on)
    on conflict do nothing;
  end if;
  return null;
end $$;
