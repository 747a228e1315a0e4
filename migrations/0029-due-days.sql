-- Outside a transaction: rows are looked at while others write.
-- The due day of a boleto may be changed at its bank.
-- Its last day is a business day: how many days after the due day was asked for cannot be told from it. Null: older.
alter table boletos add column if not exists days_to_expire integer;
alter table boletos add column if not exists wanted_due_on date;
alter table boletos add column if not exists wanted_payable_until date;
-- How often a change was asked for: the number of the last one.
alter table boletos add column if not exists due_day_changes integer not null default 0;
-- Due days that it had, has, or was to have: a return file may name each. Null: none was ever asked for.
alter table boletos add column if not exists due_days date[];
alter table boletos drop constraint if exists boletos_state_check;
alter table boletos add constraint boletos_state_check
  check (state in ('issuing', 'issued', 'overdue', 'canceling', 'changing', 'paid', 'canceled', 'expired', 'refused')) not valid;
alter table boletos validate constraint boletos_state_check;
alter table boletos drop constraint if exists boletos_check, drop constraint if exists boletos_asked_check;
alter table boletos add constraint boletos_asked_check
  check ((state in ('issuing', 'canceling', 'changing')) = (due_at is not null)) not valid;
alter table boletos validate constraint boletos_asked_check;
alter table boletos drop constraint if exists boletos_check1, drop constraint if exists boletos_state_before_check1;
alter table boletos add constraint boletos_state_before_check1
  check ((state in ('canceling', 'changing')) = (state_before is not null)) not valid;
alter table boletos validate constraint boletos_state_before_check1;
alter table boletos drop constraint if exists boletos_wanted_check;
alter table boletos add constraint boletos_wanted_check
  check ((state = 'changing') = (wanted_due_on is not null) and (wanted_due_on is null) = (wanted_payable_until is null)
    and (state <> 'changing' or bar_code is not null)) not valid;
alter table boletos validate constraint boletos_wanted_check;
alter table boletos drop constraint if exists boletos_due_days_check;
alter table boletos add constraint boletos_due_days_check check (due_day_changes >= 0 and cardinality(due_days) <= 100) not valid;
alter table boletos validate constraint boletos_due_days_check;

-- What the bank was told: the boleto may have another due day since. Null: before these columns, as the boleto has it.
alter table bank_instructions add column if not exists due_on date;
alter table bank_instructions add column if not exists payable_until date;
alter table bank_instructions drop constraint if exists bank_instructions_kind_check;
alter table bank_instructions add constraint bank_instructions_kind_check
  check (kind in ('register', 'writeOff', 'dueDay') and (kind <> 'dueDay' or due_on is not null)) not valid;
alter table bank_instructions validate constraint bank_instructions_kind_check;

-- That its due day is another one, or stays, is told as what happens to it is.
alter table movements drop constraint if exists movements_new_state_check;
alter table movements add constraint movements_new_state_check check (case
    when boleto_id is not null then new_state in ('issued', 'overdue', 'paid', 'canceled', 'expired', 'unexpectedPayment', 'dueDayChanged', 'dueDayKept')
    when pix_id is not null then new_state in ('waiting', 'paid', 'returned', 'canceled', 'expired', 'unexpectedPayment', 'takenBack')
    else new_state in ('authorized', 'paid', 'canceled', 'blocked') end) not valid;
alter table movements validate constraint movements_new_state_check;
