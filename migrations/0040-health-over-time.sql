-- How much waited, how long providers took, and how cards were answered, every five minutes for eight days, so
-- that Health can show it over time. Of all merchants together.
create table health_samples (
  sampled_at timestamptz not null,
  -- `waiting:unresolved`, `takes:acquirer:rede`, `approved:rede`
  subject text not null check (char_length(subject) <= 200),
  -- Whose `approved` and `declined` it is, since that process began; else ''.
  process_id text not null,
  value double precision not null,
  primary key (sampled_at, subject, process_id)
);
