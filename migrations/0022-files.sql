-- Outside a transaction: the key is built and rows are looked at while others write.
-- A write-off that the bank refused may be asked for again.
alter table bank_instructions add column if not exists attempt integer not null default 1;
-- Whether a refusal has reached the boleto, which is open again since.
alter table bank_instructions add column if not exists is_told boolean not null default false;
-- Day and number of the return file that answered; null: none, or before this column.
alter table bank_instructions add column if not exists answered_in text;
alter table bank_instructions drop constraint if exists bank_instructions_attempt_check;
alter table bank_instructions add constraint bank_instructions_attempt_check check (attempt > 0) not valid;
alter table bank_instructions validate constraint bank_instructions_attempt_check;
alter table bank_instructions drop constraint if exists bank_instructions_answered_in_check;
alter table bank_instructions add constraint bank_instructions_answered_in_check check (char_length(answered_in) <= 40) not valid;
alter table bank_instructions validate constraint bank_instructions_answered_in_check;
drop index concurrently if exists bank_instructions_attempts;
create unique index concurrently bank_instructions_attempts on bank_instructions (merchant_id, our_number, kind, attempt);
alter table bank_instructions drop constraint if exists bank_instructions_pkey, add constraint bank_instructions_pkey primary key using index bank_instructions_attempts;

alter table settlement_files drop constraint if exists settlement_files_format_check;
alter table settlement_files add constraint settlement_files_format_check check (format in ('adiq', 'cielo03', 'cielo04', 'redeEevc', 'redeEefi', 'getnet')) not valid;
alter table settlement_files validate constraint settlement_files_format_check;
