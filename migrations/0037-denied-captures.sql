-- When a capture was sent for the last time; null: never. One of a process that does not know the column counts as sent.
alter table captures add column if not exists sent_at timestamptz default now();
-- The fence of the last process to claim it that marks what it sends: another claim behind it may have sent unmarked.
alter table captures add column if not exists marked_fence integer not null default 0;
-- An acquirer's no, in its own word, behind which one sent before may still be booked: nothing is sent after it.
alter table captures add column if not exists denial text;
alter table cancels add column if not exists denial text;
-- What the port calls that no; null: it has no word for it.
alter table captures add column if not exists denied_as text;
alter table cancels add column if not exists denied_as text;
-- Since when look-ups behind that no do not find it.
alter table captures add column if not exists denied_at timestamptz;
alter table cancels add column if not exists denied_at timestamptz;
-- When the end that it waits for is there at the latest; null: it waits for an answer.
alter table captures add column if not exists ends_at timestamptz;
alter table cancels add column if not exists ends_at timestamptz;
