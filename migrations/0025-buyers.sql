-- Outside a transaction: an index is built while others write.
-- By which words of a name, or which e-mail address, a customer is found in the console. Read from sales behind
-- them, so that no sale writes here.
create table if not exists buyer_words (
  merchant_id text not null,
  -- Small letters without accents.
  word text collate "C" not null check (char_length(word) between 1 and 255),
  -- CPF or CNPJ without mask; of who gave none: the id of the payment or subscription.
  buyer text not null check (char_length(buyer) <= 36),
  -- Real time, to a month: when something was last bought under this word.
  seen_on date not null,
  primary key (merchant_id, word, buyer)
);
create index if not exists buyer_words_of_buyer on buyer_words (buyer, merchant_id);
create index if not exists buyer_words_by_age on buyer_words (seen_on);

-- How far what is bought was read.
create table if not exists buyer_cursors (
  source text primary key check (source in ('card', 'pix', 'boleto', 'subscription')),
  -- Real time, and the row of that moment behind which the next begins.
  read_to timestamptz not null,
  read_id uuid not null
);
insert into buyer_cursors (source, read_to, read_id)
select source, '-infinity', '00000000-0000-0000-0000-000000000000'
from unnest(array['card', 'pix', 'boleto', 'subscription']) source
on conflict (source) do nothing;

-- What people of a merchant write down about a customer.
create table if not exists buyer_notes (
  merchant_id text not null,
  note_id uuid not null,
  -- CPF or CNPJ without mask.
  document text not null check (char_length(document) <= 14),
  note text not null check (char_length(note) between 1 and 500),
  created_by text not null,
  -- Real time.
  created_at timestamptz not null default now(),
  primary key (merchant_id, note_id)
);
create index if not exists buyer_notes_of_buyer on buyer_notes (document, merchant_id, created_at);
create index if not exists buyer_notes_by_age on buyer_notes (created_at);

-- Real time: when its customer was written. Of those before this column: when it was added.
alter table subscriptions add column if not exists customer_written_at timestamptz not null default now();
drop index concurrently if exists subscriptions_by_customer_written;
create index concurrently subscriptions_by_customer_written on subscriptions (customer_written_at, subscription_id)
  where customer is not null;
