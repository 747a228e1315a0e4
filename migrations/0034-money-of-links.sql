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
-- Cents that came for its bills, whatever had become of those, and the bill for which money came first.
alter table payment_links add column if not exists received_amount bigint not null default 0;
alter table payment_links add column if not exists received_id uuid;
-- How often the bank was asked to take away the bill beside that money, and, in real time, when it may be next.
alter table payment_links add column if not exists removals smallint not null default 0;
alter table payment_links add column if not exists removal_at timestamptz;

-- In the commit of the payment: its link is looked at at once, on whatever day it comes.
create or replace function note_money_of_link() returns trigger language plpgsql as $$
declare
  bill uuid;
  link uuid;
begin
  if tg_table_name = 'boleto_payments' then
    bill := new.boleto_id;
    select b.link_id into link from boletos b where b.merchant_id = new.merchant_id and b.boleto_id = bill;
  else
    bill := new.pix_id;
    select p.link_id into link from pix_charges p where p.merchant_id = new.merchant_id and p.pix_id = bill;
  end if;
  if link is not null then
    update payment_links l set received_amount = l.received_amount + new.amount, received_id = coalesce(l.received_id, bill),
      look_at = case when l.state in ('open', 'paying') then now() end
    where l.merchant_id = new.merchant_id and l.link_id = link;
  end if;
  return null;
end $$;
create or replace trigger boleto_payments_of_link after insert on boleto_payments
  for each row when (new.amount > 0) execute function note_money_of_link();
create or replace trigger pix_payments_of_link after insert on pix_payments
  for each row when (new.amount > 0) execute function note_money_of_link();

-- With their link.
create or replace function open_unexpected_payment() returns trigger language plpgsql as $$
declare
  moment bytea := substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3);
  id uuid := encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing moment from 1 for 6), 52, 1), 53, 1), 'hex')::uuid;
begin
  insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, account_number, boleto_id, link_id,
    amount, expected, found, day)
  select new.merchant_id, id, 'boleto:' || new.boleto_id || ':' || new.change_id, 'unexpectedPayment', 'open', b.account_number,
    new.boleto_id, b.link_id, case when new.surprise is null then new.expected_amount else 0 end - new.amount,
    case when new.surprise is null then new.expected_amount::text end, new.amount::text, new.paid_on
  from boletos b where b.merchant_id = new.merchant_id and b.boleto_id = new.boleto_id
  on conflict do nothing;
  return null;
end $$;
create or replace function open_unexpected_pix() returns trigger language plpgsql as $$
declare
  moment bytea := substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3);
  id uuid := encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing moment from 1 for 6), 52, 1), 53, 1), 'hex')::uuid;
begin
  insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, account_number, pix_id, link_id,
    amount, expected, found, day)
  select new.merchant_id, id, 'pix:' || new.pix_id || ':' || new.end_to_end_id, 'unexpectedPayment', 'open', p.account_number,
    new.pix_id, p.link_id, case when new.surprise is null then new.expected_amount else 0 end - new.amount,
    case when new.surprise is null then new.expected_amount::text end, new.amount::text,
    (new.paid_at at time zone 'America/Sao_Paulo')::date
  from pix_charges p where p.merchant_id = new.merchant_id and p.pix_id = new.pix_id
  on conflict do nothing;
  return null;
end $$;
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
