-- Pages of subscribers: one a subscription, under an address that its merchant sends. Times without another word are business time.
create table subscriber_pages (
  merchant_id text not null,
  subscription_id uuid not null,
  -- Nobody can guess it.
  page_key text not null check (page_key ~ '^[0-9a-f]{32}$'),
  may_cancel boolean not null,
  -- The first moment at which it shows nothing any more.
  expires_at timestamptz not null,
  -- Cards that were tried at this address.
  card_tries smallint not null default 0 check (card_tries >= 0),
  created_by text not null,
  created_at timestamptz not null,
  primary key (merchant_id, subscription_id),
  foreign key (merchant_id, subscription_id) references subscriptions (merchant_id, subscription_id)
);
create index subscriber_pages_by_page_key on subscriber_pages (page_key);
