-- Which bank was asked to register a boleto, before it is asked: while its answer is not known no other one may be asked. Null:
-- none was asked yet, or a version before this one has asked.
alter table boletos
  add column asked_bank text,
  add constraint boletos_asked_bank_check check (asked_bank ~ '^[0-9]{3}$') not valid;
-- Those that the version before has left: the bank that registered last was asked.
update boletos set asked_bank = (
  select left(b.bar_code, 3) from boletos b where b.bar_code is not null order by b.our_number desc limit 1
) where due_at is not null and state = 'issuing';

-- By which way a change of the bank came: it reported it by itself (feed), or one of its files has it (file).
-- Null: written by a version before this one, whose changes of files have ids that begin with `file:`. The release after this one
-- fills these in and makes the column `not null`.
alter table bank_changes
  add column source text,
  add constraint bank_changes_source_check check (source in ('feed', 'file')) not valid;

-- What a second file reports of a payment is recorded as what it is: perhaps the same one.
alter table boleto_payments
  drop constraint boleto_payments_surprise_check,
  add constraint boleto_payments_surprise_check
    check (surprise in ('paidAgain', 'paidAfterCancel', 'paidAfterExpiry', 'paidAfterRefusal', 'filedAgain')) not valid;
