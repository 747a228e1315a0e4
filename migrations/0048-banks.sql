-- Outside a transaction: the check of a table that grows is validated while it is written. Each command may be repeated.
-- Whose cursors and changes they are: an operator may go over to another bank, and back.

-- Banks whose changes were kept. Each bank numbers its own: in front of the ids of all but the first one, whose changes were kept
-- before there were others, stands the bank's code. The first one is that which registered last: the cursors are its own.
create table if not exists banks (
  bank_code text primary key check (bank_code ~ '^[0-9]{3}$'),
  prefix text not null unique check (prefix in ('', bank_code || ':')),
  created_at timestamptz not null default now()
);
insert into banks (bank_code, prefix)
select left(b.bar_code, 3), '' from boletos b where b.bar_code is not null order by b.our_number desc limit 1
on conflict do nothing;

-- Which bank gave the cursor; null: the first one, to a version from before.
alter table bank_cursors add column if not exists bank_code text check (bank_code ~ '^[0-9]{3}$');
-- Of whom nobody knows: no bank has registered anything, and nothing is asked for twice.
update bank_cursors set cursor = null where cursor is not null and not exists (select from banks);

-- Of a change of a return file: the day on which that was made, and its number. Null: of the feed, or by a version from before.
alter table bank_changes add column if not exists filed_in text check (char_length(filed_in) <= 40);
-- A payment that another file of the bank had reported before: a person looks at it.
alter table bank_changes add column if not exists is_filed_again boolean not null default false;
alter table bank_changes drop constraint if exists bank_changes_change_id_check;
alter table bank_changes add constraint bank_changes_change_id_check check (char_length(change_id) <= 120) not valid;
alter table bank_changes validate constraint bank_changes_change_id_check;
