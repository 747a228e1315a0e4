-- A write-off that the bank refused may be asked for again.
alter table bank_instructions add column attempt integer not null default 1 check (attempt > 0);
-- Whether a refusal has reached the boleto, which is open again since.
alter table bank_instructions add column is_told boolean not null default false;
-- Day and number of the return file that answered; null: none, or before this column.
alter table bank_instructions add column answered_in text check (char_length(answered_in) <= 40);
alter table bank_instructions drop constraint bank_instructions_pkey;
alter table bank_instructions add primary key (merchant_id, our_number, kind, attempt);

alter table settlement_files drop constraint settlement_files_format_check;
alter table settlement_files add constraint settlement_files_format_check check (format in ('adiq', 'cielo03', 'cielo04', 'redeEevc', 'redeEefi', 'getnet'));
