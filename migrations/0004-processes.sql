-- Which server and which database this one is: a copy brings the stamp of the other along, and is noticed by
-- it (decisions/0041, docs/restore.md). One row, written by the first start that finds none.
create table database_stamp (
  only_row boolean default true primary key check (only_row),
  -- Null: the server does not tell. 64 bits without a sign, as text.
  system_identifier text,
  database_oid bigint not null,
  -- Of this table: a dump that is restored over its own database makes the table anew, and brings this number
  -- along.
  table_oid bigint not null,
  timeline bigint,
  -- New with each acceptance by the operator: processes know from it that they may begin anew.
  token uuid not null,
  stamped_at timestamptz not null,
  -- What a process missed that had been acknowledged to it; holds all of them until the operator accepts.
  doubt text
);

-- What each process wrote last, every second: proof that the database takes writes, and that nothing
-- acknowledged is gone.
create table service_beats (
  service_id uuid primary key,
  beat bigint not null,
  beaten_at timestamptz not null
) with (
  fillfactor = 50
);

-- What each process knows of itself and of those that it asks, so that a page of any process can show what all
-- of them know. Written again every few seconds; one that is not written any more is of a process that has
-- ended.
create table process_reports (
  process_id uuid primary key,
  started_at timestamptz not null default now(),
  reported_at timestamptz not null default now(),
  -- JSON, as the version that wrote it has it.
  report text not null check (char_length(report) <= 10000)
) with (
  fillfactor = 50
);
