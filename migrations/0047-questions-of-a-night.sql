-- What a night may ask the acquirer for, of all merchants together, and what a run could not ask for.
create table truth_budgets (
  -- The day of the night, or the id of what somebody asked for.
  budget_key text primary key check (char_length(budget_key) <= 60),
  -- Real time.
  opened_at timestamptz not null default now(),
  -- How many questions it has, and how many merchants share them.
  questions integer not null check (questions >= 0),
  merchants integer not null check (merchants >= 0),
  -- Taken by all, in the hands of a process or asked.
  asked integer not null default 0,
  -- Merchants whose run has ended, and what these have asked: the others share the rest.
  ended_merchants integer not null default 0,
  ended_asked integer not null default 0,
  -- Questions that were not answered: after some nobody asks.
  unanswered integer not null default 0
);

-- Receivables of sales that the acquirer finds no more, and sales that differ and were not asked for.
alter table truth_runs
  add column beyond_look_up bigint not null default 0,
  add column left_out bigint not null default 0;
