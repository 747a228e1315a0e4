-- When an acquirer first said no to a capture that others sent before it may still book: nothing is sent after it.
alter table captures add column if not exists denied_at timestamptz;
