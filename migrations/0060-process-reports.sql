-- What each process knows of itself and of those that it asks, so that a page of any process can show what all of them know. Written
-- again every few seconds; one that is not written any more is of a process that has ended.
create table process_reports (
  process_id uuid primary key,
  started_at timestamptz not null default now(),
  reported_at timestamptz not null default now(),
  -- JSON, as the version that wrote it has it.
  report text not null check (char_length(report) <= 10000)
) with (fillfactor = 50);

-- Files of an acquirer that were not taken: each content once, with what was wrong with it the last time.
create table settlement_refusals (
  sha256 bytea primary key check (octet_length(sha256) = 32),
  name text not null check (char_length(name) <= 200),
  size_bytes bigint not null check (size_bytes >= 0),
  -- What is wrong with the whole; null: its lines are.
  reason text check (char_length(reason) <= 200),
  -- JSON: the first faults of its lines, in both languages.
  faults text not null check (char_length(faults) <= 20000),
  refused_by text not null check (char_length(refused_by) <= 100),
  refused_at timestamptz not null default now(),
  times integer not null default 1
);
create index settlement_refusals_by_time on settlement_refusals (refused_at);
