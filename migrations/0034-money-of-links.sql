-- Outside a transaction: rows are written while others read.
-- The payment link that it is a bill of; null: none, or made before this column.
alter table boletos add column if not exists link_id uuid;
alter table pix_charges add column if not exists link_id uuid;
drop index concurrently if exists boletos_of_link;
create index concurrently boletos_of_link on boletos (merchant_id, link_id) where link_id is not null;
drop index concurrently if exists pix_charges_of_link;
create index concurrently pix_charges_of_link on pix_charges (merchant_id, link_id) where link_id is not null;
-- That of the bill that it is about.
alter table reconciliation_exceptions add column if not exists link_id uuid;
-- Cents that came for its bills, whatever had become of those, and the bill that took them to the link's amount.
alter table payment_links add column if not exists received_amount bigint not null default 0;
alter table payment_links add column if not exists received_id uuid;
-- How often the bank was asked to take away the bill beside that money, and, in real time, when it may be next.
alter table payment_links add column if not exists removals smallint not null default 0;
alter table payment_links add column if not exists removal_at timestamptz;

-- In the commit of the payment: its link is looked at at once, on whatever day it comes. Whether it does not pay the link,
-- which has ended, or for which another bill had brought enough.
create or replace function receive_for_link(merchant text, link uuid, bill uuid, cents bigint) returns boolean language plpgsql as $$
declare
  is_beside boolean;
begin
  update payment_links l set received_amount = l.received_amount + cents,
    received_id = case when l.received_amount < l.amount and l.received_amount + cents >= l.amount then bill else l.received_id end,
    look_at = case when l.state in ('open', 'paying') then now() end
  where l.merchant_id = merchant and l.link_id = link
  returning l.state = 'disabled' or coalesce(l.payment_id, l.received_id, bill) <> bill into is_beside;
  return coalesce(is_beside, false);
end $$;

-- All that had come for a bill before it had its link: what does not pay that is unexpected, whole, whatever was made of it
-- before. Its payment says no other kind than before.
create or replace function receive_earlier_for_link(merchant text, link uuid, bill uuid) returns void language plpgsql as $$
declare
  moment bytea;
  came record;
  is_beside boolean;
begin
  for came in
    select y.amount, y.created_at, 'boleto:' || bill || ':' || y.change_id as key, b.account_number, bill as boleto, null::uuid as pix, y.paid_on as day
    from boleto_payments y join boletos b on b.merchant_id = y.merchant_id and b.boleto_id = y.boleto_id
    where y.merchant_id = merchant and y.boleto_id = bill and y.amount > 0
    union all
    select y.amount, y.created_at, 'pix:' || bill || ':' || y.end_to_end_id, p.account_number, null, bill,
      (y.paid_at at time zone 'America/Sao_Paulo')::date
    from pix_payments y join pix_charges p on p.merchant_id = y.merchant_id and p.pix_id = y.pix_id
    where y.merchant_id = merchant and y.pix_id = bill
    order by 2
  loop
    is_beside := receive_for_link(merchant, link, bill, came.amount);
    update reconciliation_exceptions x set link_id = link where x.merchant_id = merchant and x.exception_key = came.key;
    if is_beside then
      moment := substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3);
      insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, account_number, boleto_id, pix_id,
        link_id, amount, expected, found, day)
      values (merchant,
        encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing moment from 1 for 6), 52, 1), 53, 1), 'hex')::uuid,
        came.key, 'unexpectedPayment', 'open', came.account_number, came.boleto, came.pix, link, -came.amount, null,
        came.amount::text, came.day)
      on conflict (merchant_id, exception_key) do update set amount = excluded.amount, expected = null, state = 'open',
        ended_at = null, resolved_by = null, reason = null
      where reconciliation_exceptions.expected is not null;
    end if;
  end loop;
end $$;

-- With their link, whose money may be unexpected where that of the bill is not.
create or replace function open_unexpected_payment() returns trigger language plpgsql as $$
declare
  moment bytea := substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3);
  id uuid := encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing moment from 1 for 6), 52, 1), 53, 1), 'hex')::uuid;
  bill record;
  is_for_nothing boolean := new.surprise is not null;
begin
  select account_number, link_id into bill from boletos where merchant_id = new.merchant_id and boleto_id = new.boleto_id;
  if bill.link_id is not null and new.amount > 0 then
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
create or replace trigger boleto_payments_unexpected after insert on boleto_payments
  for each row execute function open_unexpected_payment();
create or replace function open_unexpected_pix() returns trigger language plpgsql as $$
declare
  moment bytea := substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3);
  id uuid := encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing moment from 1 for 6), 52, 1), 53, 1), 'hex')::uuid;
  bill record;
  is_for_nothing boolean := new.surprise is not null;
begin
  select account_number, link_id into bill from pix_charges where merchant_id = new.merchant_id and pix_id = new.pix_id;
  if bill.link_id is not null and new.amount > 0 then
    is_for_nothing := receive_for_link(new.merchant_id, bill.link_id, new.pix_id, new.amount) or is_for_nothing;
  end if;
  if is_for_nothing or new.kind = 'otherAmount' then
    insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, account_number, pix_id, link_id,
      amount, expected, found, day)
    values (new.merchant_id, id, 'pix:' || new.pix_id || ':' || new.end_to_end_id, 'unexpectedPayment', 'open',
      bill.account_number, new.pix_id, bill.link_id, case when is_for_nothing then 0 else new.expected_amount end - new.amount,
      case when is_for_nothing then null else new.expected_amount::text end, new.amount::text, (new.paid_at at time zone 'America/Sao_Paulo')::date)
    on conflict do nothing;
  end if;
  return null;
end $$;
create or replace trigger pix_payments_unexpected after insert on pix_payments
  for each row execute function open_unexpected_pix();
create or replace function open_pix_return() returns trigger language plpgsql as $$
declare
  moment bytea := substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3);
  id uuid := encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing moment from 1 for 6), 52, 1), 53, 1), 'hex')::uuid;
begin
  insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, account_number, pix_id, link_id,
    amount, expected, found, day)
  select new.merchant_id, id, 'pixReturn:' || new.pix_id || ':' || new.end_to_end_id || ':' || new.bank_return_id, 'takenBack', 'open',
    p.account_number, new.pix_id, p.link_id, new.amount, null, new.amount::text,
    (new.refunded_at at time zone 'America/Sao_Paulo')::date
  from pix_charges p where p.merchant_id = new.merchant_id and p.pix_id = new.pix_id
  on conflict do nothing;
  return null;
end $$;
