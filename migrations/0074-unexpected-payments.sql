-- Outside a transaction: the checks of tables that grow are validated while they are written. Each command may be repeated.
-- What arrives for a boleto and was not expected is an exception of its account, and a movement.

-- Null: a version from before this wrote it; then `surprise` says it.
alter table boleto_payments add column if not exists kind text;
alter table boleto_payments drop constraint if exists boleto_payments_kind_check;
alter table boleto_payments add constraint boleto_payments_kind_check
  check (kind in ('expected', 'second', 'afterEnd', 'otherAmount')) not valid;
alter table boleto_payments validate constraint boleto_payments_kind_check;

alter table reconciliation_exceptions add column if not exists boleto_id uuid;
alter table reconciliation_exceptions drop constraint if exists reconciliation_exceptions_class_check;
alter table reconciliation_exceptions add constraint reconciliation_exceptions_class_check
  check (class in ('notInFile', 'notInParcela', 'amountDiffers', 'feeDiffers', 'dateDiffers', 'duplicateInFile', 'cancellationUnknown',
    'chargebackUnknown', 'heldByPledge', 'unknownCode', 'unexpectedPayment')) not valid;
alter table reconciliation_exceptions validate constraint reconciliation_exceptions_class_check;

-- In the commit of the payment, whatever version writes it. The id is a UUID of version 7, as the program makes them.
create or replace function open_unexpected_payment() returns trigger language plpgsql as $$
declare
  moment bytea := substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3);
  id uuid := encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing moment from 1 for 6), 52, 1), 53, 1), 'hex')::uuid;
begin
  insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, account_number, boleto_id, amount,
    expected, found, day)
  select new.merchant_id, id, 'boleto:' || new.boleto_id || ':' || new.change_id, 'unexpectedPayment', 'open', b.account_number,
    new.boleto_id, case when new.surprise is null then new.expected_amount else 0 end - new.amount,
    case when new.surprise is null then new.expected_amount::text end, new.amount::text, new.paid_on
  from boletos b where b.merchant_id = new.merchant_id and b.boleto_id = new.boleto_id
  on conflict do nothing;
  return null;
end $$;
create or replace trigger boleto_payments_unexpected after insert on boleto_payments
  for each row when (new.surprise is not null or new.kind = 'otherAmount') execute function open_unexpected_payment();

alter table movements drop constraint if exists movements_old_state_check;
alter table movements add constraint movements_old_state_check check (
  case when boleto_id is null then old_state in ('authorized', 'paid', 'canceled', 'blocked')
    else old_state in ('issued', 'overdue', 'paid', 'canceled', 'expired') end) not valid;
alter table movements validate constraint movements_old_state_check;
alter table movements drop constraint if exists movements_new_state_check;
alter table movements add constraint movements_new_state_check check (
  case when boleto_id is null then new_state in ('authorized', 'paid', 'canceled', 'blocked')
    else new_state in ('issued', 'overdue', 'paid', 'canceled', 'expired', 'unexpectedPayment') end) not valid;
alter table movements validate constraint movements_new_state_check;
