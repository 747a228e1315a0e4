-- Outside a transaction: rows are looked at while others write.
alter table settlement_files drop constraint if exists settlement_files_format_check,
  add constraint settlement_files_format_check check (format in ('adiq', 'cielo03', 'cielo04', 'cielo09', 'cielo15', 'cielo16', 'redeEevc', 'redeEevd', 'redeEefi', 'redeStatement', 'getnet')) not valid;
alter table settlement_files validate constraint settlement_files_format_check;
