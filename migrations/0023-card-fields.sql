-- Card fields of ours on pages of a merchant: where they may stand. Times are business time.
create table card_fields (
  merchant_id text primary key references merchants (merchant_id),
  -- In the address of the frame. It is public.
  page_key text not null check (page_key ~ '^[0-9a-f]{32}$'),
  -- None: they stand nowhere. Letters of origins alone, since they stand in a policy of browsers.
  origins text[] not null check (cardinality(origins) <= 10)
    check (array_to_string(origins, '/') !~ '[^a-z0-9_.:/-]'),
  changed_by text not null,
  changed_at timestamptz not null
);
create index card_fields_by_page_key on card_fields (page_key);
