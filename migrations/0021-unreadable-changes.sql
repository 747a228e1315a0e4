-- What the acquirer told of that is no change: kept for a person, so that what comes behind it is not held up.
create table unreadable_changes (
  -- Whose question brought it; empty: that of all merchants.
  merchant_id text not null,
  -- Of the item: one that is told twice is kept once.
  item_hash bytea not null check (octet_length(item_hash) = 32),
  -- What it was: bounded, and without anything that could be of a card.
  item text not null check (char_length(item) <= 500),
  reason text not null check (char_length(reason) <= 100),
  created_at timestamptz not null default now(),
  primary key (merchant_id, item_hash)
);
create index unreadable_changes_newest on unreadable_changes (created_at);

-- The operator's view of what came to nothing.
create index acquirer_changes_refused on acquirer_changes (ended_at) where state = 'refused';
