-- By which way a change of the acquirer came: it reported it by itself (feed), or one of its files has it (file).
-- Null: written by a version before this one, whose changes of files have ids that begin with `file-`. The release after this one
-- fills these in and makes the column `not null`.
alter table acquirer_changes
  add column source text,
  add constraint acquirer_changes_source_check check (source in ('feed', 'file')) not valid;
