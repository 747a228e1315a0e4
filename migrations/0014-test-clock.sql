-- A jump of a merchant's test clock: where it goes, how far it is, and which process takes it there. Homologation only.
alter table merchant_clocks
  -- Business time. Null: the clock is in no jump.
  add column target_at timestamptz,
  -- Whoever waits for the end of a jump knows it from the next one.
  add column jump_number integer not null default 0,
  -- What this jump has run, or the last one: a count by kind of work. And to how many instants it went.
  add column ran jsonb not null default '{}',
  add column steps integer not null default 0,
  -- Real time: until when a process takes the clock along, and that process's word against a later one's.
  add column lease_expires_at timestamptz,
  add column fence integer not null default 0,
  add constraint merchant_clocks_lease_in_jump check (lease_expires_at is null or target_at is not null);
create index merchant_clocks_jumping on merchant_clocks (merchant_id) where target_at is not null;
