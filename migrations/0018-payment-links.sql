-- Payment links: what a merchant wants paid once, at a page of ours. Times without another word are business time.
create table payment_links (
  merchant_id text not null references merchants (merchant_id),
  link_id uuid not null,
  account_number text not null,
  -- Under which the buyer's page is found: nobody can guess it.
  page_key text not null check (page_key ~ '^[0-9a-f]{32}$'),
  description text not null check (char_length(description) between 1 and 250),
  -- Cents.
  amount bigint not null check (amount between 1 and 9999999999),
  most_installments smallint not null check (most_installments between 1 and 12),
  -- The first moment at which it cannot be paid any more.
  expires_at timestamptz not null,
  callback_url text check (char_length(callback_url) <= 500),
  -- Where the page leads back to.
  return_url text check (char_length(return_url) <= 500),
  reference_transaction text check (char_length(reference_transaction) <= 50),
  soft_descriptor text check (char_length(soft_descriptor) between 1 and 13),
  -- paying: a try is under way or its outcome is not known, so that no other one begins.
  state text not null check (state in ('open', 'paying', 'paid', 'disabled')),
  disable_reason text check (char_length(disable_reason) between 1 and 250),
  -- The number of the last try, of which its payment has its key. 0: nobody has tried.
  tries smallint not null default 0 check (tries >= 0),
  -- Of these, with a card.
  card_tries smallint not null default 0 check (card_tries between 0 and tries),
  -- What paid the link.
  payment_id uuid,
  created_by text not null,
  created_at timestamptz not null,
  -- How the last try pays. A Pix has its try until it is paid, over, or taken away.
  try_method text check (try_method in ('card', 'pix')),
  -- Real time, both: when the last try began, and when it is looked at.
  tried_at timestamptz,
  look_at timestamptz,
  primary key (merchant_id, link_id),
  foreign key (merchant_id, account_number) references accounts (merchant_id, account_number),
  check ((state = 'paying') = (look_at is not null)),
  check ((state = 'disabled') = (disable_reason is not null)),
  check ((state = 'paid') = (payment_id is not null)),
  check (state not in ('paying', 'paid') or (tries > 0 and tried_at is not null and try_method is not null))
);
create index payment_links_by_page_key on payment_links (page_key);
create index payment_links_by_time on payment_links (merchant_id, created_at, link_id);
create index payment_links_to_look_at on payment_links (look_at) where look_at is not null;
